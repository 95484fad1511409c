"""Tokens for clients of the API: make, list, revoke."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from memories.access import tokens, trail
from memories.access.checks import OPERATOR
from memories.access.models import Token
from memories.wire.errors import ApiError


class Command(BaseCommand):
    help = "Makes, lists and revokes personal tokens of the API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a token and print its secret, once")
        create.add_argument("person", help="whose token it is (a username)")
        create.add_argument("--name", required=True, help="what it is for")
        create.add_argument("--days", type=int, help="days until it expires (default: never)")
        listed = actions.add_parser("list", help="list tokens, never their secrets")
        listed.add_argument("person", nargs="?", help="only those of this person")
        revoke = actions.add_parser("revoke", help="revoke a token at once")
        revoke.add_argument("person")
        revoke.add_argument("name", help="the token's name")

    def handle(self, *args: Any, **options: Any) -> None:
        match options["action"]:
            case "create":
                self.create(_person(options["person"]), options["name"], options["days"])
            case "list":
                self.list(options["person"])
            case _:
                self.revoke(_person(options["person"]), options["name"])

    def create(self, person: User, name: str, days: int | None) -> None:
        if days is not None and not 1 <= days <= 36500:
            raise CommandError("--days must be between 1 and 36500.")
        expires = timezone.now() + timedelta(days=days) if days else None
        try:
            with transaction.atomic():
                _, secret = tokens.create(person, name=name, expires=expires)
                _record("console.tokens.create", person, name)
        except ApiError as error:
            raise CommandError(error.message) from None
        self.stdout.write(secret)
        self.stderr.write("Copy it now: only its digest is kept.")

    def list(self, person: str | None) -> None:
        found = Token.objects.select_related("user").order_by("user__username", "created_at")
        if person:
            found = found.filter(user=_person(person))
        for token in found:
            used = f"used {token.used_at:%Y-%m-%d %H:%M}Z" if token.used_at else "never used"
            self.stdout.write(f"{token.user.username}\t{token.name}\t{_state(token)}\t{used}")

    def revoke(self, person: User, name: str) -> None:
        token = Token.objects.filter(user=person, name=name, revoked_at__isnull=True).first()
        if token is None:
            raise CommandError(f"{person.username} has no live token named {name!r}.")
        with transaction.atomic():
            tokens.revoke(token)
            _record("console.tokens.delete", person, name)
        self.stdout.write(f"Revoked {name!r} of {person.username}.")


def _person(name: str) -> User:
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise CommandError(f"There is no person named {name!r}.") from None


def _state(token: Token) -> str:
    if token.revoked_at:
        return f"revoked {token.revoked_at:%Y-%m-%d}"
    if token.expires_at is None:
        return "never expires"
    word = "expires" if token.expires_at > timezone.now() else "expired"
    return f"{word} {token.expires_at:%Y-%m-%d}"


def _record(action: str, person: User, name: str) -> None:
    trail.record(OPERATOR, action=action, resource=f"token {name} of {person.username}", outcome="done")
