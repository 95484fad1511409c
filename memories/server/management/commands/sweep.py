import logging
import os
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections

from memories.server import sweeper

_log = logging.getLogger("memories.server")


class Command(BaseCommand):
    help = "Really deletes what has expired: memories, revisions, deleted memories after 48 hours, old operations."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every", type=float, metavar="SECONDS", help="go on for as long as the process lives that started it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        every = options["every"]
        if every is None:
            for what, count in sweeper.sweep().items():
                self.stdout.write(f"{what}: {count}")
        elif every <= 0:
            raise CommandError("--every must be more than 0 seconds.")
        else:
            self.forever(every)

    def forever(self, every: float) -> None:
        started_by = os.getppid()
        try:
            while os.getppid() == started_by:
                try:
                    removed = sweeper.sweep()
                    _log.info("swept %s", ", ".join(f"{count} {what}" for what, count in removed.items()))
                except DatabaseError as error:  # busy or away: what is due stays due
                    _log.warning("the sweep failed: %s", type(error).__name__)
                close_old_connections()
                self.wait(every, started_by)
        except KeyboardInterrupt:  # the terminal's, meant for the server
            pass

    def wait(self, seconds: float, started_by: int) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and os.getppid() == started_by:
            time.sleep(min(1.0, seconds))
