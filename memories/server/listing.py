"""ListMemories: one page by keyset, with honest counts.

A filter that SQL decides is one range scan in list order. A filter with a pattern is a scan in list order that tests
each row exactly, bounded in time; where the pattern needs a literal, the rows after the first `WALK` come from the
trigram index.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db import connection

from memories.access.checks import Condition
from memories.server import clock, trigrams, where
from memories.wire import filters, pages
from memories.wire.errors import DeadlineExceeded, InvalidArgument

WALK = 2000  # rows looked at in list order before the trigram index is asked
BATCH = 500
COUNT_CAP = 10_000
COUNT_SECONDS = 0.25
SCAN_SECONDS = 5.0

type Row = Sequence[object]
type Order = tuple[tuple[str, bool], ...]
"""Columns of time, each with whether it descends."""

_ORDERS = {"create_time": "create_time", "update_time": "update_time", "createTime": "create_time"}
_ORDERS["updateTime"] = "update_time"


def order_of(text: str) -> Order:
    """The order of `orderBy`; newest first where it is empty."""
    if not text.strip():
        return (("create_time", True),)
    found: list[tuple[str, bool]] = []
    for part in text.split(","):
        words = part.split()
        if not words or words[0] not in _ORDERS or words[1:] not in ([], ["asc"], ["desc"]):
            expected = "expected create_time or update_time, each with an optional desc, joined by a comma"
            raise InvalidArgument.at("orderBy", f"{expected}; found {part.strip()!r}.")
        if _ORDERS[words[0]] in [name for name, _descending in found]:
            raise InvalidArgument.at("orderBy", f"{words[0]} is named twice.")
        found.append((_ORDERS[words[0]], words[1:] == ["desc"]))
    return tuple(found)


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    next: pages.Cursor | None = None
    previous: pages.Cursor | None = None
    last: pages.Cursor | None = None
    total: int | None = None
    capped: bool = False
    start: int | None = None


@dataclass(frozen=True)
class Query:
    """What is listed: a bank, a checked filter, an order, and what the caller may see."""

    bank: str
    tree: filters.Node | None
    order: Order
    condition: Condition
    now: int

    @cached_property
    def narrowed(self) -> filters.Node | None:
        return where.under(self.tree, self.condition)

    @cached_property
    def parts(self) -> tuple[filters.Node, ...]:
        return filters.conjuncts(self.narrowed) if self.narrowed else ()

    @cached_property
    def driver(self) -> filters.Restriction | None:
        """The equality whose index is walked: the exact scope, or the rarest pair."""
        found = [part for part in self.parts if isinstance(part, filters.Restriction)]
        exact = next((part for part in found if where.is_scope(part)), None)
        pairs = [part for part in found if where.is_pair(part)]
        if exact or len(pairs) < 2:
            return exact or (pairs[0] if pairs else None)
        return min(pairs, key=lambda part: self._pair_count(part, 1000))

    def _pair_count(self, part: filters.Restriction, cap: int) -> int:
        text = (
            "SELECT count(*) FROM (SELECT 1 FROM server_pair p"
            " WHERE p.bank_id = %s AND p.key = %s AND p.value = %s LIMIT %s) AS some"
        )
        return _number(text, [self.bank, where.path_text_of(part), part.value, cap])

    @cached_property
    def rest(self) -> where.Sql:
        """What the driver does not decide."""
        parts = [part for part in self.parts if part is not self.driver]
        if not parts:
            return where.Sql(where.TRUE)
        return where.superset(parts[0] if len(parts) == 1 else filters.And(tuple(parts)), self.bank)

    @property
    def by_pair(self) -> bool:
        return self.driver is not None and where.is_pair(self.driver)

    def time(self, column: str) -> str:
        return f"{'p' if self.by_pair else 'm'}.{column}"

    @property
    def row_id(self) -> str:
        return "p.memory_id" if self.by_pair else "m.id"

    def source(self) -> tuple[str, str, list[object]]:
        """FROM, the driver's condition, its parameters."""
        driver = self.driver
        if driver is None:
            return "server_memory m", "m.bank_id = %s", [self.bank]
        if self.by_pair:
            text = "p.bank_id = %s AND p.key = %s AND p.value = %s"
            params = [self.bank, where.path_text_of(driver), driver.value]
            # CROSS JOIN keeps SQLite from turning the order of the two tables round.
            join = "CROSS JOIN" if connection.vendor == "sqlite" else "JOIN"
            on = " WHERE " if connection.vendor == "sqlite" else " ON "
            return f"server_pair p {join} server_memory m{on}m.id = p.memory_id", text, params
        exact = where.superset(driver, self.bank)
        return "server_memory m", exact.text.replace(" IN (", " = (", 1), exact.params

    def select(
        self,
        columns: str,
        *,
        anchor: tuple[int, ...] | None = None,
        forward: bool = True,
        limit: int,
        more: where.Sql | None = None,
        scope: bool = True,
    ) -> tuple[str, list[object]]:
        """A query in list order (turned round where not `forward`), beyond the anchor."""
        source, driving, params = self.source()
        glue = " AND " if " WHERE " in source else " WHERE "
        live = f"{self.rest.text} AND (m.expire_time IS NULL OR m.expire_time > %s)"
        conditions = [driving, f"({live})"]
        params = [*params, *self.rest.params, self.now]
        if more:
            conditions.append(more.text)
            params += more.params
        names = [(self.time(name), descending == forward) for name, descending in self.order]
        names.append((self.row_id, self.order[0][1] == forward))
        if anchor is not None:
            text, values = _beyond(names, anchor)
            conditions.append(text)
            params += values
        order = ", ".join(f"{name} {'DESC' if descending else 'ASC'}" for name, descending in names)
        if scope:
            # The page first, then its scopes: the join must not disturb the order of the walk.
            inner = f"SELECT m.id AS row_id FROM {source}{glue}{' AND '.join(conditions)} ORDER BY {order} LIMIT %s"
            outer = ", ".join(
                f"m.{name} {'DESC' if down else 'ASC'}"
                for name, down in [(n, d == forward) for n, d in self.order] + [("id", self.order[0][1] == forward)]
            )
            text = (
                f"SELECT {columns} FROM ({inner}) AS page JOIN server_memory m ON m.id = page.row_id"
                f" JOIN server_scope s ON s.id = m.scope_id ORDER BY {outer}"
            )
            return text, [*params, limit]
        return f"SELECT {columns} FROM {source}{glue}{' AND '.join(conditions)} LIMIT %s", [*params, limit]

    def anchor(self, row: Row) -> tuple[int, ...]:
        index = {"create_time": 6, "update_time": 7}
        return tuple(_int(row[index[name]]) for name, _descending in self.order) + (_int(row[0]),)


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a number, found {type(value)}")
    return value


def _beyond(names: list[tuple[str, bool]], anchor: tuple[int, ...]) -> tuple[str, list[object]]:
    """The keyset: `t <= a AND (t < a OR id < b)`, which an index walks; a plain OR it would not."""
    (name, descending), *more = names
    less, most = ("<", "<=") if descending else (">", ">=")
    if not more:
        return f"{name} {less} %s", [anchor[0]]
    inner, params = _beyond(more, anchor[1:])
    return f"({name} {most} %s AND ({name} {less} %s OR {inner}))", [anchor[0], anchor[0], *params]


def _number(text: str, params: Sequence[object]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return int(cursor.fetchone()[0])


def _rows(text: str, params: Sequence[object]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return list(cursor.fetchall())


def page(query: Query, *, size: int, cursor: pages.Cursor | None) -> Page:
    """The rows of one page and the cursors around it. DeadlineExceeded where a scan finds no further match in time."""
    if query.condition.nothing:
        return Page([], total=0, start=0)
    forward = cursor is None or cursor.direction == "next"
    anchor = cursor.anchor if cursor else None
    exact = query.rest.exact
    if exact:
        text, params = query.select(where.Record.columns, anchor=anchor, forward=forward, limit=size + 1)
        found = _rows(text, params)
    else:
        found = _scan(query, anchor=anchor, forward=forward, want=size + 1)
    more = len(found) > size
    rows = found[:size] if forward else found[:size][::-1]
    if not rows:
        total, capped, _start = _counts(query, None, exact)
        return Page([], total=total, capped=capped, start=0 if cursor is None else None)
    total, capped, start = _counts(query, rows[0], exact)
    if cursor is None:
        start = 0
    has_next = more if forward else _any_beyond(query, rows[-1], exact, given=anchor is not None)
    has_previous = (_any_before(query, rows[0], exact) if cursor else False) if forward else more
    if not has_next and total is not None and not capped:
        start = total - len(rows)
    return Page(
        rows,
        next=pages.Cursor(query.anchor(rows[-1]), "next") if has_next else None,
        previous=pages.Cursor(query.anchor(rows[0]), "previous") if has_previous else None,
        last=pages.Cursor(None, "previous") if has_next else None,
        total=total,
        capped=capped,
        start=start,
    )


def _any_beyond(query: Query, row: Row, exact: bool, *, given: bool) -> bool:
    """Whether a match follows. Where only a scan could tell, the page it came from does."""
    if not exact:
        return given
    text, params = query.select("1", anchor=query.anchor(row), limit=1, scope=False)
    return bool(_rows(text, params))


def _any_before(query: Query, row: Row, exact: bool) -> bool:
    if not exact:
        return True
    text, params = query.select("1", anchor=query.anchor(row), forward=False, limit=1, scope=False)
    return bool(_rows(text, params))


# --- patterns ---------------------------------------------------------------------------------------------------------


def _scan(query: Query, *, anchor: tuple[int, ...] | None, forward: bool, want: int) -> list[Row]:
    found: list[Row] = []
    started = time.monotonic()
    for row in _matching(query, anchor=anchor, forward=forward, until=started + SCAN_SECONDS):
        if row is None:
            if found:
                return found
            raise DeadlineExceeded(
                f"No match was found within {SCAN_SECONDS:g} seconds. Narrow the filter, by a scope or a time,"
                " or look for a text of at least three characters."
            )
        found.append(row)
        if len(found) == want:
            break
    return found


def _matching(query: Query, *, anchor: tuple[int, ...] | None, forward: bool, until: float) -> Iterator[Row | None]:
    """The rows that match, in order; None where time ran out."""
    tree = query.narrowed
    if tree is None:
        return
    matches = filters.predicate(tree)
    literals = where.literals(tree)
    walked = 0
    more: where.Sql | None = None
    while True:
        text, params = query.select(where.Record.columns, anchor=anchor, forward=forward, limit=BATCH, more=more)
        batch = _rows(text, params)
        for row in batch:
            if matches(where.Record(row)):
                yield row
        if len(batch) < BATCH:
            return
        if time.monotonic() > until:
            yield None
            return
        anchor = query.anchor(batch[-1])
        walked += len(batch)
        if more is None and literals and walked >= WALK:
            held = [trigrams.holding(literal) for literal in literals]
            more = where.Sql(" AND ".join(sql for sql, _params in held), [value for _sql, ps in held for value in ps])


# --- counts -----------------------------------------------------------------------------------------------------------


def _counts(query: Query, first: Row | None, exact: bool) -> tuple[int | None, bool, int | None]:
    """The total, whether counting stopped before the end, and how many stand before the row `first`."""
    if not exact:
        return _counted_by_scan(query, first)
    total = _exact_total(query)
    capped = total > COUNT_CAP
    start = None
    if first is not None:
        text, params = query.select("1", anchor=query.anchor(first), forward=False, limit=COUNT_CAP + 1, scope=False)
        before = _number(f"SELECT count(*) FROM ({text}) AS before", params)
        start = before if before <= COUNT_CAP else None
    return min(total, COUNT_CAP), capped, start


def _exact_total(query: Query) -> int:
    """Counts index entries where the driver says it all, and takes off what has expired but is not swept yet."""
    if query.rest.text != where.TRUE:
        text, params = query.select("1", limit=COUNT_CAP + 1, scope=False)
        return _number(f"SELECT count(*) FROM ({text}) AS found", params)
    if query.by_pair and query.driver:
        total = query._pair_count(query.driver, COUNT_CAP + 1)
    else:
        source, driving, params = query.source()
        total = _number(
            f"SELECT count(*) FROM (SELECT 1 FROM {source} WHERE {driving} LIMIT %s) AS found",
            [*params, COUNT_CAP + 1],
        )
    if total > COUNT_CAP:
        return total
    driver = where.superset(query.driver, query.bank) if query.driver else where.Sql(where.TRUE)
    gone = _number(
        "SELECT count(*) FROM server_memory m WHERE m.bank_id = %s AND m.expire_time IS NOT NULL"
        f" AND m.expire_time <= %s AND {driver.text}",
        [query.bank, query.now, *driver.params],
    )
    return total - gone


def _counted_by_scan(query: Query, first: Row | None) -> tuple[int | None, bool, int | None]:
    until = time.monotonic() + COUNT_SECONDS
    total, start = 0, None
    for row in _matching(query, anchor=None, forward=True, until=until):
        if row is None:
            return total, True, start
        if first is not None and row[0] == first[0]:
            start = total
        total += 1
        if total > COUNT_CAP:
            return COUNT_CAP, True, start
    return total, False, start


def query_of(
    bank: str, *, filter: str, order_by: str, condition: Condition, fields: dict[filters.Path, filters.Kind]
) -> Query:
    tree = filters.check(filters.parse(filter), fields) if filter.strip() else None
    return Query(bank, tree, order_of(order_by), condition, clock.now())
