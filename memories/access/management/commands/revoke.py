"""Takes a role away."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.access import bindings
from memories.access.checks import OPERATOR
from memories.access.management.commands.grant import arguments, grant


class Command(BaseCommand):
    help = "Takes a role from a person (or with --group from a group), exactly as it was given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = grant(options, make=False)
        if not bindings.remove(wanted, by=OPERATOR, reason=options["reason"]):
            raise CommandError(f"Nothing to take: {wanted} was not given.")
        self.stdout.write(f"Taken: {wanted}.")
