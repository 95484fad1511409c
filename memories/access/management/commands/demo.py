"""Makes the demo people at the first start, and prints how they sign in."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memories.access.demo import FILE, demo_people


class Command(BaseCommand):
    help = f"Makes the demo people where there is nobody yet, and prints them while DATA_DIR/{FILE} exists."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = demo_people(settings.DATA_DIR).lines()
        except ValueError as error:
            raise CommandError(str(error)) from None
        for line in lines:
            self.stdout.write(line)
        if not lines:
            self.stderr.write("There are people already, so no demo people were made.")
