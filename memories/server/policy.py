"""What may be stored, and for how long."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Literal

from memories.wire import scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryBankConfig, MemoryGenerationTriggerConfig

MINUTE = 60_000_000  # microseconds
HOUR = 60 * MINUTE
REVIVABLE = 48 * HOUR
REVISION_LIFE = 365 * 24 * HOUR
OPERATION_LIFE = 7 * 24 * HOUR
LATEST = 253_402_300_799_999_999  # microseconds: the end of the year 9999

MAX_FACT = 64 * 1024  # bytes of UTF-8
MAX_TEXT = 16 * 1024  # bytes of a description, a context, the labels
MAX_JSON = 64 * 1024  # bytes of metadata or structured data as JSON
MAX_DISPLAY_NAME = 128  # characters
MAX_TOPICS = 100
MAX_LABEL = 512  # bytes of a custom topic's label

NATURAL, STRUCTURED = "NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE"

type Cause = Literal["create", "update", "generate_created", "generate_updated"]


def expiry(memory: Memory, config: MemoryBankConfig, cause: Cause, *, now: int) -> int | None:
    """When a memory expires, in microseconds: by the request, else by the bank. None: neither says anything."""
    if memory.expire_time is not None:
        return memory.expire_time.micros
    if memory.ttl is not None:
        return _later(now, memory.ttl.micros, "ttl")
    ttl = config.ttl_config
    if ttl is None:
        return None
    found = ttl.default_ttl
    if found is None and ttl.granular_ttl_config and cause != "update":
        found = getattr(ttl.granular_ttl_config, f"{cause}_ttl")
    return None if found is None else min(now + found.micros, LATEST)


def keeps_revisions(memory: Memory, config: MemoryBankConfig) -> bool:
    return not (memory.disable_memory_revisions or config.disable_memory_revisions)


def revision_expiry(memory: Memory, config: MemoryBankConfig, *, now: int) -> int:
    if memory.revision_expire_time is not None:
        return memory.revision_expire_time.micros
    if memory.revision_ttl is not None:
        return _later(now, memory.revision_ttl.micros, "revisionTtl")
    ttl = config.ttl_config and config.ttl_config.memory_revision_default_ttl
    return min(now + (ttl.micros if ttl else REVISION_LIFE), LATEST)


def _later(now: int, micros: int, field: str) -> int:
    if micros < 0:
        raise InvalidArgument.at(field, "must not be negative.")
    return min(now + micros, LATEST)


def check_new(memory: Memory) -> None:
    """A memory as CreateMemory takes it, or InvalidArgument with the field's path."""
    if memory.scope is None:
        raise InvalidArgument.at("scope", "is required.")
    scopes.validate(memory.scope)
    kind = memory.memory_type or NATURAL
    if kind == "MEMORY_TYPE_UNSPECIFIED":
        kind = NATURAL
    if kind == STRUCTURED:
        if memory.structured_content is None:
            raise InvalidArgument.at("structuredContent", "is required for a memory of type STRUCTURED_PROFILE.")
    elif memory.structured_content is not None:
        raise InvalidArgument.at("structuredContent", "is only for memories of type STRUCTURED_PROFILE.")
    check(memory, kind)


def check(memory: Memory, kind: str) -> None:
    """The fields that can be changed; `kind` is the memory's type."""
    fact = memory.fact or ""
    if kind == STRUCTURED:
        if fact:
            raise InvalidArgument.at("fact", "must be empty for a memory of type STRUCTURED_PROFILE.")
        if memory.structured_content is None or not memory.structured_content.data:
            raise InvalidArgument.at("structuredContent.data", "must hold at least one field.")
    elif blank(fact):
        raise InvalidArgument.at("fact", "is blank; write what is to be remembered.")
    _bytes("fact", fact, MAX_FACT)
    _bytes("description", memory.description or "", MAX_TEXT)
    _bytes("context", memory.context or "", MAX_TEXT)
    if len(memory.display_name or "") > MAX_DISPLAY_NAME:
        raise InvalidArgument.at("displayName", f"has more than {MAX_DISPLAY_NAME} characters.")
    topics = memory.topics or []
    if len(topics) > MAX_TOPICS:
        raise InvalidArgument.at("topics", f"holds more than {MAX_TOPICS} topics.")
    for index, topic in enumerate(topics):
        _bytes(f"topics[{index}]", topic.label, MAX_LABEL)
    _bytes("metadata", _json({k: v.wire() for k, v in (memory.metadata or {}).items()}), MAX_JSON)
    _bytes("revisionLabels", _json(memory.revision_labels or {}), MAX_TEXT)
    if memory.structured_content:
        _bytes("structuredContent", _json(memory.structured_content.data), MAX_JSON)


def blank(text: str) -> bool:
    """Whether nothing of it can be seen: white space, controls, marks without a letter, fillers."""
    return not any(unicodedata.category(sign)[0] in "LNPS" and sign not in _FILLERS for sign in text)


_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that draw nothing


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _bytes(field: str, text: str, most: int) -> None:
    size = len(text.encode())
    if size > most:
        raise InvalidArgument.at(field, f"has {size} bytes; at most {most} fit.")


def check_durations(config: MemoryBankConfig, at: str) -> None:
    """The lives and triggers of a bank's settings, or InvalidArgument with the path."""
    ttl = config.ttl_config
    granular = ttl and ttl.granular_ttl_config
    lives = {
        "defaultTtl": ttl and ttl.default_ttl,
        "memoryRevisionDefaultTtl": ttl and ttl.memory_revision_default_ttl,
        "granularTtlConfig.createTtl": granular and granular.create_ttl,
        "granularTtlConfig.generateCreatedTtl": granular and granular.generate_created_ttl,
        "granularTtlConfig.generateUpdatedTtl": granular and granular.generate_updated_ttl,
    }
    for name, life in lives.items():
        if life and life.micros < 0:
            raise InvalidArgument.at(f"{at}.ttlConfig.{name}", "must not be negative.")
    if config.generation_config and config.generation_config.generation_trigger_config:
        check_trigger(
            config.generation_config.generation_trigger_config, f"{at}.generationConfig.generationTriggerConfig"
        )


def check_trigger(trigger: MemoryGenerationTriggerConfig, at: str) -> None:
    rule = trigger.generation_rule
    if rule is None:
        return
    for name, value in (("idleDuration", rule.idle_duration), ("fixedInterval", rule.fixed_interval)):
        if value is not None and (value.micros <= 0 or value.micros % MINUTE):
            raise InvalidArgument.at(f"{at}.generationRule.{name}", "must be whole minutes, such as 60s.")
    for name, count in (("eventCount", rule.event_count), ("overlapEventCount", rule.overlap_event_count)):
        if count is not None and count < 0:
            raise InvalidArgument.at(f"{at}.generationRule.{name}", "must not be negative.")
