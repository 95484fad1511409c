from memories.server import banks, listing, masks, operations, records, store, vectors
from memories.server.door import Call, Written
from memories.wire import filters
from memories.wire.names import MemoryName
from memories.wire.resources import JsonObject, Memory


def list_(call: Call) -> JsonObject:
    """One page, newest first. What follows nextPageToken is ours: other banks do not say it."""
    bank = banks.find(call.bank)
    text, order = call.query.get("filter", ""), call.query.get("orderBy", "")
    query = listing.query_of(
        bank.pk, filter=text, order_by=order, condition=call.condition, fields=filters.MEMORY_FIELDS
    )
    bound = f"memories {bank.pk}\n{text}\n{order}\n{call.condition.alternatives}"
    found = listing.page(query, size=call.page_size(), cursor=call.cursor(bound))
    name = str(records.bank_name(bank))
    answer: JsonObject = {
        "memories": [records.memory(name, row) for row in found.rows],
        "nextPageToken": call.token(found.next, bound),
        "previousPageToken": call.token(found.previous, bound),
        "lastPageToken": call.token(found.last, bound),
        "totalSize": found.total,
        "totalSizeCapped": found.capped or None,
        "startIndex": found.start,
    }
    return {key: value for key, value in answer.items() if value is not None}


def create(call: Call) -> Written:
    bank = banks.find(call.bank)
    memory_id = call.query.get("memoryId", "")
    made = store.create(bank, call.body(Memory), memory_id=memory_id, condition=call.condition)
    vectors.soon(bank, made.memory_id)
    return _written(MemoryName(records.bank_name(bank), made.memory_id), "CreateMemory", made)


def get(call: Call) -> JsonObject:
    bank = banks.find(call.bank)
    return records.memory_of(str(records.bank_name(bank)), store.find(bank, call.memory.id, call.condition))


def update(call: Call) -> Written:
    bank = banks.find(call.bank)
    memory = call.body(Memory)
    made = store.update(
        bank,
        call.memory.id,
        memory,
        mask=masks.mask_of(call.query.get("updateMask"), memory),
        if_match=call.if_match,
        condition=call.condition,
    )
    vectors.soon(bank, made.memory_id)
    return _written(MemoryName(records.bank_name(bank), made.memory_id), "UpdateMemory", made)


def delete(call: Call) -> Written:
    bank = banks.find(call.bank)
    made = store.delete(bank, call.memory.id, if_match=call.if_match, condition=call.condition)
    return _written(MemoryName(records.bank_name(bank), made.memory_id), "DeleteMemory", made)


def _written(name: MemoryName, method: str, made: store.Written) -> Written:
    return Written(operations.done(name, method, made.memory), str(name), made.revision, made.scope)
