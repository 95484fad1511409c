"""The messages of the API as typed values, shared by client and server.

Read with `Message.read` (a request: an unknown field or enum name is InvalidArgument with its path) or
`Message.receive` (an answer: unknown fields are ignored, unknown enum names kept). Both spellings of a field are read
at every depth; `wire()` writes camelCase without unset fields. Maps of data (`scope`, `labels`, the keys of
`metadata`, structured data) are never renamed. Source: sections 3, 4, 7 to 9 of Google's REST reference as recorded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

from memories.wire.errors import InvalidArgument
from memories.wire.times import Duration, Timestamp

TYPE = "type.googleapis.com/google.cloud.aiplatform.v1beta1."
EMPTY = "type.googleapis.com/google.protobuf.Empty"

_LENIENT = {"lenient": True}


def _lenient(info: ValidationInfo) -> bool:
    return bool(info.context)


@dataclass(frozen=True, slots=True)
class _Enum:
    """Names, of which the numbers stand for some."""

    names: tuple[str, ...]
    numbers: Mapping[int, str]

    def read(self, value: object, info: ValidationInfo) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            value = self.numbers.get(value, str(value))
        if value in self.names or (_lenient(info) and isinstance(value, str)):
            return value
        raise ValueError(f"expected one of {', '.join(self.names)}")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"enum": [*self.names, *self.numbers]}


def _enum(*names: str, numbers: Mapping[int, str]) -> _Enum:
    return _Enum(names, numbers)


MemoryType = Annotated[
    str,
    _enum(
        "MEMORY_TYPE_UNSPECIFIED",
        "NATURAL_LANGUAGE_COLLECTION",
        "STRUCTURED_PROFILE",
        numbers={0: "MEMORY_TYPE_UNSPECIFIED", 1: "NATURAL_LANGUAGE_COLLECTION", 3: "STRUCTURED_PROFILE"},
    ),
]
ManagedTopic = Annotated[
    str,
    _enum(
        "USER_PERSONAL_INFO",
        "USER_PREFERENCES",
        "KEY_CONVERSATION_DETAILS",
        "EXPLICIT_INSTRUCTIONS",
        numbers={
            1: "USER_PERSONAL_INFO",
            2: "USER_PREFERENCES",
            3: "KEY_CONVERSATION_DETAILS",
            4: "EXPLICIT_INSTRUCTIONS",
        },
    ),
]
Operator = Annotated[
    str,
    _enum(
        "OPERATOR_UNSPECIFIED",
        "EQUAL",
        "GREATER_THAN",
        "LESS_THAN",
        numbers={0: "OPERATOR_UNSPECIFIED", 1: "EQUAL", 2: "GREATER_THAN", 3: "LESS_THAN"},
    ),
]
Action = Annotated[
    str,
    _enum(
        "ACTION_UNSPECIFIED",
        "CREATED",
        "UPDATED",
        "DELETED",
        numbers={0: "ACTION_UNSPECIFIED", 1: "CREATED", 2: "UPDATED", 3: "DELETED"},
    ),
]
MergeStrategy = Annotated[
    str,
    _enum(
        "METADATA_MERGE_STRATEGY_UNSPECIFIED",
        "OVERWRITE",
        "MERGE",
        "REQUIRE_EXACT_MATCH",
        numbers={0: "METADATA_MERGE_STRATEGY_UNSPECIFIED", 1: "OVERWRITE", 2: "MERGE", 3: "REQUIRE_EXACT_MATCH"},
    ),
]

_HALF_PAIR = "half of a surrogate pair is not a character"


def _sound(value: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(_HALF_PAIR) from None
    return value


# A bound on the length, whichever, makes pydantic look for halves of surrogate pairs.
Text = Annotated[str, Field(strict=True, min_length=0)]
Flag = Annotated[bool, Field(strict=True)]
Labels = dict[Text, Text]


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


# An int32 of proto3, which JSON may write as text.
Count = Annotated[int, Field(ge=-(2**31), lt=2**31), BeforeValidator(_no_bool)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_sound)]


class Message(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )

    @classmethod
    def read(cls, body: object, *, at: str = "") -> Self:
        """A request's message; `at` is the path put before the fields in errors."""
        try:
            return cls.model_validate(body, extra="forbid")
        except ValidationError as error:
            raise InvalidArgument.of(_violations(error, at)) from None

    @classmethod
    def receive(cls, body: object) -> Self:
        """An answer's message. Raises pydantic's ValidationError where a known field has the wrong type."""
        return cls.model_validate(body, extra="ignore", context=_LENIENT)

    def wire(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Oneof(Message):
    """A message with groups of fields of which a request may set at most one."""

    ONEOFS: ClassVar[tuple[tuple[str, ...], ...]] = ()

    @model_validator(mode="after")
    def _one_of(self, info: ValidationInfo) -> Self:
        if not info.context:
            for group in self.ONEOFS:
                given = [to_camel(name) for name in group if getattr(self, name) is not None]
                if len(given) > 1:
                    raise ValueError(f"set only one of {', '.join(given)}")
        return self


class Answer(Message):
    """A message of which a list may come as null, which in proto3 JSON is the same as unset."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, value: object) -> object:
        if isinstance(value, dict) and None in value.values():
            return {key: item for key, item in value.items() if item is not None}
        return value


_SAYS = {"extra_forbidden": "unknown field", "missing": "is required", "string_unicode": _HALF_PAIR}


def _violations(error: ValidationError, at: str) -> list[tuple[str, str]]:
    found = []
    for fault in error.errors(include_url=False):
        path = at
        for part in fault["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{_spelling(part)}" if path else _spelling(part)
        found.append((path, _SAYS.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")))
    return found


def _spelling(part: str) -> str:
    return "" if part == "[key]" else part


class MemoryTopicId(Oneof):
    ONEOFS = (("custom_memory_topic_label", "managed_memory_topic"),)
    custom_memory_topic_label: Text | None = None
    managed_memory_topic: ManagedTopic | None = None

    @property
    def label(self) -> str:
        return self.custom_memory_topic_label or self.managed_memory_topic or ""

    @model_validator(mode="after")
    def _some(self, info: ValidationInfo) -> Self:
        if not _lenient(info) and not self.label:
            raise ValueError("set managedMemoryTopic or customMemoryTopicLabel")
        return self


class MemoryMetadataValue(Oneof):
    ONEOFS = (("string_value", "double_value", "bool_value", "timestamp_value"),)
    string_value: Text | None = None
    double_value: Annotated[float, Field(allow_inf_nan=False)] | None = None
    bool_value: Flag | None = None
    timestamp_value: Timestamp | None = None

    @property
    def value(self) -> str | float | bool | Timestamp | None:
        for name in self.ONEOFS[0]:
            found: str | float | bool | Timestamp | None = getattr(self, name)
            if found is not None:
                return found
        return None

    @model_validator(mode="after")
    def _some(self, info: ValidationInfo) -> Self:
        if not _lenient(info) and self.value is None:
            raise ValueError("set one of stringValue, doubleValue, boolValue, timestampValue")
        return self

    @model_validator(mode="before")
    @classmethod
    def _no_bool_as_number(cls, value: object) -> object:
        if isinstance(value, dict):
            for key in ("doubleValue", "double_value"):
                if isinstance(value.get(key), bool):
                    raise ValueError(f"{key} must be a number")
        return value


class StructuredContent(Message):
    schema_id: Text
    data: JsonObject


class Memory(Oneof):
    ONEOFS = (("expire_time", "ttl"), ("revision_expire_time", "revision_ttl", "disable_memory_revisions"))
    INPUT_ONLY: ClassVar[tuple[str, ...]] = (
        "ttl",
        "revision_expire_time",
        "revision_ttl",
        "disable_memory_revisions",
        "revision_labels",
    )
    OUTPUT_ONLY: ClassVar[tuple[str, ...]] = ("create_time", "update_time")

    name: Text | None = None
    display_name: Text | None = None
    description: Text | None = None
    create_time: Timestamp | None = None
    update_time: Timestamp | None = None
    fact: Text | None = None
    scope: dict[Text, Text] | None = None
    topics: list[MemoryTopicId] | None = None
    metadata: dict[Text, MemoryMetadataValue] | None = None
    memory_type: MemoryType | None = None
    structured_content: StructuredContent | None = None
    context: Text | None = None
    expire_time: Timestamp | None = None
    ttl: Duration | None = None
    revision_expire_time: Timestamp | None = None
    revision_ttl: Duration | None = None
    disable_memory_revisions: Flag | None = None
    revision_labels: Labels | None = None


class IntermediateExtractedMemory(Message):
    fact: Text | None = None
    context: Text | None = None
    structured_data: JsonObject | None = None


class MemoryRevision(Message):
    name: Text | None = None
    create_time: Timestamp | None = None
    expire_time: Timestamp | None = None
    fact: Text | None = None
    labels: Labels | None = None
    extracted_memories: list[IntermediateExtractedMemory] | None = None
    structured_data: JsonObject | None = None
    context: Text | None = None


# --- banks ------------------------------------------------------------------------------------------------------------


class GenerationRule(Oneof):
    ONEOFS = (("idle_duration", "fixed_interval"),)
    event_count: Count | None = None
    idle_duration: Duration | None = None
    fixed_interval: Duration | None = None
    overlap_event_count: Count | None = None


class MemoryGenerationTriggerConfig(Message):
    generation_rule: GenerationRule | None = None


class GenerationConfig(Message):
    model: Text | None = None
    generation_trigger_config: MemoryGenerationTriggerConfig | None = None


class SimilaritySearchConfig(Message):
    embedding_model: Text


class GranularTtlConfig(Message):
    create_ttl: Duration | None = None
    generate_created_ttl: Duration | None = None
    generate_updated_ttl: Duration | None = None


class TtlConfig(Oneof):
    ONEOFS = (("default_ttl", "granular_ttl_config"),)
    default_ttl: Duration | None = None
    granular_ttl_config: GranularTtlConfig | None = None
    memory_revision_default_ttl: Duration | None = None


class ManagedMemoryTopic(Message):
    managed_topic_enum: ManagedTopic


class CustomMemoryTopic(Message):
    label: Text
    description: Text


class MemoryTopic(Oneof):
    ONEOFS = (("managed_memory_topic", "custom_memory_topic"),)
    managed_memory_topic: ManagedMemoryTopic | None = None
    custom_memory_topic: CustomMemoryTopic | None = None


class GeneratedExample(Message):
    fact: Text
    topics: list[MemoryTopicId] | None = None


class Blob(Message):
    data: Text | None = None
    mime_type: Text | None = None
    display_name: Text | None = None


class FileData(Message):
    file_uri: Text | None = None
    mime_type: Text | None = None
    display_name: Text | None = None


class Part(Message):
    text: Text | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    function_call: JsonObject | None = None
    function_response: JsonObject | None = None
    executable_code: JsonObject | None = None
    code_execution_result: JsonObject | None = None
    thought: Flag | None = None
    thought_signature: Text | None = None
    video_metadata: JsonObject | None = None


class Content(Message):
    role: Text | None = None
    parts: list[Part] | None = None


class ContentEvent(Message):
    content: Content


class ConversationSource(Message):
    events: list[ContentEvent] | None = None


class GenerateMemoriesExample(Message):
    conversation_source: ConversationSource | None = None
    generated_memories: list[GeneratedExample] | None = None


class ConsolidationConfig(Message):
    revisions_per_candidate_count: Count | None = None


class MemoryBankCustomizationConfig(Message):
    scope_keys: list[Text] | None = None
    memory_topics: list[MemoryTopic] | None = None
    generate_memories_examples: list[GenerateMemoriesExample] | None = None
    enable_third_person_memories: Flag | None = None
    consolidation_config: ConsolidationConfig | None = None
    disable_natural_language_memories: Flag | None = None


class StructuredMemorySchemaConfig(Message):
    id: Annotated[Text, Field(pattern=r"^[a-z][a-z0-9-]{0,62}$")]
    # An OpenAPI schema; its property names are data, so it is kept as it came. `schema` is taken by pydantic.
    memory_schema: Annotated[JsonObject | None, Field(alias="schema")] = None
    memory_type: MemoryType | None = None
    json_schema: Any = None


class StructuredMemoryConfig(Message):
    scope_keys: list[Text] | None = None
    schema_configs: list[StructuredMemorySchemaConfig] | None = None


class MemoryBankConfig(Message):
    generation_config: GenerationConfig | None = None
    similarity_search_config: SimilaritySearchConfig | None = None
    ttl_config: TtlConfig | None = None
    disable_memory_revisions: Flag | None = None
    customization_configs: list[MemoryBankCustomizationConfig] | None = None
    structured_memory_configs: list[StructuredMemoryConfig] | None = None


class ContextSpec(Message):
    memory_bank_config: MemoryBankConfig | None = None


class ReasoningEngine(Message):
    """A memory bank on the wire. `spec` and its kin describe a deployed agent and are kept as they came."""

    name: Text | None = None
    display_name: Annotated[Text, Field(max_length=128)] | None = None
    description: Text | None = None
    create_time: Timestamp | None = None
    update_time: Timestamp | None = None
    etag: Text | None = None
    labels: Labels | None = None
    encryption_spec: JsonObject | None = None
    context_spec: ContextSpec | None = None
    spec: JsonObject | None = None
    traffic_config: JsonObject | None = None
    revision_garbage_collection_strategy: JsonObject | None = None

    @property
    def config(self) -> MemoryBankConfig:
        return (self.context_spec and self.context_spec.memory_bank_config) or MemoryBankConfig()


# --- answers ----------------------------------------------------------------------------------------------------------


class ListMemoriesResponse(Answer):
    """`total_size` and what follows it are additions of our server; other banks leave them unset."""

    memories: list[Memory] = []
    next_page_token: Text | None = None
    previous_page_token: Text | None = None
    last_page_token: Text | None = None
    total_size: int | None = None
    total_size_capped: bool | None = None
    """True where counting stopped at `total_size`; there are more."""
    start_index: int | None = None
    """How many matches stand before this page; unset where that was not counted."""


class ListMemoryRevisionsResponse(Answer):
    memory_revisions: list[MemoryRevision] = []
    next_page_token: Text | None = None


class ListReasoningEnginesResponse(Answer):
    reasoning_engines: list[ReasoningEngine] = []
    next_page_token: Text | None = None


class Operation(Answer):
    name: Text | None = None
    done: bool = False
    metadata: JsonObject | None = None
    error: JsonObject | None = None
    response: JsonObject | None = None


class ListOperationsResponse(Answer):
    operations: list[Operation] = []
    next_page_token: Text | None = None


class RollbackMemoryRequest(Message):
    target_revision_id: Text


class DeleteReasoningEngineRequest(Message):
    force: Flag | None = None


# --- retrieval, purge, generation -------------------------------------------------------------------------------------


class MemoryFilter(Message):
    key: Text
    op: Operator | None = None
    value: MemoryMetadataValue | None = None
    negate: Flag | None = None


class MemoryConjunctionFilter(Message):
    filters: list[MemoryFilter] | None = None


class SimilaritySearchParams(Message):
    search_query: Text
    top_k: Count | None = None


class SimpleRetrievalParams(Message):
    page_size: Count | None = None
    page_token: Text | None = None


class RetrieveMemoriesRequest(Oneof):
    ONEOFS = (("similarity_search_params", "simple_retrieval_params"),)
    scope: dict[Text, Text]
    similarity_search_params: SimilaritySearchParams | None = None
    simple_retrieval_params: SimpleRetrievalParams | None = None
    filter: Text | None = None
    filter_groups: list[MemoryConjunctionFilter] | None = None
    memory_types: list[MemoryType] | None = None


class RetrievedMemory(Message):
    memory: Memory
    distance: float | None = None


class RetrieveMemoriesResponse(Answer):
    retrieved_memories: list[RetrievedMemory] = []
    next_page_token: Text | None = None


class RetrieveProfilesRequest(Message):
    scope: dict[Text, Text]


class MemoryProfile(Message):
    schema_id: Text
    profile: JsonObject


class RetrieveProfilesResponse(Answer):
    profiles: dict[str, MemoryProfile] = {}


class PurgeMemoriesRequest(Message):
    filter: Text | None = None
    filter_groups: list[MemoryConjunctionFilter] | None = None
    force: Flag | None = None


class PurgeMemoriesResponse(Message):
    purge_count: int = 0


class DirectMemory(Message):
    fact: Text
    topics: list[MemoryTopicId] | None = None


class DirectMemoriesSource(Message):
    direct_memories: list[DirectMemory]


class DirectContentsSource(Message):
    events: list[ContentEvent]


class VertexSessionSource(Message):
    session: Text
    start_time: Timestamp | None = None
    end_time: Timestamp | None = None


class Generation(Oneof):
    """What GenerateMemories and IngestEvents share."""

    scope: dict[Text, Text] | None = None
    revision_labels: Labels | None = None
    revision_expire_time: Timestamp | None = None
    revision_ttl: Duration | None = None
    disable_memory_revisions: Flag | None = None
    metadata: dict[Text, MemoryMetadataValue] | None = None
    metadata_merge_strategy: MergeStrategy | None = None
    allowed_topics: list[MemoryTopicId] | None = None


_REVISION_EXPIRY = ("revision_expire_time", "revision_ttl", "disable_memory_revisions")


class GenerateMemoriesRequest(Generation):
    ONEOFS = (("vertex_session_source", "direct_contents_source", "direct_memories_source"), _REVISION_EXPIRY)
    vertex_session_source: VertexSessionSource | None = None
    direct_contents_source: DirectContentsSource | None = None
    direct_memories_source: DirectMemoriesSource | None = None
    disable_consolidation: Flag | None = None


class GeneratedMemory(Message):
    memory: Memory
    action: Action
    previous_revision: Text | None = None


class GenerateMemoriesResponse(Answer):
    generated_memories: list[GeneratedMemory] = []


class IngestionEvent(Message):
    content: Content
    event_id: Text | None = None
    event_time: Timestamp | None = None


class IngestionDirectContentsSource(Message):
    events: list[IngestionEvent] | None = None


class IngestEventsRequest(Generation):
    ONEOFS = (_REVISION_EXPIRY,)
    stream_id: Text | None = None
    direct_contents_source: IngestionDirectContentsSource | None = None
    generation_trigger_config: MemoryGenerationTriggerConfig | None = None
    force_flush: Flag | None = None


# --- the Admin API: ours alone, under /admin/v1/{bank} ----------------------------------------------------------------


class ScopeSummary(Message):
    scope: dict[str, str]
    memory_count: int
    first_write_time: Timestamp | None = None
    last_write_time: Timestamp | None = None


class NearScope(ScopeSummary):
    difference: Text
    """How it differs, one of `likeness.KINDS`."""


class ListedScope(ScopeSummary):
    look_alikes: list[NearScope] | None = None
    """Some that are spelled otherwise or have one key more or less, the nearest first."""


class ListScopesResponse(Answer):
    scopes: list[ListedScope] = []
    next_page_token: Text | None = None
    previous_page_token: Text | None = None
    last_page_token: Text | None = None
    total_size: int | None = None
    total_size_capped: bool | None = None
    """True where counting stopped at `total_size`; there are more."""
    start_index: int | None = None
    """How many stand before this page; unset where that was not counted."""
    memory_count: int | None = None
    """In all scopes that match; unset where that was not counted."""


class NearScopesRequest(Message):
    scope: dict[Text, Text]


class NearScopesResponse(Answer):
    scopes: list[NearScope] = []
    memory_count: int | None = None
    """In the scope that was asked for."""


class DeletedMemory(Message):
    memory: Memory
    delete_time: Timestamp
    purge_time: Timestamp
    """When the revisions go and it can no longer be revived."""


class ListDeletedMemoriesResponse(Answer):
    deleted_memories: list[DeletedMemory] = []
    next_page_token: Text | None = None


class NewMemory(Message):
    memory_id: Text | None = None
    memory: Memory


class BatchCreateMemoriesRequest(Message):
    """All or nothing; unlike CreateMemory it takes `createTime` and `updateTime`."""

    requests: list[NewMemory]


class BatchCreateMemoriesResponse(Answer):
    memories: list[Memory] = []


class TestPermissionsResponse(Answer):
    permissions: list[str] = []


Order = Literal["create_time", "create_time desc", "update_time", "update_time desc"]
