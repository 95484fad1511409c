"""Makes the vectors that are missing, or that another model made. May be stopped and started again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.server import embeddings, vectors
from memories.server.management.progress import progress
from memories.server.models import Memory, Vector
from memories.wire.errors import ApiError

STRETCH = 1000


class Command(BaseCommand):
    help = "Makes the vectors of memories that have none of the model in use; goes on where it was stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say how many are to be made, by model")

    def handle(self, *args: Any, **options: Any) -> None:
        embedder = embeddings.current()
        if options["check"]:
            others = Vector.objects.exclude(embedder=embedder.id).count()
            missing = Memory.objects.count() - Vector.objects.count()
            self.stdout.write(f"model in use: {embedder.id}; made by others: {others}; missing: {missing}")
            return
        made, after, looked = 0, 0, 0
        try:
            with progress("embedding", Memory.objects.count()) as shown:
                while True:
                    rows, end, count = vectors.lacking(embedder, after=after, limit=STRETCH)
                    for start in range(0, len(rows), embedder.batch):
                        some = rows[start : start + embedder.batch]
                        vectors.make(some, embedder)
                        made += len(some)
                        shown.advance(looked + count * (start + len(some)) // len(rows))
                    looked += count
                    shown.advance(looked)
                    if end is None:
                        break
                    after = end
        except ApiError as error:
            raise CommandError(f"Stopped after {made} vectors: {error.message} Start it again to go on.") from None
        self.stdout.write(f"{made} vectors made by {embedder.id}")
