"""What may be stored, and for how long."""

from typing import Any

import pytest

from memories.server import policy
from memories.server.policy import HOUR, LATEST, REVISION_LIFE
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryBankConfig
from memories.wire.times import Timestamp

NOW = 1_767_225_600_000_000


def memory(**fields: Any) -> Memory:
    return Memory.receive({"fact": "tea", "scope": {"user_id": "u"}} | fields)


def config(**fields: Any) -> MemoryBankConfig:
    return MemoryBankConfig.receive(fields)


GRANULAR = {"granularTtlConfig": {"createTtl": "1s", "generateCreatedTtl": "2s", "generateUpdatedTtl": "3s"}}


@pytest.mark.parametrize(
    ("fields", "ttl", "cause", "after"),
    [
        ({}, None, "create", None),
        ({"ttl": "60s"}, {"defaultTtl": "5s"}, "create", 60),
        ({"expireTime": Timestamp.of_micros(NOW + 7_000_000)}, {"defaultTtl": "5s"}, "update", 7),
        ({}, {"defaultTtl": "5s"}, "create", 5),
        ({}, {"defaultTtl": "5s"}, "update", 5),
        ({}, GRANULAR, "create", 1),
        ({}, GRANULAR, "update", None),
        ({}, GRANULAR, "generate_created", 2),
        ({}, GRANULAR, "generate_updated", 3),
    ],
)
def test_when_a_memory_expires(fields: Any, ttl: Any, cause: policy.Cause, after: int | None) -> None:
    found = policy.expiry(memory(**fields), config(**({"ttlConfig": ttl} if ttl else {})), cause, now=NOW)
    assert found == (None if after is None else NOW + after * 1_000_000)


def test_no_life_ends_after_the_last_year() -> None:
    assert policy.expiry(memory(ttl="315576000000s"), config(), "create", now=NOW) == LATEST
    long = config(ttlConfig={"defaultTtl": "315576000000s", "memoryRevisionDefaultTtl": "315576000000s"})
    assert policy.expiry(memory(), long, "create", now=NOW) == LATEST
    assert policy.revision_expiry(memory(), long, now=NOW) == LATEST


def test_no_life_is_negative() -> None:
    with pytest.raises(InvalidArgument, match="ttl"):
        policy.expiry(memory(ttl="-1s"), config(), "create", now=NOW)
    with pytest.raises(InvalidArgument, match="revisionTtl"):
        policy.revision_expiry(memory(revisionTtl="-1s"), config(), now=NOW)


def test_how_long_a_revision_is_kept() -> None:
    assert policy.revision_expiry(memory(), config(), now=NOW) == NOW + REVISION_LIFE
    by_bank = config(ttlConfig={"memoryRevisionDefaultTtl": "3600s"})
    assert policy.revision_expiry(memory(), by_bank, now=NOW) == NOW + HOUR
    assert policy.revision_expiry(memory(revisionTtl="60s"), by_bank, now=NOW) == NOW + 60_000_000


@pytest.mark.parametrize(
    ("by_memory", "by_bank", "kept"), [(None, None, True), (True, None, False), (None, True, False)]
)
def test_whether_a_revision_is_kept(by_memory: bool | None, by_bank: bool | None, kept: bool) -> None:
    found = memory(disableMemoryRevisions=by_memory)
    assert policy.keeps_revisions(found, config(disableMemoryRevisions=by_bank)) is kept


STRUCTURED = {"memoryType": "STRUCTURED_PROFILE", "fact": None}
DATA = {"structuredContent": {"schemaId": "s", "data": {"name": "Ada"}}}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"memoryType": "MEMORY_TYPE_UNSPECIFIED"},
        {"memoryType": "NATURAL_LANGUAGE_COLLECTION"},
        {"fact": "🥖"},
        {"fact": "x" * policy.MAX_FACT},
        {"displayName": "ñ" * policy.MAX_DISPLAY_NAME},
        {"topics": [{"customMemoryTopicLabel": "x" * policy.MAX_LABEL}] * policy.MAX_TOPICS},
        STRUCTURED | DATA,
    ],
)
def test_what_may_be_stored(fields: dict[str, Any]) -> None:
    policy.check_new(memory(**fields))


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"scope": None}, "scope"),
        ({"scope": {}}, "scope"),
        ({"fact": None}, "fact"),
        ({"fact": ""}, "fact"),
        ({"fact": " \n\u00a0\u200b\u2060\ufeff"}, "fact"),
        ({"fact": "\u3164\u2800\u115f"}, "fact"),
        ({"fact": "\u0301"}, "fact"),
        ({"fact": "é" * (policy.MAX_FACT // 2) + "x"}, "fact"),
        ({"description": "x" * (policy.MAX_TEXT + 1)}, "description"),
        ({"context": "x" * (policy.MAX_TEXT + 1)}, "context"),
        ({"displayName": "x" * (policy.MAX_DISPLAY_NAME + 1)}, "displayName"),
        ({"topics": [{"customMemoryTopicLabel": "x"}] * (policy.MAX_TOPICS + 1)}, "topics"),
        ({"topics": [{"customMemoryTopicLabel": "x" * (policy.MAX_LABEL + 1)}]}, "topics[0]"),
        ({"metadata": {"k": {"stringValue": "x" * policy.MAX_JSON}}}, "metadata"),
        ({"revisionLabels": {"k": "x" * policy.MAX_TEXT}}, "revisionLabels"),
        (STRUCTURED, "structuredContent"),
        (STRUCTURED | DATA | {"fact": "tea"}, "fact"),
        (STRUCTURED | {"structuredContent": {"schemaId": "s", "data": {}}}, "structuredContent.data"),
        (
            STRUCTURED | {"structuredContent": {"schemaId": "s", "data": {"k": "x" * policy.MAX_JSON}}},
            "structuredContent",
        ),
        (DATA, "structuredContent"),
    ],
)
def test_what_may_not_be_stored(fields: dict[str, Any], at: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        policy.check_new(memory(**fields))
    assert [path for path, _text in caught.value.violations] == [at]
