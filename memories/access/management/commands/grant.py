"""Gives a role to a person or a group, or lists who has which."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandError

from memories.access import bindings, roles
from memories.access.checks import OPERATOR
from memories.access.models import Binding
from memories.wire.errors import ApiError
from memories.wire.names import BankName


class Command(BaseCommand):
    help = "Gives a role to a person (or with --group to a group), on one bank or on all; --list shows what is given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments(parser)
        parser.add_argument("--list", action="store_true", help="list what is given and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self.list(options["holder"], options["group"])
            return
        wanted = grant(options)
        given = bindings.add(wanted, by=OPERATOR, reason=options["reason"])
        self.stdout.write(f"Given: {wanted}." if given else f"Already given: {wanted}.")

    def list(self, name: str | None, group: bool) -> None:
        found = Binding.objects.select_related("user", "group").order_by(
            "user__username", "group__name", "role", "bank"
        )
        if name:
            pk = holder(name, group=group).pk
            found = found.filter(group=pk) if group else found.filter(user=pk)
        for one in found:
            who = one.user.username if one.user else f"group {one.group.name}" if one.group else ""
            self.stdout.write(f"{who}\t{one.role}\t{one.bank or 'all banks'}")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("holder", nargs="?", help="a username, or with --group the name of a group")
    parser.add_argument("role", nargs="?", help=f"one of {', '.join(roles.ROLES)}; the short name will do")
    parser.add_argument("--group", action="store_true", help="the holder is a group; it is made if there is none")
    parser.add_argument("--bank", default="", help="the bank's id or name (default: all banks)")
    parser.add_argument("--reason", default="", help="why; kept in the audit trail")


def grant(options: dict[str, Any], *, make: bool = True) -> bindings.Grant:
    """What the arguments ask for; CommandError in one line where they do not fit."""
    if not options["holder"] or not options["role"]:
        raise CommandError("Say who and which role, such as: ann roles/aiplatform.memoryViewer")
    role = roles.role_named(options["role"])
    if role is None:
        raise CommandError(f"{options['role']!r} is not a role; use one of {', '.join(roles.ROLES)}.")
    who = holder(options["holder"], group=options["group"], make=make)
    return bindings.Grant(role, who, bank(options["bank"]) if options["bank"] else None)


def bank(text: str) -> BankName:
    project, location = settings.MEMORY_BANK_PROJECT, settings.MEMORY_BANK_LOCATION
    try:
        return BankName.parse(text if "/" in text else f"reasoningEngines/{text}", project=project, location=location)
    except ApiError as error:
        raise CommandError(error.message) from None


def holder(name: str, *, group: bool = False, make: bool = False) -> User | Group:
    if not group:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no person named {name!r}.")
        return user
    if make:
        return Group.objects.get_or_create(name=name)[0]
    found = Group.objects.filter(name=name).first()
    if found is None:
        raise CommandError(f"There is no group named {name!r}.")
    return found
