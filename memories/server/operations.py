"""Operations: done when they are answered, and readable for a week."""

import json

from memories.server import clock, records
from memories.server.models import Operation
from memories.wire.errors import ApiError, NotFound
from memories.wire.names import BankName, MemoryName, OperationName
from memories.wire.resources import EMPTY, TYPE
from memories.wire.times import Timestamp

# The response's message by the method; none means google.protobuf.Empty. A client refuses any other type.
_RESPONSES = {
    "CreateMemory": "Memory",
    "UpdateMemory": "Memory",
    "RollbackMemory": "RollbackMemoryResponse",
    "PurgeMemories": "PurgeMemoriesResponse",
    "GenerateMemories": "GenerateMemoriesResponse",
    "IngestEvents": "IngestEventsResponse",
    "CreateReasoningEngine": "ReasoningEngine",
    "UpdateReasoningEngine": "ReasoningEngine",
}
_METADATA = {"DeleteReasoningEngine": "DeleteOperationMetadata"}


def done(
    parent: BankName | MemoryName, method: str, response: records.JsonObject, *, memory_id: str = ""
) -> records.JsonObject:
    """The finished operation of a method of the API, kept and as the wire has it."""
    kind = _RESPONSES.get(method)
    outcome = {"response": {"@type": TYPE + kind if kind else EMPTY} | response}
    return _keep(OperationName(parent, clock.new_id()), method, outcome, memory_id=memory_id)


def failed(parent: BankName, method: str, error: ApiError, *, id: str = "") -> records.JsonObject:
    """The operation that ended with an error, kept likewise; `id` where something else knows it by that."""
    return _keep(OperationName(parent, id or clock.new_id()), method, {"error": error.rpc_status()})


def _keep(name: OperationName, method: str, outcome: records.JsonObject, *, memory_id: str = "") -> records.JsonObject:
    now = clock.now()
    stamp = Timestamp.of_micros(now)
    parent = name.parent
    body = {
        "name": str(name),
        "metadata": {
            "@type": TYPE + _METADATA.get(method, f"{method}OperationMetadata"),
            "genericMetadata": {"createTime": stamp, "updateTime": stamp},
        },
        "done": True,
        **outcome,
    }
    Operation.objects.create(
        operation_id=name.id,
        bank_id=name.bank.id,
        memory_id=parent.id if isinstance(parent, MemoryName) else memory_id,
        create_time=now,
        body=json.dumps(body, ensure_ascii=False),
    )
    return body


def get(name: OperationName) -> records.JsonObject:
    found = Operation.objects.filter(operation_id=name.id, bank_id=name.bank.id).first()
    if found is None or json.loads(found.body)["name"].split("/")[-1] != name.id:
        raise NotFound(f"Operation '{name}' was not found; operations are kept for a week.")
    body: records.JsonObject = json.loads(found.body)
    return body


def page(bank: BankName, *, size: int, before: tuple[int, str] | None) -> tuple[list[Operation], bool]:
    """Newest first, and whether more follow."""
    rows = Operation.objects.filter(bank_id=bank.id).order_by("-create_time", "-operation_id")
    if before is not None:
        rows = rows.filter(create_time__lte=before[0]).exclude(create_time=before[0], operation_id__gte=before[1])
    found = list(rows[: size + 1])
    return found[:size], len(found) > size
