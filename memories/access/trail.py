"""The audit trail: one row for each change, done, refused or failed."""

import hmac
from typing import Literal

from django.conf import settings

from memories.access.checks import Principal
from memories.access.models import Entry
from memories.wire.errors import InvalidArgument
from memories.wire.names import BankName, MemoryName, RevisionName
from memories.wire.scopes import Scope, canonical

type Outcome = Literal["done", "refused", "failed"]


def scope_digest(scope: Scope) -> str:
    """What stands for a scope in the trail; only who has AUDIT_KEY can tell which scope it was."""
    return hmac.digest(settings.AUDIT_KEY, canonical(scope).encode(), "sha256").hex()


def _clean(text: str, limit: int) -> str:
    """Text that every database takes: no NUL, no half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")[:limit]


def _place(resource: str) -> tuple[str, str]:
    """The bank's key and the memory's id, as far as the name has them."""
    for parse in (MemoryName.parse, RevisionName.parse):
        try:
            found = parse(resource)
        except InvalidArgument:
            continue
        memory = found if isinstance(found, MemoryName) else found.memory
        return memory.bank.key, memory.id
    try:
        return BankName.parse(resource).key, ""
    except InvalidArgument:
        return "", ""


def record(
    principal: Principal,
    *,
    action: str,
    resource: str,
    outcome: Outcome,
    status: str = "",
    reason: str = "",
    revision: str = "",
    scope: Scope | None = None,
    count: int | None = None,
) -> None:
    """Writes the row, in the transaction that is open if there is one.

    `action` is the permission that was needed, `status` the canonical status of a change that was not done,
    `revision` the id or the name of the revision made.
    """
    bank, memory = _place(resource)
    Entry.objects.create(
        person=_clean(principal.name, 150),
        via=_clean(principal.via, 120),
        action=_clean(action, 100),
        resource=_clean(resource, 500),
        bank=bank,
        memory=memory,
        scope_digest=scope_digest(scope) if scope else "",
        outcome=outcome,
        status=_clean(status, 40),
        reason=_clean(reason, 1000),
        revision=_clean(revision.rpartition("/")[2], 130),
        count=count,
    )


def entries(
    *, resource: BankName | MemoryName | None = None, limit: int = 100, before: int | None = None
) -> list[Entry]:
    """The newest rows first: of a memory, of a bank with all in it, or of everything.

    `before` is the id of the last row of the page before.
    """
    found = Entry.objects.order_by("-id")
    match resource:
        case MemoryName():
            found = found.filter(bank=resource.bank.key, memory=resource.id)
        case BankName():
            found = found.filter(bank=resource.key)
    if before is not None:
        found = found.filter(id__lt=before)
    return list(found[:limit])
