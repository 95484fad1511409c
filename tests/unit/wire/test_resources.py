"""Messages: both spellings in at every depth, camelCase out, data untouched, faults with their path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memories.wire.errors import InvalidArgument
from memories.wire.resources import (
    GenerateMemoriesRequest,
    ListMemoriesResponse,
    Memory,
    MemoryFilter,
    MemoryMetadataValue,
    MemoryRevision,
    MemoryTopicId,
    Message,
    Operation,
    PurgeMemoriesResponse,
    ReasoningEngine,
    RetrieveMemoriesRequest,
    RetrieveProfilesResponse,
)
from memories.wire.times import Duration, Timestamp

FULL = {
    "name": "projects/p/locations/us-central1/reasoningEngines/1/memories/2",
    "displayName": "Tea",
    "description": "what she drinks",
    "createTime": "2026-01-01T00:00:00Z",
    "updateTime": "2026-01-01T00:00:00.123456789Z",
    "fact": "Drinks green tea.",
    "scope": {"user_id": "1", "appName": "shop"},
    "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "a|b"}],
    "metadata": {
        "some_key": {"stringValue": ""},
        "someKey": {"doubleValue": 0.0},
        "display_name": {"boolValue": False},
        "x": {"timestampValue": "2026-01-01T00:00:00Z"},
    },
    "memoryType": "STRUCTURED_PROFILE",
    "structuredContent": {"schemaId": "user-profile", "data": {"snake_case": {"camelCase": [1, None, "x"]}}},
    "context": "said so",
    "expireTime": "2030-01-01T00:00:00Z",
}


def faults(kind: type[Message], body: object, *, at: str = "") -> list[tuple[str, str]]:
    with pytest.raises(InvalidArgument) as raised:
        kind.read(body, at=at)
    return raised.value.violations


# --- spelling ---------------------------------------------------------------------------------------------------------


def test_a_whole_memory_is_written_as_it_was_read() -> None:
    assert Memory.read(FULL).wire() == FULL
    assert Memory.receive(FULL).wire() == FULL


def test_snake_case_is_read_at_every_depth() -> None:
    snake = {
        "display_name": "Tea",
        "memory_type": "STRUCTURED_PROFILE",
        "structured_content": {"schema_id": "user-profile", "data": {"snake_case": 1, "camelCase": 2}},
        "topics": [{"managed_memory_topic": "USER_PREFERENCES"}, {"custom_memory_topic_label": "x"}],
        "metadata": {"my_key": {"string_value": "v"}, "when": {"timestamp_value": "2026-01-01T00:00:00"}},
        "revision_labels": {"data_source": "321"},
        "revision_ttl": "60s",
    }
    assert Memory.read(snake).wire() == {
        "displayName": "Tea",
        "memoryType": "STRUCTURED_PROFILE",
        "structuredContent": {"schemaId": "user-profile", "data": {"snake_case": 1, "camelCase": 2}},
        "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "x"}],
        "metadata": {"my_key": {"stringValue": "v"}, "when": {"timestampValue": "2026-01-01T00:00:00Z"}},
        "revisionLabels": {"data_source": "321"},
        "revisionTtl": "60s",
    }


@pytest.mark.parametrize(
    "body",
    [
        {"scope": {"user_id": "1"}, "similaritySearchParams": {"search_query": "tea", "top_k": 2}},
        {"scope": {"user_id": "1"}, "similarity_search_params": {"searchQuery": "tea", "topK": 2}},
    ],
)
def test_the_mixed_bodies_of_the_sdks(body: dict[str, Any]) -> None:
    request = RetrieveMemoriesRequest.read(body)
    assert request.similarity_search_params
    assert (request.similarity_search_params.search_query, request.similarity_search_params.top_k) == ("tea", 2)


@pytest.mark.parametrize(
    "body",
    [
        {"context_spec": {"memory_bank_config": {"ttlConfig": {"default_ttl": "60s"}}}},
        {"contextSpec": {"memoryBankConfig": {"ttlConfig": {"default_ttl": "60s"}}}},
        {"contextSpec": {"memoryBankConfig": {"ttlConfig": {"defaultTtl": "60s"}}}},
    ],
)
def test_the_mixed_bodies_of_bank_creation(body: dict[str, Any]) -> None:
    engine = ReasoningEngine.read(body)
    assert engine.config.ttl_config
    assert engine.config.ttl_config.default_ttl == "60s"
    assert engine.wire() == {"contextSpec": {"memoryBankConfig": {"ttlConfig": {"defaultTtl": "60s"}}}}


def test_a_bank_without_config_has_an_empty_one() -> None:
    assert ReasoningEngine.read({"displayName": "x"}).config.wire() == {}


def test_schemas_and_agents_are_kept_as_they_came() -> None:
    schema = {"type": "OBJECT", "properties": {"first_name": {"type": "STRING", "any_of": []}}}
    body = {
        "spec": {"agent_framework": "x", "packageSpec": {}},
        "contextSpec": {
            "memoryBankConfig": {
                "structuredMemoryConfigs": [
                    {"scopeKeys": ["user_id"], "schemaConfigs": [{"id": "user-profile", "schema": schema}]}
                ]
            }
        },
    }
    engine = ReasoningEngine.read(body)
    assert engine.wire() == body
    assert engine.config.structured_memory_configs
    (config,) = engine.config.structured_memory_configs[0].schema_configs or []
    assert config.memory_schema == schema


names = st.text(st.characters(codec="utf-8"), max_size=10) | st.sampled_from(["user_id", "userId", "display_name"])


@given(st.dictionaries(names, names, max_size=5))
def test_maps_of_text_are_never_renamed(data: dict[str, str]) -> None:
    memory = Memory.read({"scope": data, "revision_labels": data})
    assert memory.wire() == {"scope": data, "revisionLabels": data}
    assert MemoryRevision.receive({"labels": data}).wire() == {"labels": data}


@given(st.dictionaries(names, names, max_size=5))
def test_keys_of_metadata_are_never_renamed(data: dict[str, str]) -> None:
    memory = Memory.read({"metadata": {key: {"string_value": value} for key, value in data.items()}})
    assert memory.wire() == {"metadata": {key: {"stringValue": value} for key, value in data.items()}}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(names, json_values, max_size=4))
def test_structured_data_is_never_touched(data: dict[str, Any]) -> None:
    assert Memory.read({"structured_content": {"schema_id": "s", "data": data}}).wire() == {
        "structuredContent": {"schemaId": "s", "data": data}
    }
    profiles = {"s": {"schemaId": "s", "profile": data}}
    assert RetrieveProfilesResponse.receive({"profiles": profiles}).wire() == {"profiles": profiles}


# --- enums ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "MEMORY_TYPE_UNSPECIFIED"), (1, "NATURAL_LANGUAGE_COLLECTION"), (3, "STRUCTURED_PROFILE")],
)
def test_memory_types_by_number_and_name(number: int, name: str) -> None:
    for value in (number, name):
        assert Memory.read({"memoryType": value}).wire() == {"memoryType": name}


def test_topics_and_operators_by_number() -> None:
    assert MemoryTopicId.read({"managedMemoryTopic": 2}).wire() == {"managedMemoryTopic": "USER_PREFERENCES"}
    assert MemoryFilter.read({"key": "k", "op": 2}).op == "GREATER_THAN"


@pytest.mark.parametrize("value", [2, 99, -1, True, 1.5, "STRUCTURED_COLLECTION", "structured_profile", "", ["x"]])
def test_an_unknown_enum_value_of_a_request_is_refused(value: object) -> None:
    ((field, says),) = faults(Memory, {"memory_type": value})
    assert field in ("memoryType", "memory_type")
    assert "NATURAL_LANGUAGE_COLLECTION, STRUCTURED_PROFILE" in says


def test_an_unknown_enum_value_of_an_answer_is_kept() -> None:
    assert Memory.receive({"memoryType": "NEWER"}).memory_type == "NEWER"
    assert Memory.receive({"memoryType": 7}).memory_type == "7"


# --- faults and their paths -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        ({"facts": "x"}, "facts", "unknown field"),
        ({"topics": [{"customMemoryTopicLabel": "x"}, {"label": "x"}]}, "topics[1].label", "unknown field"),
        ({"metadata": {"a.b c": {"value": 1}}}, "metadata.a.b c.value", "unknown field"),
        ({"structuredContent": {"data": {}}}, "structuredContent.schemaId", "is required"),
        ({"structured_content": {"schema_id": "x"}}, "structured_content.data", "is required"),
        ({"fact": 1}, "fact", "valid string"),
        ({"fact": ["x"]}, "fact", "valid string"),
        ({"scope": "x"}, "scope", "valid dictionary"),
        ({"scope": {"a": 1}}, "scope.a", "valid string"),
        ({"scope": {"a": None}}, "scope.a", "valid string"),
        ({"topics": {}}, "topics", "valid list"),
        ({"ttl": 60}, "ttl", "valid string"),
        ({"ttl": "1h"}, "ttl", "expected a duration in seconds"),
        ({"expireTime": "tomorrow"}, "expireTime", "expected a time"),
        ({"expireTime": "2026-02-30T00:00:00Z"}, "expireTime", "a time that exists"),
        ({"disableMemoryRevisions": "true"}, "disableMemoryRevisions", "valid boolean"),
        ({"disableMemoryRevisions": 1}, "disableMemoryRevisions", "valid boolean"),
        ({"fact": "bad \ud83d end"}, "fact", "half of a surrogate pair"),
        ({"scope": {"a": "\ud83d"}}, "scope.a", "half of a surrogate pair"),
        ({"metadata": {"k": {"stringValue": "\ud83d"}}}, "metadata.k.stringValue", "half of a surrogate pair"),
        (
            {"structuredContent": {"schemaId": "s", "data": {"a": ["\ud83d"]}}},
            "structuredContent.data",
            "half of a surrogate pair",
        ),
        ({"expireTime": "2030-01-01T00:00:00Z", "ttl": "60s"}, "", "set only one of expireTime, ttl"),
        ({"topics": [{"customMemoryTopicLabel": "a", "managedMemoryTopic": 1}]}, "topics[0]", "set only one of"),
        ({"topics": [{}]}, "topics[0]", "set managedMemoryTopic or customMemoryTopicLabel"),
        ({"metadata": {"k": {}}}, "metadata.k", "set one of stringValue"),
        ({"metadata": {"k": {"stringValue": "a", "bool_value": True}}}, "metadata.k", "set only one of"),
        ({"metadata": {"k": {"doubleValue": True}}}, "metadata.k", "must be a number"),
        ({"metadata": {"k": {"doubleValue": float("nan")}}}, "metadata.k.doubleValue", "finite number"),
        ({"metadata": {"k": "v"}}, "metadata.k", "valid dictionary"),
        ({"revisionTtl": "1s", "disableMemoryRevisions": True}, "", "set only one of"),
        ([], "", "valid dictionary"),
        ("x", "", "valid dictionary"),
        (None, "", "valid dictionary"),
    ],
)
def test_a_fault_names_its_path(body: object, field: str, says: str) -> None:
    ((at, text),) = faults(Memory, body)
    assert at == field
    assert says in text


def test_a_path_may_be_put_before_the_fields() -> None:
    assert faults(Memory, {"facts": "x"}, at="requests[3].memory") == [("requests[3].memory.facts", "unknown field")]
    ((at, _),) = faults(Memory, {"ttl": "1s", "expire_time": "2030-01-01T00:00:00Z"}, at="memory")
    assert at == "memory"


def test_all_faults_are_named_at_once() -> None:
    assert [field for field, _ in faults(Memory, {"a": 1, "fact": 2, "ttl": "x"})] == ["fact", "ttl", "a"]


def test_a_duration_too_long_is_refused() -> None:
    ((field, _),) = faults(Memory, {"ttl": "999999999999s"})
    assert field == "ttl"


@pytest.mark.parametrize("key", ["", "[key]", "a.b", "é", "<img src=x onerror=alert(1)>"])
def test_a_path_survives_any_key(key: str) -> None:
    ((field, _),) = faults(Memory, {"metadata": {key: {"doubleValue": "x"}}})
    assert field.startswith("metadata")
    assert field.endswith("doubleValue")


def test_null_is_the_same_as_unset() -> None:
    body = {"fact": None, "topics": None, "scope": {"a": "b"}}
    assert Memory.read(body).wire() == {"scope": {"a": "b"}}


def test_empty_values_are_kept_apart_from_unset_ones() -> None:
    body = {"fact": "", "disableMemoryRevisions": False, "topics": [], "metadata": {}}
    assert Memory.read(body).wire() == body


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ({"directMemoriesSource": {"directMemories": []}}, 0),
        ({"directMemoriesSource": {"directMemories": []}, "vertexSessionSource": {"session": "s"}}, 1),
    ],
)
def test_a_request_has_one_source(source: dict[str, Any], count: int) -> None:
    if count:
        assert faults(GenerateMemoriesRequest, source)[0][1].startswith("set only one of")
    else:
        assert GenerateMemoriesRequest.read(source).wire() == source


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_may_know_more_than_we_do() -> None:
    body = {
        "memories": [
            {"fact": "x", "newField": {"a": 1}, "topics": [{"newKind": "y"}], "metadata": {"k": {"newValue": 1}}}
        ],
        "nextPageToken": "t",
        "warnings": [],
    }
    page = ListMemoriesResponse.receive(body)
    assert page.next_page_token == "t"
    assert page.memories[0].fact == "x"
    assert page.memories[0].topics
    assert page.memories[0].topics[0].label == ""
    assert page.total_size is None


def test_an_answer_with_two_of_a_oneof_is_read() -> None:
    value = MemoryMetadataValue.receive({"stringValue": "a", "boolValue": True})
    assert value.value == "a"


def test_an_answer_of_the_wrong_type_is_not_guessed_at() -> None:
    with pytest.raises(ValidationError):
        Memory.receive({"fact": 1})
    with pytest.raises(ValidationError):
        ListMemoriesResponse.receive([])


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"stringValue": ""}, ""),
        ({"doubleValue": 0}, 0.0),
        ({"boolValue": False}, False),
        ({"timestampValue": "2026-01-01T00:00:00+01:00"}, "2025-12-31T23:00:00Z"),
    ],
)
def test_the_four_kinds_of_metadata(body: dict[str, Any], value: object) -> None:
    read = MemoryMetadataValue.read(body)
    assert read.value == value
    assert type(read.value) in (str, float, bool, Timestamp)


def test_a_count_may_be_a_number_or_a_decimal_string() -> None:
    assert PurgeMemoriesResponse.receive({"purgeCount": "148"}).purge_count == 148
    assert PurgeMemoriesResponse.receive({"purgeCount": 148}).purge_count == 148


def test_an_operation_is_not_done_until_it_says_so() -> None:
    assert not Operation.receive({"name": "o"}).done
    response = {"@type": "type.googleapis.com/x", "snake_case": 1}
    assert Operation.receive({"done": True, "response": response}).wire() == {"done": True, "response": response}


def test_times_and_durations_stay_what_they_are() -> None:
    memory = Memory.read({"createTime": "2030-01-02T03:04:05", "ttl": "3.5s"})
    assert isinstance(memory.create_time, Timestamp)
    assert isinstance(memory.ttl, Duration)
    copy = memory.model_copy(update={"fact": "x"})
    assert copy.wire() == {"createTime": "2030-01-02T03:04:05Z", "fact": "x", "ttl": "3.5s"}
