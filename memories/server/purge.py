"""PurgeMemories: everything in a bank that matches, counted or deleted at once.

Set by set, not one by one; what is left is what a single deletion leaves: a tombstone and a revision for each memory.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from memories.access.checks import Condition
from memories.server import clock, limits, policy, records, store, trigrams, where
from memories.server.models import Bank
from memories.server.query import Query, order_of
from memories.wire import filters, metadata, resources
from memories.wire.errors import DeadlineExceeded, InvalidArgument
from memories.wire.resources import MemoryConjunctionFilter

SECONDS = 30.0  # for finding what matches
_ALL = 1 << 62
_BATCH = 1000


@dataclass(frozen=True)
class Doomed:
    """What is to be purged: the two filters, both of which must hold, within what the caller may touch."""

    query: Query
    groups: tuple[MemoryConjunctionFilter, ...]

    @property
    def exact(self) -> bool:
        """Whether the database alone can tell."""
        return not self.groups and self.query.rest.exact

    def numbers(self) -> where.Sql:
        found = self.query.select(where.Record.keys, anchor=None, forward=True, limit=_ALL)
        return where.Sql(f"SELECT id FROM ({found.text}) AS matching", found.params)

    def tested(self) -> list[int]:
        """The row numbers of what passes the exact test."""
        tree = self.query.narrowed
        whole = filters.predicate(tree) if tree and not self.query.rest.exact else None
        groups = metadata.predicate(self.groups)
        found = self.query.select(where.Record.columns, anchor=None, forward=True, limit=_ALL)
        kept: list[int] = []
        with limits.within(SECONDS) as check, connection.cursor() as cursor:
            cursor.execute(found.text, found.params)
            while rows := cursor.fetchmany(_BATCH):
                kept += [
                    row[0]
                    for row in rows
                    if groups(json.loads(row[14] or "{}")) and (whole is None or whole(where.Record(row)))
                ]
                check()
        return kept


def doomed(
    bank: Bank, *, filter: str, groups: Sequence[MemoryConjunctionFilter], conditions: Sequence[Condition]
) -> Doomed:
    """InvalidArgument for a filter that cannot be used, or none at all."""
    if not filter.strip() and not groups:
        raise InvalidArgument.at("filter", "set filter, filterGroups or both; without them everything would match.")
    metadata.check(groups)
    tree = filters.check(filters.parse(filter)) if filter.strip() else None
    *more, last = conditions
    for condition in more:
        tree = where.under(tree, condition)
    return Doomed(Query(bank.pk, tree, order_of(""), last, clock.now()), tuple(groups))


def count(found: Doomed) -> int:
    try:
        if not found.exact:
            return len(found.tested())
        sql = found.numbers()
        with limits.within(SECONDS), connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM ({sql.text}) AS counted", sql.params)
            return int(cursor.fetchone()[0])
    except limits.TimedOut:
        raise _slow() from None


def _slow() -> DeadlineExceeded:
    return DeadlineExceeded(
        f"What matches could not be found within {SECONDS:g} seconds, and nothing was purged. Narrow the filter."
    )


def purge(bank: Bank, found: Doomed) -> int:
    """How many were deleted; all of them or none."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE doomed (id bigint PRIMARY KEY, scope_id bigint)")
        _collect(found)
        cursor.execute("SELECT count(*) FROM doomed")
        total = int(cursor.fetchone()[0])
        if total:
            _keep(bank)
            with trigrams.fewer(total):
                _remove(clock.now())
        cursor.execute("DROP TABLE doomed")  # an error takes it away with the rest of the transaction
    return total


def _collect(found: Doomed) -> None:
    try:
        with connection.cursor() as cursor:
            if found.exact:
                sql = found.numbers()
                with limits.within(SECONDS):
                    cursor.execute(f"INSERT INTO doomed (id) {sql.text}", sql.params)
            else:
                numbers = found.tested()
                cursor.executemany("INSERT INTO doomed (id) VALUES (%s)", [(number,) for number in numbers])
            if connection.vendor == "postgresql":
                cursor.execute(
                    "SELECT 1 FROM server_memory m WHERE m.id IN (SELECT id FROM doomed) ORDER BY m.id FOR UPDATE"
                )
            cursor.execute("UPDATE doomed SET scope_id = m.scope_id FROM server_memory m WHERE m.id = doomed.id")
            cursor.execute("DELETE FROM doomed WHERE scope_id IS NULL")  # deleted meanwhile
    except limits.TimedOut:
        raise _slow() from None


def _keep(bank: Bank) -> None:
    """Tombstones and revisions, as `store.bury` makes them; none where the bank keeps no revisions."""
    config = store.config_of(bank)
    if config.disable_memory_revisions:
        return
    now = clock.now()
    expires = policy.revision_expiry(resources.Memory(), config, now=now)
    at = f"{'GREATEST' if connection.vendor == 'postgresql' else 'max'}(%s, m.update_time + 1)"
    source = "FROM doomed d JOIN server_memory m ON m.id = d.id JOIN server_scope s ON s.id = m.scope_id"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO server_tombstone (bank_id, memory_id, memory, delete_time)"
            f" SELECT m.bank_id, m.memory_id, {_as_json()}, {at} {source}",
            [str(records.bank_name(bank)), now],
        )
        # An id need only be the memory's own, so one will do for all.
        cursor.execute(
            "INSERT INTO server_revision (bank_id, memory_id, revision_id, create_time, expire_time, fact, data,"
            f" labels, extracted, context) SELECT m.bank_id, m.memory_id, %s, {at}, %s, '', '', '', '', '' {source}",
            [clock.new_id(), now, expires],
        )


def _as_json() -> str:
    """SQL for the memory `m` in the scope `s` as `records.memory` has it; its parameter is the bank's name."""
    text = "to_json({}::text)::text" if connection.vendor == "postgresql" else "json_quote({})"
    parts = [
        "'{\"name\":\"' || CAST(%s AS text) || '/memories/' || m.memory_id || '\"'",
        f"',\"createTime\":' || {_stamp('m.create_time')}",
        f"',\"updateTime\":' || {_stamp('m.update_time')}",
        "',\"scope\":' || s.canonical",
        "',\"memoryType\":\"' || m.memory_type || '\"'",
    ]
    for column, name in (
        ("fact", "fact"),
        ("display_name", "displayName"),
        ("description", "description"),
        ("context", "context"),
    ):
        quoted = text.format(f"m.{column}")
        parts.append(f"CASE WHEN m.{column} = '' THEN '' ELSE ',\"{name}\":' || {quoted} END")
    for column in ("topics", "metadata"):
        parts.append(f"CASE WHEN m.{column} = '' THEN '' ELSE ',\"{column}\":' || m.{column} END")
    schema = text.format("m.schema_id")
    parts.append(
        "CASE WHEN m.data = '' THEN '' ELSE"
        f" ',\"structuredContent\":{{\"schemaId\":' || {schema} || ',\"data\":' || m.data || '}}' END"
    )
    parts.append(f"CASE WHEN m.expire_time IS NULL THEN '' ELSE ',\"expireTime\":' || {_stamp('m.expire_time')} END")
    return " || ".join([*parts, "'}'"])


def _stamp(column: str) -> str:
    """SQL for microseconds as a timestamp in quotes."""
    if connection.vendor == "postgresql":
        moment = f"timestamp '1970-01-01' + {column} * interval '1 microsecond'"
        return f"'\"' || to_char({moment}, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') || '\"'"
    rest = f"(({column} %% 1000000 + 1000000) %% 1000000)"
    day = f"strftime('\"%%Y-%%m-%%dT%%H:%%M:%%S', ({column} - {rest}) / 1000000, 'unixepoch')"
    return f"{day} || printf('.%%06dZ\"', {rest})"


def _remove(now: int) -> None:
    with connection.cursor() as cursor:
        for table, column in (("pair", "memory_id"), ("vector", "memory_id"), ("memory", "id")):
            cursor.execute(f"DELETE FROM server_{table} WHERE {column} IN (SELECT id FROM doomed)")
        cursor.execute(
            "UPDATE server_scope SET count = server_scope.count - d.n, version = server_scope.version + 1,"
            " last_write = %s FROM (SELECT scope_id, count(*) AS n FROM doomed GROUP BY scope_id) AS d"
            " WHERE d.scope_id = server_scope.id",
            [now],
        )
        empty = "SELECT id FROM server_scope WHERE count <= 0 AND id IN (SELECT scope_id FROM doomed)"
        cursor.execute(f"DELETE FROM server_facet WHERE scope_id IN ({empty})")
        cursor.execute(f"DELETE FROM server_scope WHERE id IN ({empty})")
