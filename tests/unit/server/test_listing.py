"""Lists against the exact test, over made-up rows and filters; pages, counts, expiry and limits."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.access.checks import EVERYTHING, NOTHING, Condition
from memories.server import clock, listing, where
from memories.server.limits import Limits
from memories.server.models import Bank, Memory
from memories.server.query import Query, Row, order_of, rows
from memories.server.store import insert
from memories.wire import filters, resources, scopes
from memories.wire.errors import DeadlineExceeded, InvalidArgument
from memories.wire.filters import MEMORY_FIELDS, And, Node, Not, Or, Restriction
from memories.wire.pages import Cursor
from memories.wire.times import Timestamp
from tests.unit.server.conftest import START, Put, bank_named

pytestmark = pytest.mark.django_db

SMALL = Limits(page=60, count=60, window=1, held=3)  # so that few rows pass through every way of walking
ORDERS = [
    *("", "create_time", "update_time", "update_time desc", "create_time,update_time desc"),
    *("update_time desc,create_time",),
]


def query(bank: Bank, filter: str = "", *, order: str = "", condition: Condition = EVERYTHING) -> Query:
    return listing.query_of(bank.pk, filter=filter, order_by=order, condition=condition, fields=MEMORY_FIELDS)


def facts(found: listing.Page) -> list[object]:
    return [row[2] for row in found.rows]


# --- against the exact test -------------------------------------------------------------------------------------------

KEYS, VALUES = ["user_id", "app", "k.é"], ["u", "v", "ünit", "U"]
WORDS = ["cat", "Peanut", "peanuts", "CAFÉ", "straße", "J\u030c", "x", "50%_", "\n"]
TOPICS = ["USER_PREFERENCES", "USER_PERSONAL_INFO"]
LABELS = ["a", "b c"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
times = st.integers(0, 3).map(lambda n: START + n * 1_000_000)
topics = st.one_of(
    st.sampled_from(TOPICS).map(lambda one: {"managedMemoryTopic": one}),
    st.sampled_from(LABELS).map(lambda one: {"customMemoryTopicLabel": one}),
)


@st.composite
def memories(draw: st.DrawFn) -> resources.Memory:
    created, later = draw(times), draw(st.integers(0, 2))
    found: dict[str, object] = {
        "scope": draw(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1)),
        "createTime": Timestamp.of_micros(created),
        "updateTime": Timestamp.of_micros(created + later * 1_000_000),
        "topics": draw(st.lists(topics, max_size=2)),
    }
    if draw(st.integers(0, 4)):
        found["fact"] = draw(texts)
    else:
        found |= {"memoryType": "STRUCTURED_PROFILE", "structuredContent": {"schemaId": "s", "data": {"x": 1}}}
    if draw(st.booleans()):
        found["displayName"] = draw(texts)
    if not draw(st.integers(0, 3)):
        found["expireTime"] = Timestamp.of_micros(draw(st.sampled_from([START, clock.now() + 10**12])))
    return resources.Memory.receive(found)


def one(field: tuple[str, ...], ops: str, values: st.SearchStrategy[str | int]) -> st.SearchStrategy[Node]:
    return st.builds(Restriction, st.just(field), st.sampled_from(ops.split()), values)


contents = st.sampled_from([*WORDS, *(word[:3] for word in WORDS), "eanu", "ss", ""])
sources = st.one_of(
    contents.map(filters.containing),
    st.sampled_from([".*", "", "(?i).*cat.*", ".*cat", ".*[a-z]+nut.*", "(?i).*j.*", ".*J.*", "(cat|x).*", ".*t .*"]),
)
scope = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1)
restrictions = st.one_of(
    one(("fact",), "= != :", contents),
    one(("fact",), "=~", sources),
    one(("display_name",), "= != :", contents),
    one(("display_name",), "=~", sources),
    *(one(("scope", key), "= !=", st.sampled_from(VALUES)) for key in KEYS),
    *(one(("scope", key), ":", st.sampled_from(["", "u", "É"])) for key in KEYS),
    *(one(("scope", key), "=~", sources) for key in KEYS),
    *(one((name,), "= != < <= > >=", times) for name in ("create_time", "update_time", "expire_time")),
    one(("topics", "managed_memory_topic"), "= != :", st.sampled_from(TOPICS)),
    one(("topics", "custom_memory_topic_label"), "= != :", st.sampled_from([*LABELS, ""])),
    one(("memory_type",), "= != :", st.sampled_from(filters.MEMORY_TYPES)),
    st.builds(lambda op, value: Restriction(("scope",), op, scopes.canonical(value)), st.sampled_from("="), scope),
    st.builds(lambda value: Restriction(("scope",), "!=", scopes.canonical(value)), scope),
)
trees = st.recursive(
    restrictions,
    lambda inner: st.one_of(
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(Not, inner),
    ),
    max_leaves=5,
)
conditions = st.one_of(
    st.just(EVERYTHING),
    st.lists(scope.map(lambda found: list(found.items())), min_size=1, max_size=2).map(Condition.of),
)


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def expected(bank: Bank, tree: Node | None, order: str, condition: Condition) -> list[Row]:
    """What should be listed, from all rows and the exact test alone."""
    by = query(bank, order=order)
    text = f"SELECT {where.Record.columns} FROM server_memory m JOIN server_scope s ON s.id = m.scope_id WHERE bank"
    found = rows(where.Sql(text.replace("WHERE bank", "WHERE m.bank_id = %s"), [bank.pk]))
    matches = filters.predicate(tree) if tree else lambda record: True
    kept = [row for row in found if row[8] is None or int(str(row[8])) > by.now]
    kept = [row for row in kept if condition.covers(scopes.parse(str(row[9])))]
    return by.sorted([row for row in kept if matches(where.Record(row))], forward=True)


def uncounted(page: listing.Page, before: int, most: int) -> bool:
    """Whether the start may be missing: of a page too deep to count, and of the last one of too many."""
    return page.start is None and page.capped and (before > most or page.next is None)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    new=st.lists(memories(), max_size=12),
    tree=st.one_of(st.none(), trees),
    order=st.sampled_from(ORDERS),
    condition=conditions,
    size=st.integers(1, 5),
    limits=st.sampled_from(
        [SMALL, Limits(page=60, count=60), Limits(page=60, count=60, window=1, counted=4, tested=3)]
    ),
)
def test_a_list_is_what_the_exact_test_says(
    bank: Bank,
    new: list[resources.Memory],
    tree: Node | None,
    order: str,
    condition: Condition,
    size: int,
    limits: Limits,
) -> None:
    with undone():
        insert(bank, [("", memory) for memory in new], timed=True)
        insert(bank_named("another"), [("", memory) for memory in new], timed=True)
        want = expected(bank, tree, order, condition)
        asked = Query(bank.pk, tree, order_of(order), condition, clock.now())
        most = limits.counted if asked.plain else limits.tested
        everything = listing.page(asked, size=100, cursor=None, limits=limits)
        assert everything.rows == want
        assert (everything.capped, everything.total) == (False, len(want))

        forwards: list[Row] = []
        cursor: Cursor | None = None
        while True:
            page = listing.page(asked, size=size, cursor=cursor, limits=limits)
            assert page.start == len(forwards) or uncounted(page, len(forwards), most)
            assert (page.previous is not None) == bool(forwards)
            assert (page.last is None) == (page.next is None)
            forwards += page.rows
            cursor = page.next
            if cursor is None:
                break
            assert len(page.rows) == size
        assert forwards == want

        backwards: list[Row] = []
        cursor = Cursor(None, "previous")
        while cursor is not None:
            page = listing.page(asked, size=size, cursor=cursor, limits=limits)
            assert (page.next is not None) == bool(backwards)
            backwards = page.rows + backwards
            cursor = page.previous
            before = len(want) - len(backwards)
            assert page.start == before or uncounted(page, before, most)
        assert backwards == want


# --- pages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_equal_times_are_walked_through_both_ways(bank: Bank, put: Put, order: str) -> None:
    put([str(n) for n in range(25)], step=0)
    first = listing.page(query(bank, order=order), size=10, cursor=None)
    second = listing.page(query(bank, order=order), size=10, cursor=first.next)
    third = listing.page(query(bank, order=order), size=10, cursor=second.next)
    seen = facts(first) + facts(second) + facts(third)
    assert sorted(map(str, seen)) == sorted(map(str, range(25)))
    assert [(page.start, page.total) for page in (first, second, third)] == [(0, 25), (10, 25), (20, 25)]
    assert third.next is None
    assert facts(listing.page(query(bank, order=order), size=10, cursor=third.previous)) == facts(second)
    assert facts(listing.page(query(bank, order=order), size=10, cursor=second.previous)) == facts(first)
    last = listing.page(query(bank, order=order), size=10, cursor=first.last)
    assert facts(last) == seen[15:]
    assert (last.start, last.next) == (15, None)


def test_who_may_see_nothing_sees_none(bank: Bank, put: Put) -> None:
    put(["a"])
    page = listing.page(query(bank, condition=NOTHING), size=10, cursor=None)
    assert (page.rows, page.total, page.start) == ([], 0, 0)


@pytest.mark.parametrize("order", ["fact", "create_time down", "create_time,create_time", "create_time,", "desc"])
def test_an_order_that_is_none(bank: Bank, order: str) -> None:
    with pytest.raises(InvalidArgument):
        query(bank, order=order)


@pytest.mark.parametrize(
    "filter", ["", 'scope.user_id="u"', "fact:tea", 'fact=~".*tea.*"', "NOT memory_type=STRUCTURED_PROFILE"]
)
def test_what_has_expired_is_gone_and_not_counted(bank: Bank, put: Put, filter: str) -> None:
    kept = put(["tea 1", "tea 2", "tea 3", "tea 4"])
    Memory.objects.filter(pk__in=[kept[0].pk, kept[2].pk]).update(expire_time=clock.now() - 1)
    Memory.objects.filter(pk=kept[3].pk).update(expire_time=clock.now() + 10**12)
    page = listing.page(query(bank, filter), size=1, cursor=None)
    assert (facts(page), page.total) == (["tea 4"], 2)
    page = listing.page(query(bank, filter), size=1, cursor=page.next)
    assert (facts(page), page.total, page.start, page.next) == (["tea 2"], 2, 1, None)


def test_a_cap_that_only_expired_rows_reach_is_no_cap(bank: Bank, put: Put) -> None:
    kept = put([str(n) for n in range(8)])
    Memory.objects.filter(pk__in=[row.pk for row in kept[:3]]).update(expire_time=clock.now() - 1)
    page = listing.page(query(bank), size=3, cursor=None, limits=Limits(counted=6))
    assert (page.total, page.capped) == (5, False)
    page = listing.page(query(bank), size=3, cursor=None, limits=Limits(counted=4))
    assert (page.total, page.capped) == (4, True)


def test_a_memory_without_a_fact_has_none(bank: Bank, put: Put) -> None:
    put([""], memoryType="STRUCTURED_PROFILE", structuredContent={"schemaId": "s", "data": {"x": 1}})
    put(["tea"])
    for filter in ('fact=~".*"', 'fact:""', 'NOT fact=""', 'fact!="tea"', 'NOT fact=~".*"'):
        want = [row[2] for row in expected(bank, filters.check(filters.parse(filter)), "", EVERYTHING)]
        assert facts(listing.page(query(bank, filter), size=10, cursor=None)) == want
    assert facts(listing.page(query(bank, 'fact=~".*"'), size=10, cursor=None)) == ["tea"]


# --- limits -----------------------------------------------------------------------------------------------------------


@contextmanager
def a_second_for_each_statement() -> Iterator[Callable[[], float]]:
    """A clock that moves with what the database is asked."""
    asked, now = itertools.count(1), [0]

    def run(execute: Callable[..., Any], *arguments: Any) -> Any:
        now[0] = next(asked)
        return execute(*arguments)

    with connection.execute_wrapper(run):
        yield lambda: float(now[0])


WALKED = ['fact=~".*[aeiou]+ .*"', 'fact=~".*tea.*"', "fact:tea"]


@pytest.mark.parametrize("filter", WALKED)
def test_a_page_cut_short_leads_on(bank: Bank, put: Put, filter: str) -> None:
    put([f"tea {n}" for n in range(40)])
    asked = query(bank, filter)
    seen: list[object] = []
    cursor: Cursor | None = None
    cut = 0
    while True:
        with a_second_for_each_statement() as seconds:
            limits = Limits(page=3.5, count=1000, window=2, clock=seconds)
            page = listing.page(asked, size=30, cursor=cursor, limits=limits)
        seen += facts(page)
        if page.next is None:
            break
        cut += len(page.rows) < 30
        cursor = page.next
    assert cut
    assert seen == [f"tea {n}" for n in reversed(range(40))]


@pytest.mark.parametrize("filter", WALKED)
def test_a_page_cut_short_leads_on_backwards(bank: Bank, put: Put, filter: str) -> None:
    put([f"tea {n}" for n in range(40)])
    asked = query(bank, filter)
    seen: list[object] = []
    cursor: Cursor | None = Cursor(None, "previous")
    while cursor is not None:
        with a_second_for_each_statement() as seconds:
            limits = Limits(page=3.5, count=1000, window=2, clock=seconds)
            page = listing.page(asked, size=30, cursor=cursor, limits=limits)
        seen = facts(page) + seen
        cursor = page.previous
    assert seen == [f"tea {n}" for n in reversed(range(40))]


def test_one_match_in_time_is_no_page(bank: Bank, put: Put) -> None:
    put(["milk", "milk", "milk", "tea"])
    with a_second_for_each_statement() as seconds:
        limits = Limits(page=1.5, window=1, clock=seconds)
        with pytest.raises(DeadlineExceeded, match="Narrow the filter"):
            listing.page(query(bank, 'fact=~".*t[e]a"'), size=2, cursor=None, limits=limits)


@pytest.mark.parametrize("filter", ['fact=~".*t[e]a.*"', 'fact=~".*tea.*"', "fact:tea"])
def test_a_count_not_finished_is_none(bank: Bank, put: Put, filter: str) -> None:
    put([f"tea {n}" for n in range(9)])
    asked = query(bank, filter)
    first = listing.page(asked, size=3, cursor=None)
    limits = Limits(count=-1, window=1)
    page = listing.page(asked, size=3, cursor=first.next, limits=limits)
    assert (page.total, page.capped, page.start) == (None, False, None)
    page = listing.page(asked, size=3, cursor=None, limits=limits)
    assert (page.total, page.capped, page.start) == (None, False, 0)


FAR = 'NOT memory_type=NATURAL_LANGUAGE_COLLECTION AND scope.user_id="u"'


def test_a_statement_that_runs_on_is_stopped(bank: Bank, put: Put) -> None:
    put(["x"] * 3000)
    if connection.vendor == "postgresql":  # which looks at the tables by itself, but not within this transaction
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE server_memory, server_pair")
    with pytest.raises(DeadlineExceeded):
        listing.page(query(bank, FAR), size=3, cursor=None, limits=Limits(page=0.0))
    near = query(bank, "NOT memory_type=STRUCTURED_PROFILE")
    page = listing.page(near, size=3, cursor=None, limits=Limits(count=0.0, tested=5000))
    assert (len(page.rows), page.total, page.capped) == (3, None, False)
    page = listing.page(near, size=3, cursor=None)
    assert (page.total, page.capped) == (1000, True)
    assert listing.page(near, size=3, cursor=None, limits=Limits(tested=5000)).total == 3000
    # What fits on the first page needs no counting, and an index range no limit.
    assert listing.page(query(bank, FAR), size=3, cursor=None, limits=Limits(count=0.0)).total == 0
    assert listing.page(query(bank), size=3, cursor=None, limits=Limits(page=0.0)).total == 3000


def test_a_few_of_an_or_are_not_walked_to(bank: Bank, put: Put) -> None:
    put(["a"] * 3, scope={"user_id": "a", "app": "x"})
    put(["b"] * 2, at=START + 10_000_000, scope={"user_id": "b"})
    put(["c"] * 5, at=START + 20_000_000, scope={"user_id": "c"})
    condition = Condition.of([[("user_id", "a"), ("app", "x")], [("user_id", "b")]])
    both = 'scope.user_id="a" OR scope.user_id="b"'
    for asked in (query(bank, condition=condition), query(bank, both), query(bank, f'({both}) AND fact=~"[ab]"')):
        assert asked.few
        page = listing.page(asked, size=3, cursor=None)
        assert (facts(page), page.total) == (["b", "b", "a"], 5)
    assert not query(bank, 'scope.user_id="a" OR fact="x"').few
    assert not query(bank, f'({both}) AND scope.app="x"').few
