"""Progress on standard error: a bar on a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_WIDTH = 30
_QUIET = 2.0  # seconds


class Progress:
    """`advance` takes how much is done by now, in the unit of `total`."""

    def __init__(self, label: str, total: int, stream: TextIO) -> None:
        self.label, self.total, self.stream = label, max(total, 1), stream
        self.terminal = stream.isatty()
        self.began = time.monotonic()
        self.shown = 0.0

    def advance(self, done: int) -> None:
        part = min(done / self.total, 1.0)
        now = time.monotonic()
        if self.terminal and (now - self.shown > 0.1 or part == 1.0):
            self.shown = now
            bar = "#" * int(part * _WIDTH)
            left = (now - self.began) * (1 - part) / part if part else 0
            self.stream.write(f"\r{self.label} [{bar:<{_WIDTH}}] {part:4.0%}  {left:3.0f} s left ")
            self.stream.flush()
        elif not self.terminal and now - self.began > _QUIET and now - self.shown > _QUIET:
            self.shown = now
            self.stream.write(f"{self.label} {part:.0%}\n")

    def close(self) -> None:
        if self.terminal:
            self.stream.write("\r" + " " * (len(self.label) + _WIDTH + 24) + "\r")
            self.stream.flush()


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """The bar is wiped at the end."""
    shown = Progress(label, total, sys.stderr)
    try:
        yield shown
    finally:
        shown.close()
