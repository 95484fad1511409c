"""What a list may cost, and how a statement is stopped in time: what differs between the databases in this is here."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import OperationalError, connection, transaction

STEPS = 2000  # of SQLite's machine between two looks at the clock: some tens of microseconds


class TimedOut(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a list may cost."""

    page: float = 5.0  # seconds for its rows
    count: float = 0.25  # seconds for each of its counts
    clock: Callable[[], float] = time.monotonic
    counted: int = 10_000  # what is counted along one index range; of more it is only said that they are more
    tested: int = 1_000  # the same where each entry must be looked at, which costs some forty times as much
    window: int = 200  # entries of an index in the first window of a walk
    held: int = 20_000  # rows taken from the trigram index; a text that more hold is common enough for walking


type Check = Callable[[], None]
"""Raises TimedOut once the time is over; to be called between statements."""


@contextmanager
def within(seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Check]:
    """Raises TimedOut out of the block when a statement runs on after so many seconds. Only for reading."""
    until = clock() + seconds

    def passed() -> bool:
        return clock() >= until

    def check() -> None:
        if passed():
            raise TimedOut

    run = _postgresql(seconds) if connection.vendor == "postgresql" else _sqlite(passed)
    try:
        with run:
            yield check
    except OperationalError as error:
        cause = error.__cause__
        interrupted = getattr(cause, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
        if interrupted or getattr(cause, "sqlstate", "") == "57014":  # query_canceled
            raise TimedOut from None
        raise


@contextmanager
def _sqlite(passed: Callable[[], bool]) -> Iterator[None]:
    # No transaction: it would take the lock of the writers.
    connection.ensure_connection()
    connection.connection.set_progress_handler(passed, STEPS)
    try:
        yield
    finally:
        connection.connection.set_progress_handler(None, 0)


@contextmanager
def _postgresql(seconds: float) -> Iterator[None]:
    """Each statement for itself; `check` adds them up."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        before = cursor.fetchone()[0]
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(max(int(seconds * 1000), 1))])
        yield
        # A transaction around this one goes on as it was; after an error its savepoint takes care of that.
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
