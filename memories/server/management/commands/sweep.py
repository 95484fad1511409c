from typing import Any

from django.core.management.base import BaseCommand

from memories.server import sweeper


class Command(BaseCommand):
    help = "Really deletes what has expired: memories, revisions, deleted memories after 48 hours, old operations."

    def handle(self, *args: Any, **options: Any) -> None:
        for what, count in sweeper.sweep().items():
            self.stdout.write(f"{what}: {count}")
