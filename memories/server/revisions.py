"""Revisions read. They outlive their memory by 48 hours."""

import json

from memories.access.checks import Condition
from memories.server import clock, policy, records
from memories.server.models import Bank, Memory, Revision, Tombstone
from memories.server.store import visible
from memories.wire import filters
from memories.wire.errors import NotFound


def page(
    bank: Bank, memory_id: str, *, filter: str, size: int, before: int | None, condition: Condition
) -> tuple[list[Revision], bool]:
    """The newest first, and whether more follow; `before` is the row to go on from."""
    _check(bank, memory_id, condition)
    rows = Revision.objects.filter(bank=bank, memory_id=memory_id, expire_time__gt=clock.now()).order_by("-id")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    if not filter.strip():
        found = list(rows[: size + 1])
        return found[:size], len(found) > size
    matches = filters.predicate(filters.check(filters.parse(filter), filters.REVISION_FIELDS))
    kept: list[Revision] = []
    for row in rows.iterator(chunk_size=200):
        labels: dict[str, str] = json.loads(row.labels or "{}")
        if matches(lambda path, labels=labels: labels.get(path[1])):  # type: ignore[misc]
            kept.append(row)
            if len(kept) > size:
                break
    return kept[:size], len(kept) > size


def find(bank: Bank, memory_id: str, revision_id: str, *, condition: Condition) -> Revision:
    _check(bank, memory_id, condition)
    found = Revision.objects.filter(
        bank=bank, memory_id=memory_id, revision_id=revision_id, expire_time__gt=clock.now()
    ).first()
    if found is None:
        raise NotFound(f"Memory '{memory_id}' has no revision '{revision_id[:80]}'.")
    return found


def _check(bank: Bank, memory_id: str, condition: Condition) -> None:
    """NotFound unless the memory lives, or went in the last 48 hours, and may be seen."""
    oldest = clock.now() - policy.REVIVABLE
    row = Memory.objects.select_related("scope").filter(bank=bank, memory_id=memory_id).first()
    if row is not None and (row.expire_time is None or row.expire_time > oldest):
        visible(condition, json.loads(row.scope.canonical), memory_id)
        return
    buried = Tombstone.objects.filter(bank=bank, memory_id=memory_id, delete_time__gt=oldest).first()
    if buried is None:
        raise NotFound(f"Memory '{records.bank_name(bank)}/memories/{memory_id}' was not found.")
    visible(condition, json.loads(buried.memory)["scope"], memory_id)
