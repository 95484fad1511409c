"""Rows to messages of the wire."""

import json
from collections.abc import Sequence
from typing import Any

from memories.server.models import Bank, Memory, Revision
from memories.wire.names import BankName
from memories.wire.times import Timestamp

JsonObject = dict[str, Any]


def dump(value: object) -> str:
    """JSON text; empty for nothing."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""


def bank_name(bank: Bank) -> BankName:
    return BankName(bank.project, bank.location, bank.id)


def engine(bank: Bank) -> JsonObject:
    """A ReasoningEngine; its contextSpec always holds memoryBankConfig, without which an SDK fails."""
    found: JsonObject = {
        "name": str(bank_name(bank)),
        "createTime": Timestamp.of_micros(bank.create_time),
        "updateTime": Timestamp.of_micros(bank.update_time),
        "contextSpec": {"memoryBankConfig": json.loads(bank.config or "{}")},
        "etag": str(bank.update_time),
    }
    if bank.display_name:
        found["displayName"] = bank.display_name
    if bank.description:
        found["description"] = bank.description
    found.update(json.loads(bank.extra or "{}"))
    return found


def memory(bank: str, row: Sequence[Any]) -> JsonObject:
    """A Memory from a row of `where.Record.columns`; `bank` is the bank's name."""
    (_, memory_id, fact, display_name, kind, topics, created, updated, expires, scope, description, context) = row[:12]
    schema_id, data, metadata = row[12:15]
    found: JsonObject = {
        "name": f"{bank}/memories/{memory_id}",
        "createTime": Timestamp.of_micros(created),
        "updateTime": Timestamp.of_micros(updated),
        "scope": json.loads(scope),
        "memoryType": kind,
    }
    if fact:
        found["fact"] = fact
    if display_name:
        found["displayName"] = display_name
    if description:
        found["description"] = description
    if context:
        found["context"] = context
    if topics:
        found["topics"] = json.loads(topics)
    if metadata:
        found["metadata"] = json.loads(metadata)
    if data:
        found["structuredContent"] = {"schemaId": schema_id, "data": json.loads(data)}
    if expires is not None:
        found["expireTime"] = Timestamp.of_micros(expires)
    return found


def memory_of(bank: str, found: Memory) -> JsonObject:
    """A Memory from the model, its scope loaded."""
    return memory(
        bank,
        (
            found.pk,
            found.memory_id,
            found.fact,
            found.display_name,
            found.memory_type,
            found.topics,
            found.create_time,
            found.update_time,
            found.expire_time,
            found.scope.canonical,
            found.description,
            found.context,
            found.schema_id,
            found.data,
            found.metadata,
        ),
    )


def revision(bank: str, found: Revision) -> JsonObject:
    made: JsonObject = {
        "name": f"{bank}/memories/{found.memory_id}/revisions/{found.revision_id}",
        "createTime": Timestamp.of_micros(found.create_time),
        "expireTime": Timestamp.of_micros(found.expire_time),
    }
    if found.fact:
        made["fact"] = found.fact
    if found.data:
        made["structuredData"] = json.loads(found.data)
    if found.labels:
        made["labels"] = json.loads(found.labels)
    if found.extracted:
        made["extractedMemories"] = json.loads(found.extracted)
    if found.context:
        made["context"] = found.context
    return made
