import json

from memories.access import checks
from memories.server import operations
from memories.server.door import Call
from memories.wire import pages
from memories.wire.errors import InvalidArgument, PermissionDenied
from memories.wire.names import OperationName
from memories.wire.resources import JsonObject

_MEMORY, _BANK = "aiplatform.memories.get", "aiplatform.reasoningEngines.get"


def _check(call: Call) -> bool:
    """Whoever may read the parent may read its operations. True where memories may be read without a condition."""
    if checks.holds(call.principal, _MEMORY, bank=call.bank.key):
        return checks.condition(call.principal, _MEMORY, bank=call.bank.key).everything
    if checks.holds(call.principal, _BANK, bank=call.bank.key):
        return False
    raise PermissionDenied.lacking(_MEMORY, resource=str(call.resource), principal=call.principal.name)


def get(call: Call) -> JsonObject:
    open_ = _check(call)
    parent = call.memory if "memory" in call.path else call.bank
    found = operations.get(OperationName(parent, call.path["operation"]))
    return found if open_ or not _of_memory(found) else _bare(found)


def list_(call: Call) -> JsonObject:
    """Newest first."""
    open_ = _check(call)
    if call.query.get("filter"):
        raise InvalidArgument.at("filter", "is not supported for operations.")
    bound = f"operations {call.bank.key}"
    cursor = call.cursor(bound)
    before = (cursor.anchor[0], str(cursor.anchor[1])) if cursor and cursor.anchor else None
    found, more = operations.page(call.bank, size=call.page_size(), before=before)
    bodies: list[JsonObject] = [json.loads(one.body) for one in found]
    answer: JsonObject = {
        "operations": [body if open_ or not _of_memory(body) else _bare(body) for body in bodies],
    }
    if more:
        last = found[-1]
        answer["nextPageToken"] = call.token(pages.Cursor((last.create_time, int(last.operation_id))), bound)
    return answer


def _of_memory(body: JsonObject) -> bool:
    return not {"fact", "scope", "generatedMemories"}.isdisjoint(body.get("response", {}))


def _bare(body: JsonObject) -> JsonObject:
    """Without the memory, for who may not read every memory: the name and the type are enough to go on."""
    response = {key: value for key, value in body["response"].items() if key in ("@type", "name")}
    return body | {"response": response}
