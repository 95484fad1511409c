"""RetrieveMemories: the memories of exactly one scope, newest first or nearest first. Complete, or an error."""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from django.db import connection

from memories.server import clock, embeddings, limits, policy, vectors, where
from memories.server.models import Bank, Scope
from memories.wire import filters, metadata, scopes
from memories.wire.errors import DeadlineExceeded, FailedPrecondition
from memories.wire.pages import Cursor
from memories.wire.resources import MemoryConjunctionFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_TOP, MAX_TOP = 3, 100
MAX_PAGE = 100
BATCH = 1000
SECONDS = 10.0

type Row = Sequence[object]


@dataclass(frozen=True)
class Wanted:
    """What narrows a scope: the two filters and the memory types, all of which must hold."""

    tree: filters.Node | None = None
    groups: tuple[MemoryConjunctionFilter, ...] = ()
    types: frozenset[str] = frozenset({policy.NATURAL})

    def sql(self, bank: str) -> where.Sql:
        """What the database can tell of it, on `server_memory m`."""
        kinds = sorted(self.types)
        found = [where.Sql(f"m.memory_type IN ({', '.join(['%s'] * len(kinds))})", [*kinds])]
        if self.tree is not None:
            found.append(where.superset(self.tree, bank))
        return where.every(found)

    def matches(self, bank: str) -> Callable[[Row], bool]:
        """The exact test of the rows that `sql` lets through, in the columns of `where.Record`."""
        tests: list[Callable[[Row], bool]] = []
        if self.tree is not None and not where.superset(self.tree, bank).exact:
            tree = filters.predicate(self.tree)
            tests.append(lambda row: tree(where.Record(row)))
        if self.groups:
            groups = metadata.predicate(self.groups)
            tests.append(lambda row: groups(json.loads(str(row[14]) or "{}")))
        return lambda row: all(test(row) for test in tests)


def wanted(filter: str, groups: Sequence[MemoryConjunctionFilter], types: Sequence[str]) -> Wanted:
    """InvalidArgument for a filter that cannot be used. No type means natural language alone."""
    metadata.check(groups)
    tree = filters.check(filters.parse(filter)) if filter.strip() else None
    kinds = {kind for kind in types if kind != "MEMORY_TYPE_UNSPECIFIED"}
    return Wanted(tree, tuple(groups), frozenset(kinds or {policy.NATURAL}))


def _scope(bank: Bank, scope: scopes.Scope) -> Scope | None:
    return Scope.objects.filter(bank=bank, digest=scopes.digest(scope)).first()


# --- newest first -----------------------------------------------------------------------------------------------------


def newest(
    bank: Bank, scope: scopes.Scope, wanted: Wanted, *, size: int, cursor: Cursor | None
) -> tuple[list[Row], Cursor | None]:
    """One page, and where the next begins if a further match is known."""
    found = _scope(bank, scope)
    if found is None:
        return [], None
    with closing(_matching(bank, found, wanted, after=cursor.anchor if cursor else None, size=size + 1)) as rows:
        kept = list(islice(rows, size + 1))
    if len(kept) <= size:
        return kept, None
    last = kept[size - 1]
    return kept[:size], Cursor((int(str(last[6])), int(str(last[0]))))


def _matching(
    bank: Bank, scope: Scope, wanted: Wanted, *, after: tuple[int, ...] | None = None, size: int = BATCH
) -> Generator[Row]:
    """The live memories of the scope that match, newest first."""
    sql, matches, now = wanted.sql(bank.pk), wanted.matches(bank.pk), clock.now()
    limit = max(min(size, BATCH), 1) if sql.exact and not wanted.groups else BATCH
    with _in_time() as check:
        while True:
            beyond, anchor = "", list[str | int]()
            if after is not None:
                beyond = " AND m.create_time <= %s AND (m.create_time < %s OR m.id < %s)"
                anchor = [after[0], *after[:2]]
            rows = _rows(
                f"SELECT {where.Record.columns} FROM server_memory m JOIN server_scope s ON s.id = m.scope_id"
                " WHERE m.scope_id = %s AND (m.expire_time IS NULL OR m.expire_time > %s)"
                f" AND ({sql.text}){beyond} ORDER BY m.create_time DESC, m.id DESC LIMIT %s",
                [scope.pk, now, *sql.params, *anchor, limit],
            )
            yield from (row for row in rows if matches(row))
            if len(rows) < limit:
                return
            after = int(str(rows[-1][6])), int(str(rows[-1][0]))
            check()


@contextmanager
def _in_time() -> Iterator[limits.Check]:
    try:
        with limits.within(SECONDS) as check:
            yield check
    except limits.TimedOut:
        raise DeadlineExceeded(
            f"The memories of this scope could not be filtered within {SECONDS:g} seconds; use a simpler filter."
        ) from None


def _rows(text: str, params: Sequence[str | int]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return list(cursor.fetchall())


# --- nearest first ----------------------------------------------------------------------------------------------------


def nearest(bank: Bank, scope: scopes.Scope, wanted: Wanted, *, query: str, top: int) -> list[tuple[Row, float]]:
    """The memories whose vectors lie nearest to that of the query, with the Euclidean distances."""
    for _attempt in range(3):
        found = _scope(bank, scope)
        if found is None:
            return []
        loaded = vectors.of(found)
        chosen = _candidates(bank, found, wanted, loaded)
        if not len(chosen):
            return []
        numbers, distances = _closest(loaded, chosen, embeddings.current().embed([query], role="query")[0], top)
        rows = {row[0]: row for row in _numbered(numbers)}
        if len(rows) == len(numbers):
            break
        # One of them was deleted meanwhile: its place belongs to the next nearest.
    return [(rows[number], distance) for number, distance in zip(numbers, distances, strict=True) if number in rows]


def _candidates(bank: Bank, scope: Scope, wanted: Wanted, loaded: vectors.Loaded) -> "NDArray[np.intp]":
    """The places in `loaded` of what is alive and wanted."""
    import numpy as np

    live = loaded.expires > clock.now()
    if wanted.tree is None and not wanted.groups:
        for kind, natural in ((policy.NATURAL, True), (policy.STRUCTURED, False)):
            if kind not in wanted.types:
                live &= loaded.natural != natural
    else:
        numbers = [int(str(row[0])) for row in _matching(bank, scope, wanted)]
        live &= np.isin(loaded.rows, np.array(numbers, np.int64))
    return np.flatnonzero(live)


def _closest(
    loaded: vectors.Loaded, chosen: "NDArray[np.intp]", query: "NDArray[np.float32]", top: int
) -> tuple[list[int], list[float]]:
    """Row numbers and distances, nearest first, the newer of two equally near ones first."""
    import numpy as np

    if query.shape[0] != loaded.matrix.shape[1]:
        raise FailedPrecondition("The model in use makes vectors of another length; run `manage.py reembed`.")
    matrix = loaded.matrix if len(chosen) == len(loaded.rows) else loaded.matrix[chosen]
    likeness = matrix @ query
    if len(likeness) > top:
        # Everything as near as the last one, so that equals are ordered by age.
        edge = np.partition(likeness, len(likeness) - top)[len(likeness) - top]
        best = np.flatnonzero(likeness >= edge)
    else:
        best = np.arange(len(likeness))
    numbers = loaded.rows[chosen[best]]
    # The difference, not 2 - 2ab: that loses half the digits where two texts are nearly the same.
    distances = np.linalg.norm(matrix[best].astype(np.float64) - query, axis=1)
    order = np.lexsort((-numbers, distances))[:top]
    return [int(number) for number in numbers[order]], [float(distance) for distance in distances[order]]


def _numbered(numbers: Sequence[int]) -> list[Row]:
    return _rows(
        f"SELECT {where.Record.columns} FROM server_memory m JOIN server_scope s ON s.id = m.scope_id"
        f" WHERE m.id IN ({', '.join(['%s'] * len(numbers))})",
        numbers,
    )
