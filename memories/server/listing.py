"""ListMemories: one page by keyset, with honest counts.

A filter that SQL decides is one range scan in list order. A text in facts, and a pattern, are a walk in list order in
growing windows; where little comes of it and the pattern needs a literal, the trigram index is asked instead. Both are
bounded in time.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import batched, islice

from memories.access.checks import Condition
from memories.server import clock, where
from memories.server.limits import Check, Limits, TimedOut, within
from memories.server.query import FEW, Anchor, Row, number, order_of, rows
from memories.server.query import Query as Query
from memories.wire import filters, pages
from memories.wire.errors import DeadlineExceeded

GROWTH, GROWN = 4, 16  # of a walk's windows: each four times the last, up to sixteen times the first
ASK = 21  # first windows' worth of entries (1 + 4 + 16) are walked before the trigram index is asked
RARE = 20  # ... for what less than one in so many entries matches
BATCH = 100


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    next: pages.Cursor | None = None
    previous: pages.Cursor | None = None
    last: pages.Cursor | None = None
    total: int | None = None
    capped: bool = False
    start: int | None = None


def query_of(
    bank: str, *, filter: str, order_by: str, condition: Condition, fields: dict[filters.Path, filters.Kind]
) -> Query:
    tree = filters.check(filters.parse(filter), fields) if filter.strip() else None
    return Query(bank, tree, order_of(order_by), condition, clock.now())


def page(query: Query, *, size: int, cursor: pages.Cursor | None, limits: Limits | None = None) -> Page:
    """The rows of one page and the cursors around it. DeadlineExceeded where it is not found in time.

    The total and the start are None where counting takes too long.
    """
    if query.condition.nothing:
        return Page([], total=0, start=0)
    limits = limits or Limits()
    forward = cursor is None or cursor.direction == "next"
    anchor = cursor.anchor if cursor else None
    found, more = _found(query, anchor=anchor, forward=forward, size=size, limits=limits)
    if not forward:
        found.reverse()
    has_next = more if forward else anchor is not None and _known(query, found, forward=True, limits=limits)
    has_previous = more if not forward else cursor is not None and _known(query, found, forward=False, limits=limits)
    whole = cursor is None and not has_next
    total = len(found) if whole else _count(query, before=None, limits=limits)
    most = len(found) if whole else _most(query, limits)
    capped = total is not None and total > most
    if cursor is None:
        start: int | None = 0
    elif not has_next and total is not None:
        start = None if capped else total - len(found)
    else:
        start = _count(query, before=query.anchor(found[0]), limits=limits) if found else None
    return Page(
        found,
        next=pages.Cursor(query.anchor(found[-1]), "next") if has_next else None,
        previous=pages.Cursor(query.anchor(found[0]), "previous") if has_previous else None,
        last=pages.Cursor(None, "previous") if has_next else None,
        total=min(total, most) if total is not None else None,
        capped=capped,
        start=start if start is None or start <= most else None,
    )


def _most(query: Query, limits: Limits) -> int:
    return limits.counted if query.plain else limits.tested


def _bounded(query: Query, seconds: float, limits: Limits) -> AbstractContextManager[Check]:
    return nullcontext(_never) if query.plain else within(seconds, limits.clock)


def _never() -> None:
    """An index range needs no limit: the page's size bounds it."""


def _found(query: Query, *, anchor: Anchor | None, forward: bool, size: int, limits: Limits) -> tuple[list[Row], bool]:
    """The rows of the page in the direction of the walk, and whether a match is known to follow them."""
    found: list[Row] = []
    columns = where.Record.columns
    try:
        with _bounded(query, limits.page, limits) as check:
            for row in _matching(
                query, columns, anchor=anchor, forward=forward, want=size + 1, check=check, limits=limits
            ):
                found.append(row)
                if len(found) > size:
                    break
    except TimedOut:
        # Without a match behind it a page would look like the last one, so the last row found is held back.
        if len(found) < 2:
            raise DeadlineExceeded(
                f"No page of matches was found within {limits.page:g} seconds. Narrow the filter, by a scope or a"
                " time, or look for a text of at least three characters."
            ) from None
        return found[:-1], True
    return found[:size], len(found) > size


def _known(query: Query, found: list[Row], *, forward: bool, limits: Limits) -> bool:
    """Whether a match lies beyond the page on the side it was reached from; where only a walk could tell, one did."""
    if not found or not query.rest.exact or query.texts:
        return bool(found)
    anchor = query.anchor(found[-1 if forward else 0])
    try:
        with _bounded(query, limits.count, limits):
            return bool(rows(query.select(where.Record.keys, anchor=anchor, forward=forward, limit=1)))
    except TimedOut:
        return True


# --- matches in order -------------------------------------------------------------------------------------------------


def _matching(
    query: Query, columns: str, *, anchor: Anchor | None, forward: bool, want: int, check: Check, limits: Limits
) -> Iterator[Row]:
    """The matches beyond the anchor, in list order; `want` is how many will be taken. TimedOut by `check`.

    `columns` are those of the rows where SQL decides the filter, and always enough for their anchors.
    """
    matches = None
    if not query.rest.exact and query.narrowed is not None:
        matches, columns = filters.predicate(query.narrowed), where.Record.columns
    elif not query.texts:
        yield from rows(query.select(columns, anchor=anchor, forward=forward, limit=want))
        return
    walked, met, size, ask = 0, 0, limits.window, bool(query.texts)
    while True:
        end = None if query.few else query.end(anchor=anchor, forward=forward, size=size)
        limit = FEW if query.few else size
        for row in rows(query.select(columns, anchor=anchor, forward=forward, limit=limit, until=end)):
            if matches is None or matches(where.Record(row)):
                met += 1
                yield row
        if end is None:
            return
        check()
        anchor, walked, size = end, walked + size, min(size * GROWTH, limits.window * GROWN)
        if ask and walked >= limits.window * ASK and met * RARE < walked:
            ask = False
            held = rows(query.from_index(anchor=anchor, forward=forward, limit=limits.held + 1))
            check()
            if len(held) <= limits.held:
                break
    for some in batched(query.sorted(held, forward=forward), BATCH):
        for row in some if columns == where.Record.keys else _full(query, some):
            if matches is None or matches(where.Record(row)):
                yield row
        check()


def _full(query: Query, keys: Sequence[Row]) -> list[Row]:
    by_number = {row[0]: row for row in rows(query.with_numbers([query.anchor(key)[-1] for key in keys]))}
    return [by_number[key[0]] for key in keys if key[0] in by_number]


# --- counts -----------------------------------------------------------------------------------------------------------


def _count(query: Query, *, before: Anchor | None, limits: Limits) -> int | None:
    """How many match, or stand before that one; at most one more than is counted. None where it takes too long."""
    forward, most = before is None, _most(query, limits) + 1
    try:
        with _bounded(query, limits.count, limits) as check:
            if query.plain:
                return _entries(query, anchor=before, forward=forward, most=most)
            if query.rest.exact and not query.texts:
                return _selected(query, anchor=before, forward=forward, most=most)
            keys = where.Record.keys
            found = _matching(query, keys, anchor=before, forward=forward, want=most, check=check, limits=limits)
            return sum(1 for _row in islice(found, most))
    except TimedOut:
        return None


def _entries(query: Query, *, anchor: Anchor | None, forward: bool, most: int) -> int:
    """Counts entries of the index without looking at their rows; takes off what has expired but is not swept yet."""
    entries = query.entries(anchor=anchor, forward=forward)
    table = "server_pair p" if query.alias == "p" else "server_memory m"
    text = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {entries.text} LIMIT %s) AS counted"
    total = number(text, [*entries.params, most])
    expired = query.expired(anchor=anchor, forward=forward)
    gone = number(expired.text, expired.params)
    if gone and total == most:
        return _selected(query, anchor=anchor, forward=forward, most=most)
    return total - gone


def _selected(query: Query, *, anchor: Anchor | None, forward: bool, most: int) -> int:
    sql = query.select(where.Record.keys, anchor=anchor, forward=forward, limit=most)
    return number(f"SELECT count(*) FROM ({sql.text}) AS counted", sql.params)
