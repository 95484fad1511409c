"""The revisions of a memory as a timeline: what each changed, who made it, and why."""

from datetime import datetime, timedelta
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console import diffs, rows, zones
from memories.access.models import Entry
from memories.wire.resources import ListMemoryRevisionsResponse, Memory, MemoryRevision

REVIVABLE = timedelta(hours=48)

ACTIONS = {
    "aiplatform.memories.create": gettext_lazy("create"),
    "aiplatform.memories.update": gettext_lazy("edit"),
    "aiplatform.memories.delete": gettext_lazy("delete"),
    "aiplatform.memories.generate": gettext_lazy("generate"),
    "aiplatform.memoryRevisions.rollback": gettext_lazy("roll back"),
}


class Item(TypedDict):
    id: str
    when: rows.Time | None
    text: str
    parts: list[diffs.Part]
    compared: bool  # whether the parts are a difference to the revision before
    current: bool
    deletion: bool
    first: bool
    restorable: bool
    who: str
    reason: str
    labels: list[tuple[str, str]]
    extracted: list[dict[str, str]]
    expires: rows.Badge | None


def text(revision: MemoryRevision) -> str:
    """What the revision holds, as text: the fact, or the structured data field by field."""
    return revision.fact or "" if revision.structured_data is None else rows.lines(revision.structured_data)


def entries(
    page: ListMemoryRevisionsResponse, trail: list[Entry], *, current: Memory | None, later: bool, now: datetime
) -> list[Item]:
    """One item a revision, newest first, each with the difference to the one before it.

    `current` is None for a deleted memory; `later` says that newer revisions are on a page before. The oldest of a
    page that has a next one is shown without a difference.
    """
    found = page.memory_revisions
    by_revision = {entry.revision: entry for entry in trail if entry.revision}
    items: list[Item] = []
    for index, revision in enumerate(found):
        revision_id = (revision.name or "").rpartition("/")[2]
        after, older = text(revision), found[index + 1] if index + 1 < len(found) else None
        first = older is None and not page.next_page_token
        made = by_revision.get(revision_id)
        newest = index == 0 and not later
        items.append(
            {
                "id": revision_id,
                "when": rows.time(revision.create_time, now),
                "text": after,
                "parts": diffs.words(text(older), after) if older else [],
                "compared": older is not None and text(older) != after,
                "current": newest and current is not None,
                "deletion": not after,
                "first": first,
                "restorable": bool(after) and not (newest and current is not None),
                "who": made.person if made else "",
                "reason": made.reason if made else "",
                "labels": sorted((revision.labels or {}).items()),
                "extracted": [
                    {"fact": source.fact or "", "context": source.context or ""}
                    for source in revision.extracted_memories or ()
                ],
                "expires": rows.badge(revision.expire_time, now),
            }
        )
    return items


def deletion(page: ListMemoryRevisionsResponse) -> dict[str, Any]:
    """When the memory was deleted and until when it can be revived."""
    newest = page.memory_revisions[0]
    if newest.create_time is None:
        return {}
    moment = newest.create_time.datetime
    return {"at": zones.exact(moment), "until": zones.exact(moment + REVIVABLE)}


def activity(trail: list[Entry]) -> list[dict[str, str]]:
    outcomes = {"done": _("done"), "refused": _("refused"), "failed": _("failed")}
    return [
        {
            "when": zones.exact(entry.at),
            "iso": timezone.localtime(entry.at).isoformat(),
            "who": entry.person,
            "via": entry.via,
            "what": str(ACTIONS.get(entry.action, entry.action)),
            "outcome": outcomes[entry.outcome],
            "kind": entry.outcome,
            "status": entry.status,
            "reason": entry.reason,
        }
        for entry in trail
    ]
