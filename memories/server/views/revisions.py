from memories.server import banks, operations, records, revisions, store, vectors
from memories.server.door import Call, Written
from memories.wire import pages
from memories.wire.errors import InvalidArgument
from memories.wire.names import MemoryName, RevisionName
from memories.wire.resources import JsonObject, RollbackMemoryRequest


def list_(call: Call) -> JsonObject:
    """Newest first, also of a memory deleted in the last 48 hours."""
    bank = banks.find(call.bank)
    text = call.query.get("filter", "")
    bound = f"revisions {bank.pk} {call.memory.id}\n{text}"
    cursor = call.cursor(bound)
    before = cursor.anchor[1] if cursor and cursor.anchor else None
    found, more = revisions.page(
        bank, call.memory.id, filter=text, size=call.page_size(), before=before, condition=call.condition
    )
    name = str(records.bank_name(bank))
    answer: JsonObject = {"memoryRevisions": [records.revision(name, one) for one in found]}
    if more:
        answer["nextPageToken"] = call.token(pages.Cursor((0, found[-1].pk)), bound)
    return answer


def get(call: Call) -> JsonObject:
    bank = banks.find(call.bank)
    found = revisions.find(bank, call.memory.id, call.path["revision"], condition=call.condition)
    return records.revision(str(records.bank_name(bank)), found)


def roll_back(call: Call) -> Written:
    bank = banks.find(call.bank)
    target = call.body(RollbackMemoryRequest).target_revision_id
    made = store.roll_back(
        bank, call.memory.id, _own(target, call.memory), if_match=call.if_match, condition=call.condition
    )
    vectors.soon(bank, made.memory_id)
    name = MemoryName(records.bank_name(bank), made.memory_id)
    return Written(operations.done(name, "RollbackMemory", {}), str(name), made.revision, made.scope)


def _own(target: str, memory: MemoryName) -> str:
    """The id of a revision given as id or as full name; a name must be of this memory."""
    if "/" not in target:
        return target
    found = RevisionName.parse(target, project=memory.bank.project, location=memory.bank.location)
    if (found.memory.bank.key, found.memory.id) != (memory.bank.key, memory.id):
        raise InvalidArgument.at("targetRevisionId", "is a revision of another memory.")
    return found.id
