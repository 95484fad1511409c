"""The Admin API: what Google's lacks."""

import json

from memories.server import banks, clock, near_scopes, policy, records, store
from memories.server.door import Call, Written
from memories.server.models import Scope, Tombstone
from memories.wire import pages
from memories.wire.errors import InvalidArgument
from memories.wire.names import BankName
from memories.wire.resources import BatchCreateMemoriesRequest, JsonObject, NearScopesRequest
from memories.wire.scopes import validate as valid_scope
from memories.wire.times import Timestamp

MAX_BATCH = 1000


def scopes(call: Call) -> JsonObject:
    """Every scope with its count and times, the last written first."""
    bank = banks.find(call.bank)
    bound = f"scopes {bank.pk} {call.condition.alternatives}"
    rows = Scope.objects.filter(bank=bank).order_by("-last_write", "-id")
    size = call.page_size()
    found: list[Scope] = []
    cursor = call.cursor(bound)
    if cursor and cursor.anchor:
        at, row = cursor.anchor
        rows = rows.filter(last_write__lte=at).exclude(last_write=at, pk__gte=row)
    for scope in rows.iterator(chunk_size=size + 1):
        if call.condition.covers(json.loads(scope.canonical)):
            found.append(scope)
        if len(found) > size:
            break
    answer: JsonObject = {"scopes": [_summary(scope) for scope in found[:size]]}
    if len(found) > size:
        last = found[size - 1]
        answer["nextPageToken"] = call.token(pages.Cursor((last.last_write, last.pk)), bound)
    return answer


def near(call: Call) -> JsonObject:
    """The scopes that are nearly the one asked for, as somebody who finds nothing there wants to know."""
    bank = banks.find(call.bank)
    asked = valid_scope(call.body(NearScopesRequest).scope)
    found = near_scopes.near(bank, asked, condition=call.condition)
    return {"scopes": [_summary(scope) | {"difference": difference} for scope, difference in found]}


def _summary(scope: Scope) -> JsonObject:
    return {
        "scope": json.loads(scope.canonical),
        "memoryCount": scope.count,
        "firstWriteTime": Timestamp.of_micros(scope.first_write),
        "lastWriteTime": Timestamp.of_micros(scope.last_write),
    }


def deleted(call: Call) -> JsonObject:
    """The memories that can still be revived, the last deleted first."""
    bank = banks.find(call.bank)
    bound = f"deleted {bank.pk} {call.condition.alternatives}"
    oldest = clock.now() - policy.REVIVABLE
    rows = Tombstone.objects.filter(bank=bank, delete_time__gt=oldest).order_by("-delete_time", "-id")
    cursor = call.cursor(bound)
    if cursor and cursor.anchor:
        at, row = cursor.anchor
        rows = rows.filter(delete_time__lte=at).exclude(delete_time=at, pk__gte=row)
    size = call.page_size()
    found: list[tuple[Tombstone, JsonObject]] = []
    for buried in rows.iterator(chunk_size=size + 1):
        memory: JsonObject = json.loads(buried.memory)
        if call.condition.covers(memory["scope"]):
            found.append((buried, memory))
        if len(found) > size:
            break
    answer: JsonObject = {
        "deletedMemories": [
            {
                "memory": memory,
                "deleteTime": Timestamp.of_micros(buried.delete_time),
                "purgeTime": Timestamp.of_micros(buried.delete_time + policy.REVIVABLE),
            }
            for buried, memory in found[:size]
        ]
    }
    if len(found) > size:
        last = found[size - 1][0]
        answer["nextPageToken"] = call.token(pages.Cursor((last.delete_time, last.pk)), bound)
    return answer


def batch_create(call: Call) -> Written:
    """All or nothing; createTime and updateTime are kept as given."""
    bank = banks.find(call.bank)
    asked = call.body(BatchCreateMemoriesRequest).requests
    if not 0 < len(asked) <= MAX_BATCH:
        raise InvalidArgument.at("requests", f"expected 1 to {MAX_BATCH} memories; found {len(asked)}.")
    for index, new in enumerate(asked):
        try:
            policy.check_new(new.memory)
            store.visible(call.condition, new.memory.scope or {}, new.memory_id or "new")
        except InvalidArgument as error:
            at = f"requests[{index}].memory"
            raise InvalidArgument.of([(f"{at}.{path}", text) for path, text in error.violations]) from None
    made = store.insert(bank, [(new.memory_id or "", new.memory) for new in asked], timed=True)
    name: BankName = records.bank_name(bank)
    body = {"memories": [records.memory_of(str(name), row) for row, _revision in made]}
    return Written(body, str(name), count=len(made))
