"""Tokens: made once, stored as digests, refused when revoked, expired, or the person is switched off."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import tokens
from memories.access.models import Token
from memories.wire.errors import AlreadyExists, InvalidArgument, Unauthenticated


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


def ago(**spent: int) -> datetime:
    return timezone.now() - timedelta(**spent)


def test_a_token_says_whose_it_is(ann: User) -> None:
    _, secret = tokens.create(ann, name="laptop")
    found = tokens.authenticate(secret)
    assert (found.user_id, found.name, found.via) == (ann.pk, "ann", "token laptop")


def test_the_secret_is_nowhere_in_the_database(ann: User) -> None:
    token, secret = tokens.create(ann, name="laptop")
    assert secret.startswith("mbc_")
    assert len(secret) >= 4 + 43  # 256 bits in base 64
    row = Token.objects.filter(pk=token.pk).values().get()
    assert not any(secret in str(value) or secret[4:] in str(value) for value in row.values())


def test_two_secrets_differ(ann: User) -> None:
    assert tokens.create(ann, name="a")[1] != tokens.create(ann, name="b")[1]


@pytest.mark.parametrize("secret", ["", "mbc_", "mbc_unknown", "other", "mbc_\ud83d", "mbc_" + "x" * 10_000, "\0"])
def test_an_unknown_secret_is_refused(ann: User, secret: str) -> None:
    with pytest.raises(Unauthenticated, match="does not know"):
        tokens.authenticate(secret)


def test_the_digest_is_no_secret(ann: User) -> None:
    token, _ = tokens.create(ann, name="laptop")
    for attempt in (token.digest, f"mbc_{token.digest}"):
        with pytest.raises(Unauthenticated):
            tokens.authenticate(attempt)


def test_a_revoked_token_is_refused_at_once(ann: User) -> None:
    token, secret = tokens.create(ann, name="laptop")
    tokens.revoke(token)
    with pytest.raises(Unauthenticated, match="revoked"):
        tokens.authenticate(secret)


def test_revoking_again_keeps_the_first_time(ann: User) -> None:
    token, _ = tokens.create(ann, name="laptop")
    tokens.revoke(token)
    first = token.revoked_at
    tokens.revoke(token)
    assert token.revoked_at == first


def test_an_expired_token_is_refused(ann: User) -> None:
    token, secret = tokens.create(ann, name="laptop", expires=timezone.now() + timedelta(days=1))
    tokens.authenticate(secret)
    Token.objects.filter(pk=token.pk).update(expires_at=ago(seconds=1))
    with pytest.raises(Unauthenticated, match="expired"):
        tokens.authenticate(secret)


def test_a_person_switched_off_is_refused(ann: User) -> None:
    _, secret = tokens.create(ann, name="laptop")
    User.objects.filter(pk=ann.pk).update(is_active=False)
    with pytest.raises(Unauthenticated, match="switched off"):
        tokens.authenticate(secret)


def test_a_name_is_taken_until_its_token_is_revoked(ann: User) -> None:
    token, _ = tokens.create(ann, name="laptop")
    with pytest.raises(AlreadyExists, match="laptop"):
        tokens.create(ann, name="laptop")
    tokens.create(User.objects.create_user("bob"), name="laptop")
    tokens.revoke(token)
    tokens.create(ann, name="laptop")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb"])
def test_a_name_is_one_short_line(ann: User, name: str) -> None:
    with pytest.raises(InvalidArgument):
        tokens.create(ann, name=name)


def test_a_token_cannot_be_born_expired(ann: User) -> None:
    with pytest.raises(InvalidArgument):
        tokens.create(ann, name="laptop", expires=ago(seconds=1))


def test_the_last_use_is_written_at_most_once_a_minute(ann: User) -> None:
    token, secret = tokens.create(ann, name="laptop")
    tokens.authenticate(secret)
    token.refresh_from_db()
    assert token.used_at is not None
    with CaptureQueriesContext(connection) as queries:
        tokens.authenticate(secret)
    assert not any(query["sql"].startswith("UPDATE") for query in queries)
    Token.objects.filter(pk=token.pk).update(used_at=ago(seconds=61))
    tokens.authenticate(secret)
    token.refresh_from_db()
    assert token.used_at is not None
    assert token.used_at > ago(seconds=30)
