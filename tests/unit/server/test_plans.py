"""How SQLite reads a list: an index range in list order, whatever the filter's pair and however deep the page."""

import re

import pytest
from django.db import connection

from memories.access.checks import EVERYTHING
from memories.server import listing, where
from memories.server.models import Bank
from memories.server.query import Query, order_of
from memories.wire.filters import MEMORY_FIELDS
from tests.unit.server.conftest import START, Put

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's plans"),
]

ANCHOR = (START + 5, 5)


def plan(sql: where.Sql) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql.text}", sql.params)
        return [row[3] for row in cursor.fetchall()]


def query(bank: Bank, filter: str, order: str) -> Query:
    return listing.query_of(bank.pk, filter=filter, order_by=order, condition=EVERYTHING, fields=MEMORY_FIELDS)


BY_TIME = {"create_time": "created", "update_time": "updated"}


@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize("anchor", [None, ANCHOR])
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("order", ["create_time desc", "create_time", "update_time desc"])
@pytest.mark.parametrize(
    ("filter", "index"),
    [
        ("", "memory_{}"),
        ('scope.user_id="u"', "pair_{}"),
        ('topics.managed_memory_topic="USER_PREFERENCES"', "pair_{}"),
        ('scope="{\\"user_id\\": \\"u\\"}"', "memory_scope_{}"),
        ('scope.user_id="u" AND NOT fact="x"', "pair_{}"),
        ('scope.user_id="u" AND {}>="2026-01-01T00:00:00Z" AND {}<"2026-02-01T00:00:00Z"', "pair_{}"),
        ('{}>="2026-01-01T00:00:00Z"', "memory_{}"),
    ],
)
def test_one_index_range_in_list_order(
    bank: Bank,
    put: Put,
    filter: str,
    index: str,
    order: str,
    forward: bool,
    anchor: tuple[int, int] | None,
    analyzed: bool,
) -> None:
    put([str(n) for n in range(50)])
    if analyzed:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    (time, _descending), *_ = order_of(order)
    asked = query(bank, filter.replace("{}", time), order)
    wanted = index.format(BY_TIME[time])
    walk = plan(asked.select(where.Record.keys, anchor=anchor, forward=forward, limit=50))
    assert re.search(rf"SEARCH [mp] USING (COVERING )?INDEX {wanted} ", walk[0])
    assert not any("TEMP B-TREE" in line or line.startswith("SCAN") for line in walk)
    if anchor or ">=" in filter:
        assert re.search(rf"{time}[<>]", walk[0])
    whole = plan(asked.select(where.Record.columns, anchor=anchor, forward=forward, limit=50))
    assert any(f"INDEX {wanted} " in line for line in whole)


def test_a_count_reads_the_index_alone(bank: Bank, put: Put) -> None:
    put(["a"])
    for filter in ("", 'scope.user_id="u"', 'scope.user_id="u" AND create_time>="2026-01-01T00:00:00Z"'):
        asked = query(bank, filter, "")
        assert asked.plain
        entries = asked.entries(anchor=ANCHOR, forward=True)
        table = "server_pair p" if asked.alias == "p" else "server_memory m"
        (line,) = plan(where.Sql(f"SELECT 1 FROM {table} WHERE {entries.text} LIMIT 10", entries.params))
        assert "COVERING INDEX" in line


def test_what_has_expired_is_found_by_its_index(bank: Bank, put: Put) -> None:
    put(["a"])
    for filter in ("", 'scope.user_id="u"'):
        assert "memory_expiring" in plan(query(bank, filter, "").expired(anchor=ANCHOR, forward=True))[0]


@pytest.mark.parametrize("filter", ["fact:tea", 'fact=~".*tea.*"', 'fact=~"(?i).*cat.*"', 'fact:tea AND scope.a="b"'])
def test_a_text_comes_from_the_trigram_index(bank: Bank, put: Put, filter: str) -> None:
    put(["a"])
    lines = plan(query(bank, filter, "").from_index(anchor=ANCHOR, forward=True, limit=10))
    assert any("VIRTUAL TABLE INDEX 0:L0" in line for line in lines)
    assert any("m USING INTEGER PRIMARY KEY" in line for line in lines)
    assert not any(re.match(r"SCAN m\b|SEARCH m USING INDEX", line) for line in lines)
