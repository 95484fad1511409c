"""Purging against single deletions: the same left behind, everything else untouched."""

import json
import random
import time
from typing import Any

import pytest

from memories.access.checks import EVERYTHING, Condition
from memories.server import clock, purge, records, search, store
from memories.server.models import Bank, Memory, Pair, Revision, Scope, Tombstone, Vector
from memories.wire import resources
from memories.wire.errors import InvalidArgument
from memories.wire.resources import MemoryConjunctionFilter
from tests.unit.retrieval.conftest import SCOPE, Put

pytestmark = pytest.mark.contract


def purged(bank: Bank, filter: str = "", *, groups: Any = (), conditions: Any = (EVERYTHING, EVERYTHING)) -> int:
    """Counted first; the two must agree."""
    found = purge.doomed(bank, filter=filter, groups=groups, conditions=conditions)
    count = purge.count(found)
    assert purge.purge(bank, found) == count
    return count


def group(*filters: dict[str, Any]) -> MemoryConjunctionFilter:
    return MemoryConjunctionFilter.read({"filters": list(filters)})


def consistent() -> None:
    """Every scope counts what it has, and nothing is left of what is gone."""
    counts = {scope.pk: scope.count for scope in Scope.objects.all()}
    there: dict[int, int] = {}
    for row in Memory.objects.all():
        there[row.scope_id] = there.get(row.scope_id, 0) + 1
    assert counts == there
    rows = set(Memory.objects.values_list("pk", flat=True))
    assert set(Pair.objects.values_list("memory_id", flat=True)) <= rows
    assert set(Vector.objects.values_list("memory_id", flat=True)) <= rows


FULL: dict[str, Any] = {
    "displayName": 'a "name"\\',
    "description": "two\nlines",
    "context": "למה",
    "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": 'a|b"'}],
    "metadata": {
        "k": {"stringValue": '"'},
        "t": {"timestampValue": "2026-01-01T00:00:00.5Z"},
        "n": {"doubleValue": 1.5},
    },
    "expireTime": "2090-01-01T00:00:00.000001Z",
    "createTime": "1969-12-31T23:59:59.999999Z",
    "updateTime": "2026-01-31T09:30:00.000100Z",
}


def test_what_is_left_is_what_a_single_deletion_leaves(bank: Bank, put: Put) -> None:
    full = put(['A "fact"\\ with\ttabs\nand 😀 קפה'], **FULL)[0]
    plain = put(["plain"])[0]
    structured = put(
        [""], memoryType="STRUCTURED_PROFILE", structuredContent={"schemaId": "s", "data": {"ä": [1, None, {"b": "c"}]}}
    )[0]
    name = str(records.bank_name(bank))
    wanted = {
        row.memory_id: resources.Memory.receive(records.memory_of(name, row))
        for row in Memory.objects.select_related("scope")
    }
    before = clock.now()
    assert purged(bank, 'create_time>"1900-01-01T00:00:00Z"') == 3
    for row in (full, plain, structured):
        kept = Tombstone.objects.get(bank=bank, memory_id=row.memory_id)
        found, same = resources.Memory.receive(json.loads(kept.memory)), wanted[row.memory_id]
        for field in ("create_time", "update_time", "expire_time"):
            a, b = getattr(found, field), getattr(same, field)
            assert (a and a.micros) == (b and b.micros)
            setattr(found, field, None)
            setattr(same, field, None)
        assert found == same
        assert kept.delete_time >= before
        newest = Revision.objects.filter(memory_id=row.memory_id).order_by("-pk")[0]
        assert (newest.fact, newest.data, newest.create_time) == ("", "", kept.delete_time)
    consistent()
    assert Scope.objects.count() == 0


def test_a_purged_memory_can_be_revived_as_it_was(bank: Bank, put: Put) -> None:
    row = put(["I live in Rome."], **FULL)[0]
    target = Revision.objects.get(memory_id=row.memory_id)
    name = str(records.bank_name(bank))
    before = records.memory_of(name, row)
    assert purged(bank, 'fact="I live in Rome."') == 1
    store.roll_back(bank, row.memory_id, target.revision_id, if_match="", condition=EVERYTHING)
    after = records.memory_of(name, Memory.objects.select_related("scope").get())
    assert before | {"updateTime": after["updateTime"]} == after
    consistent()


def test_one_person_is_purged_and_others_stay(bank: Bank, put: Put) -> None:
    for person in ("u-1", "u-12", "u-2"):
        put([f"{person} fact {n}" for n in range(148)], scope={"user_id": person})
    put(["an app's"], scope={"user_id": "u-1", "app_name": "shop"})
    assert purged(bank, 'scope.user_id="u-1"') == 149
    assert Memory.objects.count() == 296
    assert purged(bank, 'scope="{\\"user_id\\": \\"u-2\\"}"') == 148
    assert set(Memory.objects.values_list("scope__canonical", flat=True)) == {'{"user_id":"u-12"}'}
    consistent()


def test_filters_and_groups_both_hold_as_the_exact_test_says(bank: Bank, put: Put) -> None:
    random.seed(3)
    for n in range(200):
        put(
            [f"fact {n} {'tea' if n % 2 else 'coffee'}"],
            scope={"user_id": str(n % 7)},
            metadata={"n": {"doubleValue": n % 10}} if n % 3 else {},
        )
    asked = [
        group({"key": "n", "op": "LESS_THAN", "value": {"doubleValue": 3}}),
        group({"key": "n", "value": {"doubleValue": 9}}),
    ]
    wanted = search.wanted('fact=~".*tea"', asked, ())
    doomed = {
        row[0] for n in range(7) for row in search.newest(bank, {"user_id": str(n)}, wanted, size=200, cursor=None)[0]
    }
    everything = set(Memory.objects.values_list("pk", flat=True))
    assert purged(bank, 'fact=~".*tea"', groups=asked) == len(doomed) > 0
    assert set(Memory.objects.values_list("pk", flat=True)) == everything - doomed
    consistent()


def test_what_expired_is_not_counted(bank: Bank, put: Put) -> None:
    put(["stays", "gone"])
    Memory.objects.filter(fact="gone").update(expire_time=1)
    assert purged(bank, 'scope.user_id="u-1"') == 1


def test_only_what_both_permissions_allow(bank: Bank, put: Put) -> None:
    for team in ("emea", "apac"):
        for app in ("a", "b"):
            put(["x"], scope={"tenant": team, "app": app})
    emea, only_a = Condition(((("tenant", "emea"),),)), Condition(((("app", "a"),),))
    assert purged(bank, 'fact="x"', conditions=(emea, only_a)) == 1
    assert set(Memory.objects.values_list("scope__canonical", flat=True)) == {
        '{"app":"b","tenant":"emea"}',
        '{"app":"a","tenant":"apac"}',
        '{"app":"b","tenant":"apac"}',
    }


def test_something_must_be_asked(bank: Bank) -> None:
    for filter, groups in (("", ()), ("  ", ()), ("fact=", ()), ("", [MemoryConjunctionFilter()])):
        with pytest.raises(InvalidArgument):
            purge.doomed(bank, filter=filter, groups=groups, conditions=(EVERYTHING, EVERYTHING))


def test_a_bank_without_revisions_keeps_nothing(bank: Bank, put: Put) -> None:
    Bank.objects.update(config='{"disableMemoryRevisions": true}')
    bank.refresh_from_db()
    put(["x"])
    assert purged(bank, 'fact="x"') == 1
    assert Tombstone.objects.count() == Revision.objects.count() == 0


def test_the_text_index_is_right_after_a_large_purge_and_a_small_one(bank: Bank, put: Put) -> None:
    put([f"many {n}" for n in range(1500)])
    put([f"others {n}" for n in range(300)], scope={"user_id": "other"})
    began = time.monotonic()
    assert purged(bank, 'scope.user_id="u-1"') == 1500
    assert time.monotonic() - began < 2
    assert purged(bank, 'fact="others 7"') == 1
    put(["others again"], scope={"user_id": "other"})
    assert purged(bank, 'fact=~".*others.*"') == 300
    assert purged(bank, 'fact=~".*many.*"') == 0
    consistent()
    assert SCOPE  # the scope is gone with its last memory
    assert not Scope.objects.exists()
