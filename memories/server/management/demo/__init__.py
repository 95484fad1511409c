"""The demo banks, written by hand: people who do not exist, in six languages, and the scopes that trip consoles up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memories.wire.resources import (
    Memory,
    MemoryMetadataValue,
    MemoryTopicId,
    NewMemory,
    ReasoningEngine,
    StructuredContent,
)
from memories.wire.times import Timestamp

PERSONAL, PREFERENCE, DETAIL, INSTRUCTION = (
    "USER_PERSONAL_INFO",
    "USER_PREFERENCES",
    "KEY_CONVERSATION_DETAILS",
    "EXPLICIT_INSTRUCTIONS",
)
_MANAGED = (PERSONAL, PREFERENCE, DETAIL, INSTRUCTION)

type Scope = Mapping[str, str]
type Plain = str | float | bool | timedelta
"""What a metadata value is written as; a timedelta is a moment counted from now."""


def days(count: float) -> timedelta:
    return timedelta(days=count)


@dataclass(frozen=True, slots=True)
class Edit:
    """A later wording: what the memory became, how many days ago."""

    ago: float
    text: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fact:
    """`ago` and `expires` count days: back from now, and on from now."""

    ago: float
    text: str
    topics: Sequence[str] = ()
    metadata: Mapping[str, Plain] = field(default_factory=dict)
    edits: Sequence[Edit] = ()
    expires: float | None = None
    id: str = ""
    title: str = ""
    description: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    schema: str = ""
    data: Mapping[str, object] = field(default_factory=dict)

    def memory(self, scope: Scope, now: datetime) -> NewMemory:
        created = Timestamp.of(now - days(self.ago))
        natural = not self.schema
        return NewMemory(
            memory_id=self.id or None,
            memory=Memory(
                fact=self.text or None,
                scope=dict(scope),
                create_time=created,
                update_time=created,
                display_name=self.title or None,
                description=self.description or None,
                topics=[_topic(name) for name in self.topics] or None,
                metadata={key: _value(value, now) for key, value in self.metadata.items()} or None,
                expire_time=Timestamp.of(now + days(self.expires)) if self.expires is not None else None,
                revision_labels=dict(self.labels) or None,
                memory_type="NATURAL_LANGUAGE_COLLECTION" if natural else "STRUCTURED_PROFILE",
                structured_content=None if natural else StructuredContent(schema_id=self.schema, data=dict(self.data)),
            ),
        )


def _topic(name: str) -> MemoryTopicId:
    return (
        MemoryTopicId(managed_memory_topic=name) if name in _MANAGED else MemoryTopicId(custom_memory_topic_label=name)
    )


def _value(value: Plain, now: datetime) -> MemoryMetadataValue:
    match value:
        case bool():
            return MemoryMetadataValue(bool_value=value)
        case timedelta():
            return MemoryMetadataValue(timestamp_value=Timestamp.of((now + value).replace(microsecond=0)))
        case str():
            return MemoryMetadataValue(string_value=value)
        case _:
            return MemoryMetadataValue(double_value=value)


@dataclass(frozen=True, slots=True)
class DemoBank:
    engine: ReasoningEngine
    people: Sequence[tuple[Scope, Sequence[Fact]]]

    @property
    def title(self) -> str:
        return self.engine.display_name or ""

    def facts(self) -> list[tuple[Scope, Fact]]:
        """Oldest first."""
        every = [(scope, fact) for scope, facts in self.people for fact in facts]
        return sorted(every, key=lambda one: -one[1].ago)
