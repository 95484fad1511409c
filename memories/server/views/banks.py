from memories.access import checks
from memories.server import banks, operations, records
from memories.server.door import Call, Written
from memories.server.models import Bank
from memories.wire import pages
from memories.wire.errors import InvalidArgument
from memories.wire.resources import DeleteReasoningEngineRequest, JsonObject, ReasoningEngine


def list_(call: Call) -> JsonObject:
    """The banks of a location on which the caller holds any permission; location `-` means all. Oldest first."""
    if call.query.get("filter"):
        raise InvalidArgument.at("filter", "is not supported for banks.")
    seen = checks.banks(call.principal)
    if checks.holds(call.principal, "aiplatform.reasoningEngines.list", bank=""):
        seen = None
    rows = Bank.objects.order_by("create_time", "id")
    if call.location != banks.ANY:
        rows = rows.filter(location=call.location)
    if seen is not None:
        rows = rows.filter(pk__in=[key.partition("/")[2] for key in seen])
    query = f"banks {call.location}"
    cursor = call.cursor(query)
    start = cursor.anchor[0] if cursor and cursor.anchor else 0
    size = call.page_size()
    found = list(rows[start : start + size + 1])
    more = pages.Cursor((start + size, 0)) if len(found) > size else None
    answer: JsonObject = {"reasoningEngines": [records.engine(bank) for bank in found[:size]]}
    if more:
        answer["nextPageToken"] = call.token(more, query)
    return answer


def create(call: Call) -> Written:
    bank = banks.create(call.project, call.location, call.body(ReasoningEngine))
    return _written(bank, "CreateReasoningEngine")


def get(call: Call) -> JsonObject:
    return records.engine(banks.find(call.bank))


def update(call: Call) -> Written:
    bank = banks.update(call.bank, call.body(ReasoningEngine), mask=call.query.get("updateMask", ""))
    return _written(bank, "UpdateReasoningEngine")


def delete(call: Call) -> Written:
    asked = call.body(DeleteReasoningEngineRequest).force
    text = call.query.get("force", "")
    if text not in ("", "true", "false"):
        raise InvalidArgument.at("force", f"expected true or false; found {text[:40]!r}.")
    bank = banks.delete(call.bank, force=asked or text == "true")
    name = records.bank_name(bank)
    return Written(operations.done(name, "DeleteReasoningEngine", {}), str(name))


def _written(bank: Bank, method: str) -> Written:
    name = records.bank_name(bank)
    return Written(operations.done(name, method, records.engine(bank)), str(name))
