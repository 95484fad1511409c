"""What ListMemories reads, as SQL: an index range (of a pair, a scope or the bank) in list order, and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db import connection

from memories.access.checks import Condition
from memories.server import trigrams, where
from memories.wire import filters
from memories.wire.errors import InvalidArgument

type Row = Sequence[object]
type Anchor = tuple[int, ...]
"""The times of the order and the row's number."""
type Order = tuple[tuple[str, bool], ...]
"""Columns of time, each with whether it descends."""

FEW = 1000  # memories that are sorted for a page rather than walked to

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
        return min(pairs, key=self._rarity)

    def _rarity(self, part: filters.Restriction) -> int:
        pair = where.pair(part, self.bank)
        text = f"SELECT count(*) FROM (SELECT 1 FROM server_pair p WHERE {pair.text} LIMIT %s) AS counted"
        return number(text, [*pair.params, FEW + 1])

    @cached_property
    def few(self) -> where.Sql | None:
        """Numbers of memories that hold all matches, from the pairs of an OR, if they are at most FEW."""
        if self.driver is not None:
            return None
        for part in self.parts:
            pairs = where.pairs_of(part)
            if pairs and sum(map(self._rarity, pairs)) <= FEW:
                found = [where.pair(one, self.bank) for one in pairs]
                text = " UNION ".join(f"SELECT p.memory_id AS id FROM server_pair p WHERE {one.text}" for one in found)
                return where.Sql(text, [value for one in found for value in one.params])
        return None

    @cached_property
    def bounds(self) -> list[filters.Restriction]:
        """The ranges of the ordering time, which narrow the index range."""
        return [part for part in self.parts if where.is_bound(part, self.order[0][0])]

    @cached_property
    def rest(self) -> where.Sql:
        """What the index range does not decide."""
        parts = [part for part in self.parts if part is not self.driver and part not in self.bounds]
        return where.every([where.superset(part, self.bank) for part in parts])

    @property
    def plain(self) -> bool:
        """Whether the index range says it all."""
        return self.rest.exact and self.rest.text == where.TRUE

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return where.texts(self.parts)

    @cached_property
    def alias(self) -> str:
        """The table whose index is walked: of pairs or of memories."""
        return "p" if self.driver is not None and where.is_pair(self.driver) else "m"

    @cached_property
    def range(self) -> where.Sql:
        bounds = [where.bound(part, self.alias) for part in self.bounds]
        if self.driver is None:
            return where.every([where.Sql("m.bank_id = %s", [self.bank]), *bounds])
        if self.alias == "p":
            return where.every([where.pair(self.driver, self.bank), *bounds])
        exact = where.superset(self.driver, self.bank)
        return where.every([where.Sql(exact.text.replace(" IN (", " = (", 1), exact.params), *bounds])

    @property
    def live(self) -> where.Sql:
        return where.Sql("m.expire_time IS NULL OR m.expire_time > %s", [self.now])

    def _names(self, alias: str, *, forward: bool) -> list[tuple[str, bool]]:
        names = [(f"{alias}.{name}", descending == forward) for name, descending in self.order]
        return [*names, ("p.memory_id" if alias == "p" else "m.id", self.order[0][1] == forward)]

    def _order(self, alias: str, *, forward: bool) -> str:
        names = self._names(alias, forward=forward)
        return ", ".join(f"{name} {'DESC' if descending else 'ASC'}" for name, descending in names)

    def _beyond(self, anchor: Anchor, *, forward: bool, alias: str, at: str = "") -> where.Sql:
        """What follows the anchor in that direction; the anchor's own row too where `at` is "="."""
        return _beyond(self._names(alias, forward=forward), anchor, at)

    def entries(self, *, anchor: Anchor | None, forward: bool) -> where.Sql:
        """The part of the index range beyond the anchor."""
        if anchor is None:
            return self.range
        return where.every([self.range, self._beyond(anchor, forward=forward, alias=self.alias)])

    def select(
        self, columns: str, *, anchor: Anchor | None, forward: bool, limit: int, until: Anchor | None = None
    ) -> where.Sql:
        """What SQL knows to match, in list order (turned round where not `forward`), beyond the anchor.

        `until` ends the walk, itself included.
        """
        found = [self.entries(anchor=anchor, forward=forward), self.rest, self.live]
        source = "server_memory m"
        if self.alias == "p":
            # CROSS JOIN keeps SQLite from turning the order of the two tables round.
            source = "server_pair p CROSS JOIN server_memory m"
            found.insert(0, where.Sql("m.id = p.memory_id"))
        elif self.few:
            source = f"({self.few.text}) AS few CROSS JOIN server_memory m"
            found.insert(0, where.Sql("m.id = few.id", self.few.params))
        if until:
            found.append(self._beyond(until, forward=not forward, alias=self.alias, at="="))
        condition = where.every(found)
        order = self._order(self.alias, forward=forward)
        keys = f"SELECT {where.Record.keys} FROM {source} WHERE {condition.text} ORDER BY {order} LIMIT %s"
        params = [*condition.params, limit]
        if columns == where.Record.keys:
            return where.Sql(keys, params)
        # The page first, then its scopes: the join must not disturb the order of the walk.
        text = (
            f"SELECT {columns} FROM ({keys}) AS page JOIN server_memory m ON m.id = page.id"
            f" JOIN server_scope s ON s.id = m.scope_id ORDER BY {self._order('m', forward=forward)}"
        )
        return where.Sql(text, params)

    def end(self, *, anchor: Anchor | None, forward: bool, size: int) -> Anchor | None:
        """Where the next `size` entries of the index range end; None where there are fewer."""
        entries = self.entries(anchor=anchor, forward=forward)
        names = ", ".join(name for name, _descending in self._names(self.alias, forward=forward))
        table = "server_pair" if self.alias == "p" else "server_memory"
        order = self._order(self.alias, forward=forward)
        text = f"SELECT {names} FROM {table} {self.alias} WHERE {entries.text} ORDER BY {order} LIMIT 1 OFFSET %s"
        found = rows(where.Sql(text, [*entries.params, size - 1]))
        return tuple(map(_int, found[0])) if found else None

    def from_index(self, *, anchor: Anchor | None, forward: bool, limit: int) -> where.Sql:
        """The keys of what SQL knows to match beyond the anchor, in no order, by the trigram index."""
        source, holding, params = trigrams.holding(self.texts)
        found = [where.Sql(holding, params), where.Sql("m.bank_id = %s", [self.bank]), self.live]
        found += [where.superset(part, self.bank) for part in self.parts]
        if anchor is not None:
            found.append(self._beyond(anchor, forward=forward, alias="m"))
        condition = where.every(found)
        text = f"SELECT {where.Record.keys} FROM {source} WHERE {condition.text} LIMIT %s"
        return where.Sql(text, [*condition.params, limit])

    def with_numbers(self, numbers: Sequence[int]) -> where.Sql:
        """Those rows, in no order."""
        marks = ", ".join(["%s"] * len(numbers))
        text = (
            f"SELECT {where.Record.columns} FROM server_memory m JOIN server_scope s ON s.id = m.scope_id"
            f" WHERE m.id IN ({marks})"
        )
        return where.Sql(text, [*numbers])

    def expired(self, *, anchor: Anchor | None, forward: bool) -> where.Sql:
        """How many of the entries beyond the anchor have expired and are not swept yet."""
        found = [where.Sql("m.bank_id = %s AND m.expire_time <= %s", [self.bank, self.now])]
        found += [where.superset(part, self.bank) for part in (self.driver, *self.bounds) if part is not None]
        if anchor is not None:
            found.append(self._beyond(anchor, forward=forward, alias="m"))
        condition = where.every(found)
        return where.Sql(f"SELECT count(*) FROM server_memory m WHERE {condition.text}", condition.params)

    def anchor(self, row: Row) -> Anchor:
        index = {"create_time": 6, "update_time": 7}
        return (*(_int(row[index[name]]) for name, _descending in self.order), _int(row[0]))

    def sorted(self, found: list[Row], *, forward: bool) -> list[Row]:
        """The rows in list order."""
        signs = [-1 if descending else 1 for _name, descending in self._names("m", forward=forward)]
        return sorted(found, key=lambda row: [s * at for s, at in zip(signs, self.anchor(row), strict=True)])


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a number, found {type(value)}")
    return value


def _beyond(names: list[tuple[str, bool]], anchor: Anchor, at: str) -> where.Sql:
    """The keyset: `t <= a AND (t < a OR id < b)`, which an index walks; a plain OR it would not."""
    (name, descending), *more = names
    sign = "<" if descending else ">"
    if not more:
        return where.Sql(f"{name} {sign}{at} %s", [anchor[0]])
    inner = _beyond(more, anchor[1:], at)
    return where.Sql(
        f"({name} {sign}= %s AND ({name} {sign} %s OR {inner.text}))", [anchor[0], anchor[0], *inner.params]
    )


def number(text: str, params: Sequence[str | int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return int(cursor.fetchone()[0])


def rows(sql: where.Sql) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(sql.text, sql.params)
        return list(cursor.fetchall())
