"""The Admin API: what Google's lacks."""

import json
from collections.abc import Mapping

from memories.server import banks, clock, near_scopes, policy, records, scope_listing, store
from memories.server.door import Call, Written
from memories.server.models import Scope, Tombstone
from memories.wire import pages
from memories.wire.errors import InvalidArgument
from memories.wire.names import BankName
from memories.wire.resources import BatchCreateMemoriesRequest, JsonObject, NearScopesRequest
from memories.wire.scopes import digest
from memories.wire.scopes import validate as valid_scope
from memories.wire.times import Timestamp

MAX_BATCH = 1000


def scopes(call: Call) -> JsonObject:
    """The scopes of the bank with their counts and times, what looks like them, and how many there are."""
    bank = banks.find(call.bank)
    asked = {name: call.query.get(name, "") for name in ("filter", "search", "orderBy")}
    bound = f"scopes {bank.pk} {json.dumps(asked)} {call.condition.alternatives}"
    query = scope_listing.asked(
        bank.pk,
        filter=asked["filter"],
        search=asked["search"],
        order_by=asked["orderBy"],
        condition=call.condition,
    )
    page = scope_listing.page(query, size=call.page_size(), cursor=call.cursor(bound))
    alike = near_scopes.look_alikes(bank.pk, page.scopes, condition=call.condition)
    answer: JsonObject = {
        "scopes": [
            _summary(scope, page.gone)
            | ({"lookAlikes": [_near(one, page.gone) for one in alike[scope.pk]]} if scope.pk in alike else {})
            for scope in page.scopes
        ],
        "totalSize": page.total,
    }
    for name, cursor in (("next", page.next), ("previous", page.previous), ("last", page.last)):
        if cursor:
            answer[f"{name}PageToken"] = call.token(cursor, bound)
    if page.capped:
        answer["totalSizeCapped"] = True
    if page.start is not None:
        answer["startIndex"] = page.start
    if page.memories is not None:
        answer["memoryCount"] = page.memories
    return answer


def near(call: Call) -> JsonObject:
    """The scopes that are nearly the one asked for, as somebody who finds nothing there wants to know."""
    bank = banks.find(call.bank)
    asked = valid_scope(call.body(NearScopesRequest).scope)
    own = Scope.objects.filter(bank=bank, digest=digest(asked)).first()
    gone = {row: number for row, (number, _count) in scope_listing.expired(bank.pk).items()}
    answer: JsonObject = {
        "scopes": [_near(one, gone) for one in near_scopes.near(bank.pk, asked, condition=call.condition)],
        "memoryCount": own.count - gone.get(own.pk, 0) if own and call.condition.covers(asked) else 0,
    }
    return answer


def _near(one: near_scopes.Near, gone: Mapping[int, int]) -> JsonObject:
    return _summary(one.scope, gone) | {"difference": one.kind}


def _summary(scope: Scope, gone: Mapping[int, int]) -> JsonObject:
    return {
        "scope": scope.pairs,
        "memoryCount": scope.count - gone.get(scope.pk, 0),
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
