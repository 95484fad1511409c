"""What an agent gets, and many memories at once: in process and over HTTP."""

import time
from typing import Any

import pytest

from memories.client.bank import Bank
from memories.wire.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from memories.wire.names import BankName
from memories.wire.resources import (
    GenerateMemoriesRequest,
    IngestEventsRequest,
    Memory,
    MemoryConjunctionFilter,
    NewMemory,
    ReasoningEngine,
)
from tests.contract.world import SCOPE, World, done, fails, id_of

pytestmark = pytest.mark.contract

FACTS = ["I am allergic to peanuts.", "My favourite drink is green tea.", "I cycle to work.", "I was born in Lisbon."]


def fill(bank: Bank, facts: list[str] | None = None, **fields: Any) -> list[Memory]:
    new = [NewMemory(memory=Memory.read({"fact": fact, "scope": SCOPE} | fields)) for fact in facts or FACTS]
    return bank.batch_create(new).memories


def path(bank: Bank, method: str) -> str:
    return f"/v1beta1/{bank.name}/memories:{method}"


# --- RetrieveMemories -------------------------------------------------------------------------------------------------


def test_nearest_first(bank: Bank) -> None:
    fill(bank)
    found = bank.retrieve(SCOPE, query="a warm drink").retrieved_memories
    assert len(found) == 3
    assert found[0].memory.fact == "My favourite drink is green tea."
    distances = [one.distance or 0.0 for one in found]
    assert distances == sorted(distances)
    assert 0 < distances[0] < 2
    assert len(bank.retrieve(SCOPE, query="tea", top_k=1).retrieved_memories) == 1


def test_list_get_retrieve_and_search_agree_right_after_each_write(bank: Bank) -> None:
    memory = fill(bank)[1]

    def seen() -> set[str]:
        return {
            str(bank.get_memory(id_of(memory)).fact),
            *(one.fact or "" for one in bank.list_memories(filter='fact=~".*drink.*"').memories),
            *(one.memory.fact or "" for one in bank.retrieve(SCOPE, filter='fact=~".*drink.*"').retrieved_memories),
            *(one.memory.fact or "" for one in bank.retrieve(SCOPE, query="drink", top_k=1).retrieved_memories),
        }

    for fact in ("My favourite drink is coffee.", "My favourite drink is cold lemonade."):
        bank.update_memory(id_of(memory), Memory(fact=fact), mask=["fact"])
        assert seen() == {fact}
    bank.delete_memory(id_of(memory))
    assert bank.retrieve(SCOPE, filter='fact=~".*drink.*"').retrieved_memories == []
    assert "drink" not in str(bank.retrieve(SCOPE, query="drink", top_k=100))


def test_another_case_is_another_scope_and_the_near_ones_are_named(bank: Bank) -> None:
    fill(bank)
    fill(bank, ["x"], scope=SCOPE | {"app_name": "shop"})
    fill(bank, ["x"], scope={"user_id": "u-00012"})
    capital = {"user_id": "U-0001"}
    assert bank.retrieve(capital).retrieved_memories == []
    assert bank.retrieve(capital, query="peanuts").retrieved_memories == []
    near = bank.near_scopes(capital).scopes
    assert [(one.scope, one.difference, one.memory_count) for one in near] == [
        (SCOPE, "case", 4),
        (SCOPE | {"app_name": "shop"}, "more keys", 1),
        ({"user_id": "u-00012"}, "prefix", 1),
    ]
    more = bank.near_scopes(SCOPE | {"app_name": "blog"}).scopes
    assert [one.difference for one in more] == ["fewer keys", "other value"]


def test_an_expired_memory_is_in_no_answer(bank: Bank) -> None:
    fill(bank, ["stays"])
    made = bank.create_memory(Memory.read({"fact": "goes", "scope": SCOPE, "ttl": "0.4s"}))
    bank.create_memory(Memory.read({"fact": "was never there", "scope": SCOPE, "ttl": "0s"}))
    bank.create_memory(Memory.read({"fact": "is past", "scope": SCOPE, "expireTime": "2020-01-01T00:00:00Z"}))
    time.sleep(0.45)
    with pytest.raises(NotFound):
        bank.get_memory(id_of(made))
    listed = bank.list_memories()
    assert ([one.fact for one in listed.memories], listed.total_size) == (["stays"], 1)
    assert [one.memory.fact for one in bank.retrieve(SCOPE).retrieved_memories] == ["stays"]
    assert [one.memory.fact for one in bank.retrieve(SCOPE, query="goes").retrieved_memories] == ["stays"]
    assert bank.purge(filter='scope.user_id="u-0001"') == 1


def test_pages_of_a_plain_retrieval(bank: Bank) -> None:
    fill(bank, [f"fact {n}" for n in range(205)])
    sizes, token, facts = [], "", []
    while True:
        page = bank.retrieve(SCOPE, page_size=500, page_token=token)
        sizes.append(len(page.retrieved_memories))
        facts += [one.memory.fact for one in page.retrieved_memories]
        token = page.next_page_token or ""
        if not token:
            break
    assert sizes == [100, 100, 5]
    assert len(set(facts)) == 205
    page = bank.retrieve(SCOPE, page_size=10)
    with pytest.raises(InvalidArgument, match="another query"):
        bank.retrieve(SCOPE, filter='fact="x"', page_token=page.next_page_token or "")


def test_metadata_filters_take_both_spellings_and_numbers(world: World, bank: Bank) -> None:
    fill(bank, ["a"], metadata={"n": {"doubleValue": 1}, "at": {"timestampValue": "2026-01-01T00:00:00.9Z"}})
    fill(bank, ["b"], metadata={"n": {"doubleValue": 2}})

    def facts(*filters: Any) -> list[str]:
        body = {"scope": SCOPE, "filter_groups": [{"filters": list(filters)}]}
        found = done(world.call("POST", path(bank, "retrieve"), body=body))
        return [one["memory"]["fact"] for one in found.get("retrievedMemories", [])]

    assert facts({"key": "n", "op": 2, "value": {"double_value": 1}}) == ["b"]
    assert facts({"key": "n", "op": "LESS_THAN", "value": {"doubleValue": 2}}) == ["a"]
    assert facts({"key": "at", "value": {"timestamp_value": "2026-01-01T00:00:00+00:00"}}) == ["a"]
    assert facts({"key": "at", "negate": True, "value": {"timestampValue": "2026-01-01T00:00:00Z"}}) == ["b"]
    assert facts({"key": "n", "value": {"stringValue": "1"}}) == []


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("retrieve", {}, "scope"),
    ("retrieve", {"scope": {}}, "scope"),
    ("retrieve", {"scope": {"user_id": ""}}, "scope.user_id"),
    ("retrieve", {"scope": {"user_id": "a*"}}, "scope.user_id"),
    ("retrieve", {"scope": SCOPE, "similaritySearchParams": {}}, "similaritySearchParams.searchQuery"),
    (
        "retrieve",
        {"scope": SCOPE, "similaritySearchParams": {"searchQuery": " "}},
        "similaritySearchParams.searchQuery",
    ),
    (
        "retrieve",
        {"scope": SCOPE, "similaritySearchParams": {"searchQuery": "x", "topK": -1}},
        "similaritySearchParams.topK",
    ),
    ("retrieve", {"scope": SCOPE, "simpleRetrievalParams": {"pageSize": "x"}}, "simpleRetrievalParams.pageSize"),
    ("retrieve", {"scope": SCOPE, "simpleRetrievalParams": {"pageToken": "x"}}, "simpleRetrievalParams.pageToken"),
    ("retrieve", {"scope": SCOPE, "simpleRetrievalParams": {}, "similaritySearchParams": {"searchQuery": "x"}}, ""),
    ("retrieve", {"scope": SCOPE, "filter": "fact="}, "filter"),
    ("retrieve", {"scope": SCOPE, "filterGroups": [{}]}, "filterGroups[0].filters"),
    ("retrieve", {"scope": SCOPE, "filterGroups": [{"filters": [{"key": "a"}]}]}, "filterGroups[0].filters[0].value"),
    ("retrieve", {"scope": SCOPE, "memoryTypes": ["STRUCTURED_COLLECTION"]}, "memoryTypes[0]"),
    ("retrieve", {"scope": SCOPE, "topK": 3}, "topK"),
    ("retrieveProfiles", {"scope": "u"}, "scope"),
    ("purge", {}, "filter"),
    ("purge", {"filter": "", "force": True}, "filter"),
    ("purge", {"filter": 'fact="x"', "force": "true"}, "force"),
    ("purge", {"filterGroups": [{"filters": []}], "force": True}, "filterGroups[0].filters"),
    ("generate", {"scope": SCOPE}, ""),
    ("generate", {"directMemoriesSource": {"directMemories": [{"fact": "x"}]}}, "scope"),
    (
        "generate",
        {"scope": SCOPE, "directMemoriesSource": {"directMemories": [{}]}},
        "directMemoriesSource.directMemories[0].fact",
    ),
    (
        "generate",
        {
            "scope": SCOPE,
            "directMemoriesSource": {"directMemories": [{"fact": "x"}]},
            "directContentsSource": {"events": [{"content": {"parts": [{"text": "x"}]}}]},
        },
        "",
    ),
    ("generate", {"scope": SCOPE, "directContentsSource": {"events": []}}, "directContentsSource.events"),
    ("generate", {"vertexSessionSource": {"session": "x"}}, "vertexSessionSource.session"),
    ("ingestEvents", {"streamId": "s"}, "scope"),
    ("ingestEvents", {"scope": SCOPE, "revisionTtl": "-1s"}, "revisionTtl"),
    ("generate", {"scope": SCOPE, "metadata": {"k": {"stringValue": "x" * 70_000}}}, "metadata"),
    ("generate", {"scope": SCOPE, "revisionTtl": "1s", "disableMemoryRevisions": True}, ""),
    (
        "retrieve",
        {"scope": SCOPE, "similaritySearchParams": {"searchQuery": "x", "topK": True}},
        "similaritySearchParams.topK",
    ),
    (
        "retrieve",
        {"scope": SCOPE, "similaritySearchParams": {"searchQuery": "x", "topK": 1 << 40}},
        "similaritySearchParams.topK",
    ),
    (
        "ingestEvents",
        {
            "scope": SCOPE,
            "directContentsSource": {"events": [{"content": {"role": "system", "parts": [{"text": "x"}]}}]},
        },
        "directContentsSource.events[0].content.role",
    ),
]


@pytest.mark.parametrize(("method", "body", "field"), WRONG)
def test_what_cannot_be_asked_is_400_with_its_path(
    world: World, bank: Bank, method: str, body: dict[str, Any], field: str
) -> None:
    error = fails(world.call("POST", path(bank, method), body=body), 400, "INVALID_ARGUMENT")
    if field:
        violations = next(detail.get("fieldViolations") for detail in error["details"])
        assert violations[0]["field"] == field, violations
    assert bank.list_memories().total_size == 0


# --- profiles ---------------------------------------------------------------------------------------------------------


def test_a_profile(world: World) -> None:
    service = world.service()
    schema = {"type": "OBJECT", "properties": {"language": {"type": "STRING"}, "level": {"type": "STRING"}}}
    config = {
        "structuredMemoryConfigs": [{"scopeKeys": ["user_id"], "schemaConfigs": [{"id": "prof", "schema": schema}]}]
    }
    engine = ReasoningEngine.read({"contextSpec": {"memoryBankConfig": config}})
    bank = service.bank(BankName.parse(service.create_bank(engine).name or ""))
    for data in ({"language": "Python"}, {"level": "Senior"}):
        content = {"memoryType": "STRUCTURED_PROFILE", "structuredContent": {"schemaId": "prof", "data": data}}
        made = bank.create_memory(Memory.read({"scope": SCOPE} | content))
    profiles = bank.retrieve_profiles(SCOPE).profiles
    assert {key: one.profile for key, one in profiles.items()} == {"prof": {"language": "Python", "level": "Senior"}}
    assert bank.retrieve_profiles({"user_id": "nobody"}).profiles == {}
    assert bank.retrieve(SCOPE).retrieved_memories == []
    revision = bank.list_revisions(id_of(made)).memory_revisions[0]
    assert (revision.structured_data, revision.fact) == ({"level": "Senior"}, None)
    content = {"memoryType": "STRUCTURED_PROFILE", "structuredContent": {"schemaId": "prof", "data": {"level": 3}}}
    wrong = Memory.read({"scope": SCOPE} | content)
    with pytest.raises(InvalidArgument, match="level"):
        bank.create_memory(wrong)
    bad = {"structuredMemoryConfigs": [{"schemaConfigs": [{"id": "a", "schema": {"type": "ARRAY"}}]}]}
    engine = ReasoningEngine.read({"contextSpec": {"memoryBankConfig": bad}})
    with pytest.raises(InvalidArgument, match="ARRAY"):
        service.create_bank(engine)


# --- purge ------------------------------------------------------------------------------------------------------------


def test_a_purge_counts_first_and_says_what_it_did(world: World, bank: Bank) -> None:
    fill(bank, [f"fact {n}" for n in range(148)])
    fill(bank, ["another's"], scope={"user_id": "u-2"})
    filter = 'scope.user_id="u-0001"'
    assert bank.purge(filter=filter) == 148
    assert bank.list_memories().total_size == 149
    entries = len(world.trail(str(bank.name)))
    assert bank.purge(filter=filter) == 148
    assert len(world.trail(str(bank.name))) == entries  # nothing was changed
    assert bank.purge(filter=filter, force=True, reason="asked to be forgotten") == 148
    last = world.trail(str(bank.name))[-1]
    assert (last["action"], last["outcome"], last["count"], last["reason"]) == (
        "aiplatform.memories.delete",
        "done",
        148,
        "asked to be forgotten",
    )
    assert [one.fact for one in bank.list_memories().memories] == ["another's"]
    assert bank.purge(filter=filter) == 0


def test_800_are_purged_in_one_operation_quickly(bank: Bank) -> None:
    fill(bank, [f"fact {n}" for n in range(800)])
    began = time.monotonic()
    assert bank.purge(filter='scope.user_id="u-0001"', force=True) == 800
    assert time.monotonic() - began < 2


def test_a_purge_can_be_undone_memory_by_memory(bank: Bank) -> None:
    memory = fill(bank, ["I live in Rome."])[0]
    bank.purge(filter='fact="I live in Rome."', force=True)
    revisions = bank.list_revisions(id_of(memory)).memory_revisions
    assert [one.fact for one in revisions] == [None, "I live in Rome."]
    bank.rollback_memory(id_of(memory), (revisions[1].name or "").rpartition("/")[2])
    assert bank.get_memory(id_of(memory)).fact == "I live in Rome."
    assert bank.retrieve(SCOPE, query="Rome").retrieved_memories[0].memory.fact == "I live in Rome."


def test_groups_of_a_purge(bank: Bank) -> None:
    fill(bank, ["a"], metadata={"kind": {"stringValue": "art"}})
    fill(bank, ["b"])
    group = MemoryConjunctionFilter.read({"filters": [{"key": "kind", "value": {"stringValue": "art"}}]})
    assert bank.purge(groups=[group], force=True) == 1
    assert [one.fact for one in bank.list_memories().memories] == ["b"]


# --- generation -------------------------------------------------------------------------------------------------------


def direct(*facts: str, **more: Any) -> GenerateMemoriesRequest:
    return GenerateMemoriesRequest.read(
        {"scope": SCOPE, "directMemoriesSource": {"directMemories": [{"fact": fact} for fact in facts]}} | more
    )


def test_facts_become_memories_and_the_same_fact_updates(world: World, bank: Bank) -> None:
    made = bank.generate(direct("I like tea.", "I do not like tea."))
    assert [one.action for one in made] == ["CREATED", "CREATED"]
    again = bank.generate(direct("i like tea", revisionLabels={"source": "321"}))
    assert (again[0].action, again[0].memory.name) == ("UPDATED", made[0].memory.name)
    labelled = bank.list_revisions(id_of(made[0].memory), filter='labels.source="321"').memory_revisions
    assert [one.fact for one in labelled] == ["i like tea"]
    assert labelled[0].extracted_memories
    assert labelled[0].extracted_memories[0].fact == "i like tea"
    before = bank.get_revision(id_of(made[0].memory), (again[0].previous_revision or "").rpartition("/")[2])
    assert before.fact == "I like tea."
    assert world.trail(str(bank.name))[-1]["count"] == 1


SAID = {"content": {"role": "user", "parts": [{"text": "I like tea"}]}}


@pytest.mark.parametrize("source", ["contents", "session", "events"])
def test_what_needs_a_model_is_kept_and_its_operation_says_so(world: World, bank: Bank, source: str) -> None:
    name = str(bank.name)
    bodies: dict[str, dict[str, Any]] = {
        "contents": {"scope": SCOPE, "directContentsSource": {"events": [SAID]}},
        "session": {"vertexSessionSource": {"session": f"{name}/sessions/1"}},
        "events": {"scope": SCOPE, "streamId": "s", "directContentsSource": {"events": [SAID]}},
    }
    method = "ingestEvents" if source == "events" else "generate"
    operation = done(world.call("POST", path(bank, method), body=bodies[source]))
    assert operation["done"] is True
    assert operation["error"]["code"] == 9
    assert "No model is configured" in operation["error"]["message"]
    assert "kept" in operation["error"]["message"]
    assert "response" not in operation
    again = done(world.call("GET", f"/v1beta1/{operation['name']}"))
    assert again == operation
    listed = bank.list_operations().operations
    assert operation["name"] in [one.name for one in listed if one.error]
    entry = world.trail(name)[-1]
    assert (entry["outcome"], entry["status"]) == ("failed", "FAILED_PRECONDITION")
    asked: Any = IngestEventsRequest if source == "events" else GenerateMemoriesRequest
    call: Any = bank.ingest_events if source == "events" else bank.generate
    with pytest.raises(FailedPrecondition):
        call(asked.read(bodies[source]))


def test_a_trigger_alone_is_done(world: World, bank: Bank) -> None:
    rule = {"generation_rule": {"idle_duration": "60s"}}
    body = {"scope": SCOPE, "streamId": "s", "generationTriggerConfig": rule}
    assert done(world.call("POST", path(bank, "ingestEvents"), body=body))["response"]
    fails(world.call("POST", path(bank, "generate"), body={"scope": SCOPE, "topics": []}), 400, "INVALID_ARGUMENT")


# --- who may ----------------------------------------------------------------------------------------------------------


def test_each_method_needs_its_permission(world: World, bank: Bank) -> None:
    def as_(person: str) -> Bank:
        return world.service(person).bank(bank.name)

    fill(bank)
    assert len(as_("viewer").retrieve(SCOPE).retrieved_memories) == 4
    assert as_("viewer").retrieve_profiles(SCOPE).profiles == {}
    for call, permission in (
        (lambda: as_("nobody").retrieve(SCOPE, query="x"), "retrieve"),
        (lambda: as_("owner").retrieve_profiles(SCOPE), "retrieve"),
        (lambda: as_("viewer").purge(filter='fact="x"'), "delete"),
        (lambda: as_("viewer").purge(filter='fact="x"', force=True), "delete"),
        (lambda: as_("viewer").generate(direct("x")), "generate"),
        (lambda: as_("viewer").near_scopes(SCOPE) and as_("nobody").near_scopes(SCOPE), "list"),
    ):
        with pytest.raises(PermissionDenied) as caught:
            call()
        assert caught.value.permission == f"aiplatform.memories.{permission}"
    refused = [entry for entry in world.trail(str(bank.name)) if entry["outcome"] == "refused"]
    assert [entry["action"] for entry in refused] == ["aiplatform.memories.delete"] * 2 + [
        "aiplatform.memories.generate"
    ]
    assert as_("user").purge(filter='fact=~".*"', force=True) == 4


def test_somebody_who_may_touch_a_part_of_the_bank_alone(world: World, bank: Bank) -> None:
    mine, theirs = {"tenant": "emea", "user_id": "1"}, {"tenant": "apac", "user_id": "1"}
    fill(bank, ["mine"], scope=mine)
    fill(bank, ["theirs"], scope=theirs)
    part = world.service("emea").bank(bank.name)
    assert [one.memory.fact for one in part.retrieve(mine, query="whose").retrieved_memories] == ["mine"]
    for call in (
        lambda: part.retrieve(theirs),
        lambda: part.retrieve(theirs, query="x"),
        lambda: part.retrieve_profiles(theirs),
        lambda: part.generate(direct("x", scope=theirs)),
        lambda: part.ingest_events(IngestEventsRequest(scope=theirs)),
    ):
        with pytest.raises(PermissionDenied):
            call()
    assert [one.scope for one in part.near_scopes({"tenant": "EMEA", "user_id": "1"}).scopes] == [mine]
    assert theirs not in [one.scope for one in part.near_scopes({"tenant": "APAC", "user_id": "1"}).scopes]
    assert [one.action for one in part.generate(direct("new", scope=mine))] == ["CREATED"]
    assert part.purge(filter='scope.user_id="1"') == 2
    assert part.purge(filter='scope.user_id="1"', force=True) == 2
    assert [one.fact for one in bank.list_memories().memories] == ["theirs"]
