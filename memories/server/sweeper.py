"""What has expired is taken away for good, in steps small enough not to hold up writers."""

from typing import Any

from django.db import transaction

from memories.server import clock, policy, store
from memories.server.models import Memory, Operation, Revision, Tombstone

STEP = 500


def sweep() -> dict[str, int]:
    """How many of each were removed."""
    return {
        "expired memories": _memories(),
        "deleted memories": _tombstones(),
        "expired revisions": _rows(Revision, "expire_time", clock.now()),
        "old operations": _rows(Operation, "create_time", clock.now() - policy.OPERATION_LIFE),
    }


def _memories() -> int:
    """An expired memory goes as a deleted one does: its revisions stay readable for 48 hours."""
    total = 0
    while True:
        with transaction.atomic():
            rows = Memory.objects.select_related("bank", "scope").filter(expire_time__lte=clock.now())
            found = list(rows.order_by("expire_time")[:STEP])
            for row in found:
                store.bury(row.bank, row, at=max(row.expire_time or 0, row.update_time + 1))
        total += len(found)
        if len(found) < STEP:
            return total


def _tombstones() -> int:
    total = 0
    while True:
        with transaction.atomic():
            found = list(Tombstone.objects.filter(delete_time__lte=clock.now() - policy.REVIVABLE)[:STEP])
            for buried in found:
                Revision.objects.filter(bank_id=buried.bank_id, memory_id=buried.memory_id).delete()
                buried.delete()
        total += len(found)
        if len(found) < STEP:
            return total


def _rows(model: type[Revision] | type[Operation], field: str, until: int) -> int:
    total = 0
    while True:
        keys: list[Any] = list(model.objects.filter(**{f"{field}__lte": until}).values_list("pk", flat=True)[:STEP])
        total += model.objects.filter(pk__in=keys).delete()[0]
        if len(keys) < STEP:
            return total
