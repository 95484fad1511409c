"""The scopes of a bank: one page by keyset in any of three orders, narrowed by pairs, by text, and by who asks.

Without narrowing it is an index range in list order. Narrowed, what matches is gathered first, as far as `COUNTED`, so
that its number is known; more than that is common enough for a walk in list order.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from memories.access.checks import Condition
from memories.server import clock, facets, limits
from memories.server.masks import snake
from memories.server.models import Scope
from memories.wire import filters, pages
from memories.wire.errors import DeadlineExceeded, InvalidArgument

COUNTED = 2_000  # matches of a narrowed list: gathering so many takes some milliseconds
COUNTED_ALL = 100_000  # scopes of a bank; an index tells
FEW = 2_000  # scopes: a bank with no more is read through its index, else the table from end to end
SECONDS = 5.0
ORDERS = {"last_write_time": "last_write", "first_write_time": "first_write", "memory_count": "count"}
_EMPTIED = 500  # parameters of a statement

type Key = tuple[int, int]
"""The value of the order, and the row."""


@dataclass(frozen=True)
class Asked:
    bank: str
    column: str
    down: bool
    pairs: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    """Folded; each must stand in a `key:value`."""
    condition: Condition

    @property
    def narrowed(self) -> bool:
        return bool(self.pairs or self.words or not self.condition.everything)


@dataclass(frozen=True)
class Page:
    scopes: list[Scope]
    gone: dict[int, int]
    """What has expired is still in a scope's count: how many, by row."""
    next: pages.Cursor | None
    previous: pages.Cursor | None
    last: pages.Cursor | None
    total: int
    capped: bool
    start: int | None
    memories: int | None
    """Of all that match; None where that was not counted."""


def asked(bank: str, *, filter: str, search: str, order_by: str, condition: Condition) -> Asked:
    """InvalidArgument for what cannot be used."""
    name, _, way = (order_by.strip() or "last_write_time desc").partition(" ")
    name, way = snake(name), way.strip().lower() or "asc"
    if name not in ORDERS or way not in ("asc", "desc"):
        raise InvalidArgument.at("orderBy", f"expected one of {', '.join(ORDERS)}, and ' desc' or nothing after it.")
    words = tuple(dict.fromkeys(filters.fold(search).split()))
    return Asked(bank, ORDERS[name], way == "desc", _pairs(filter), words, condition)


def _pairs(filter: str) -> tuple[tuple[str, str], ...]:
    found = []
    for part in filters.conjuncts(filters.check(filters.parse(filter))) if filter.strip() else ():
        if not isinstance(part, filters.Restriction) or len(part.field) != 2 or part.op != "=":
            raise InvalidArgument.at("filter", 'takes scope.KEY="value", several joined by AND.')
        if part.field[0] != "scope":
            raise InvalidArgument.at("filter", 'takes scope.KEY="value", several joined by AND.')
        found.append((part.field[1], str(part.value)))
    return tuple(dict.fromkeys(found))


def page(query: Asked, *, size: int, cursor: pages.Cursor | None) -> Page:
    """DeadlineExceeded where it is not found in time."""
    try:
        with limits.within(SECONDS):
            gone = expired(query.bank)
            empty = [row for row, (dead, count) in gone.items() if dead >= count][:_EMPTIED]
            keys = _gathered(query, empty) if query.narrowed else None
            found = _walked(query, empty, size, cursor) if keys is None else _cut(query, keys, size, cursor)
    except limits.TimedOut:
        raise DeadlineExceeded(
            f"The scopes were not found within {SECONDS:g} seconds; look for a pair, or for a rarer word."
        ) from None
    rows = Scope.objects.in_bulk([row for _value, row in found.keys])
    dead = {row: number for row, (number, _count) in gone.items()}
    return Page(
        # The facets are numbers; whether a scope may be seen is not left to them.
        [rows[row] for _value, row in found.keys if row in rows and query.condition.covers(rows[row].pairs)],
        dead,
        pages.Cursor(found.keys[-1], "next") if found.next else None,
        pages.Cursor(found.keys[0], "previous") if found.previous else None,
        pages.Cursor(None, "previous") if found.next else None,
        found.total,
        found.capped,
        found.start,
        None if keys is None else sum(count - dead.get(row, 0) for _value, row, count in keys),
    )


def expired(bank: str) -> dict[int, tuple[int, int]]:
    """The scopes in which memories have expired that are still there: by row, how many, and the scope's count."""
    rows = _rows(
        "SELECT s.id, e.n, s.count FROM (SELECT scope_id, count(*) AS n FROM server_memory"
        " WHERE bank_id = %s AND expire_time <= %s GROUP BY scope_id) e JOIN server_scope s ON s.id = e.scope_id",
        [bank, clock.now()],
    )
    return {row: (gone, count) for row, gone, count in rows}


@dataclass(frozen=True)
class _Found:
    keys: list[Key]
    next: bool
    previous: bool
    total: int
    capped: bool
    start: int | None


# --- narrowed: what matches is gathered -------------------------------------------------------------------------------


def _gathered(query: Asked, empty: Sequence[int]) -> list[tuple[int, int, int]] | None:
    """(value, row, count) of all that match, in list order; None where they are more than `COUNTED`."""
    narrow, params = _narrow(query)
    live, dead = _alive(empty)
    known = _known_pair(query)
    if known:
        # In this order, so that the limit ends the reading.
        source, of_bank = "server_facet k CROSS JOIN server_scope s", "k.number = %s AND s.id = k.scope_id"
        first: list[str | int] = [facets.pair(query.bank, *known)]
    else:
        source, of_bank, first = "server_scope s", bank_of("s", query.bank), [query.bank]
    rows = _rows(
        f"SELECT s.{query.column}, s.id, s.count FROM {source} WHERE {of_bank}{narrow}{live} LIMIT %s",
        [*first, *params, *dead, COUNTED + 1],
    )
    found = [(value, row, count) for value, row, count in rows]
    return sorted(found, reverse=query.down) if len(found) <= COUNTED else None


def _known_pair(query: Asked) -> tuple[str, str] | None:
    """A pair that every match holds."""
    some = query.condition.alternatives
    return next(iter(query.pairs or (some[0] if len(some) == 1 else ())), None)


def bank_of(alias: str, bank: str) -> str:
    """SQL for "it is of the bank %s". Of many rows a table is read faster from end to end than through an index."""
    many = connection.vendor == "sqlite" and _rows(
        "SELECT 1 FROM server_scope WHERE bank_id = %s LIMIT 1 OFFSET %s", [bank, FEW]
    )
    return f"+{alias}.bank_id = %s" if many else f"{alias}.bank_id = %s"


def _cut(query: Asked, rows: Sequence[tuple[int, int, int]], size: int, cursor: pages.Cursor | None) -> _Found:
    keys = [(value, row) for value, row, _count in rows]
    start = 0
    if cursor:
        start = max(len(keys) - size, 0)
        if cursor.anchor is not None:
            sign = -1 if query.down else 1
            order = [(sign * value, sign * row) for value, row in keys]
            at = (sign * cursor.anchor[0], sign * cursor.anchor[1])
            forward = cursor.direction == "next"
            start = bisect_right(order, at) if forward else max(bisect_left(order, at) - size, 0)
    end = min(start + size, len(keys))
    return _Found(keys[start:end], end < len(keys), start > 0 and end > start, len(keys), False, start)


def _narrow(query: Asked) -> tuple[str, list[str | int]]:
    """The conditions behind that of the bank."""
    member = "EXISTS (SELECT 1 FROM server_facet f WHERE f.number = %s AND f.scope_id = s.id)"
    parts, params = [], list[str | int]()
    for key, value in query.pairs:
        parts.append(member)
        params.append(facets.pair(query.bank, key, value))
    if not query.condition.everything:
        some = []
        for pairs in query.condition.alternatives:
            some.append(" AND ".join([member] * len(pairs)))
            params += [facets.pair(query.bank, key, value) for key, value in pairs]
        parts.append("(" + " OR ".join(f"({one})" for one in some or ["1=0"]) + ")")
    place = "strpos" if connection.vendor == "postgresql" else "instr"
    for word in query.words:
        parts.append(f"{place}(s.text, %s) > 0")
        params.append(word)
    return "".join(f" AND {part}" for part in parts), params


def _alive(empty: Sequence[int]) -> tuple[str, list[int]]:
    return (f" AND s.id NOT IN ({', '.join(['%s'] * len(empty))})", list(empty)) if empty else ("", [])


# --- a walk in list order ---------------------------------------------------------------------------------------------


def _walked(query: Asked, empty: Sequence[int], size: int, cursor: pages.Cursor | None) -> _Found:
    forward = cursor is None or cursor.direction == "next"
    anchor = cursor.anchor if cursor else None
    found = _ordered(query, empty, anchor=anchor, forward=forward, limit=size + 1)
    more, found = len(found) > size, found[:size]
    if not forward:
        found.reverse()
    beyond = bool(
        anchor
        and found
        and _ordered(query, empty, anchor=found[-1 if not forward else 0], forward=not forward, limit=1)
    )
    has_next, has_previous = (more, beyond) if forward else (beyond, more)
    if query.narrowed:
        return _Found(found, has_next, has_previous, COUNTED, True, None if cursor else 0)
    total = _number(query, empty, None)
    start = 0 if cursor is None or not found else _number(query, empty, found[0])
    capped = total > COUNTED_ALL
    return _Found(
        found, has_next, has_previous, min(total, COUNTED_ALL), capped, start if start <= COUNTED_ALL else None
    )


def _ordered(
    query: Asked, empty: Sequence[int], *, anchor: Sequence[int] | None, forward: bool, limit: int
) -> list[Key]:
    narrow, params = _narrow(query)
    live, dead = _alive(empty)
    beyond, place = _beyond(query, anchor, forward=forward)
    way = "DESC" if query.down == forward else "ASC"
    rows = _rows(
        f"SELECT s.{query.column}, s.id FROM server_scope s WHERE s.bank_id = %s{narrow}{live}{beyond}"
        f" ORDER BY s.{query.column} {way}, s.id {way} LIMIT %s",
        [query.bank, *params, *dead, *place, limit],
    )
    return [(value, row) for value, row in rows]


def _beyond(query: Asked, anchor: Sequence[int] | None, *, forward: bool) -> tuple[str, list[int]]:
    if anchor is None:
        return "", []
    sign, column = "<" if query.down == forward else ">", f"s.{query.column}"
    return f" AND {column} {sign}= %s AND ({column} {sign} %s OR s.id {sign} %s)", [anchor[0], *anchor[:2]]


def _number(query: Asked, empty: Sequence[int], before: Key | None) -> int:
    """How many there are, or stand before that one; at most one more than is counted."""
    beyond, place = _beyond(query, before, forward=False)
    live, dead = _alive(empty)
    rows = _rows(
        f"SELECT count(*) FROM (SELECT 1 FROM server_scope s WHERE s.bank_id = %s{live}{beyond} LIMIT %s) AS counted",
        [query.bank, *dead, *place, COUNTED_ALL + 1],
    )
    return int(rows[0][0])


def _rows(text: str, params: Iterable[str | int]) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, list(params))
        return list(cursor.fetchall())
