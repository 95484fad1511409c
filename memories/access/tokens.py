"""Personal tokens for clients of the API: `mbc_` and 256 random bits, shown once and stored as a digest."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from memories.access.checks import Principal, principal
from memories.access.models import Token
from memories.wire.errors import AlreadyExists, InvalidArgument, Unauthenticated

PREFIX = "mbc_"
_MINUTE = timedelta(minutes=1)


def digest(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def create(user: User, *, name: str, expires: datetime | None = None) -> tuple[Token, str]:
    """A new token and its secret, which nobody can read again. Names are unique among a person's live tokens."""
    return _store(user, name=name, expires=expires, secret=PREFIX + secrets.token_urlsafe(32))


def restore(user: User, *, name: str, secret: str) -> Token:
    """The token of a secret made earlier, for instance after its database was replaced."""
    return _store(user, name=name, expires=None, secret=secret)[0]


def _store(user: User, *, name: str, expires: datetime | None, secret: str) -> tuple[Token, str]:
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise InvalidArgument.at("name", "A token needs a name of 1 to 100 printable characters.")
    if expires is not None and expires <= timezone.now():
        raise InvalidArgument.at("expires", "The token would have expired already.")
    try:
        with transaction.atomic():
            token = Token.objects.create(user=user, name=name, digest=digest(secret), expires_at=expires)
    except IntegrityError:
        raise AlreadyExists(f"{user.username} has a token named {name!r}; revoke it or choose another name.") from None
    return token, secret


def live() -> Q:
    """The condition of tokens that are neither revoked nor expired."""
    return Q(revoked_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))


def known(secret: str) -> bool:
    return Token.objects.filter(digest=digest(secret)).exists()


def authenticate(secret: str) -> Principal:
    """Whose token it is; Unauthenticated if it is unknown, revoked or expired, or the person is switched off."""
    token = None
    if secret.startswith(PREFIX):
        token = Token.objects.select_related("user").filter(digest=digest(secret)).first()
    if token is None:
        raise Unauthenticated("The request has a token or key that this server does not know.")
    now = timezone.now()
    if token.revoked_at is not None:
        raise Unauthenticated(f"The token {token.name!r} was revoked.")
    if token.expires_at is not None and token.expires_at <= now:
        raise Unauthenticated(f"The token {token.name!r} has expired; make a new one.")
    found = principal(token.user, via=f"token {token.name}")
    if token.used_at is None or token.used_at <= now - _MINUTE:
        _touch(token, now)
    return found


def _touch(token: Token, now: datetime) -> None:
    stale = Q(used_at__isnull=True) | Q(used_at__lte=now - _MINUTE)
    try:
        Token.objects.filter(stale, pk=token.pk).update(used_at=now)
    except OperationalError:
        # A busy database must not refuse a read for the sake of a time stamp; the next use writes it.
        pass


def revoke(token: Token) -> None:
    """Takes effect at once; revoking again changes nothing."""
    Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())
    token.refresh_from_db()
