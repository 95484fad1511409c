"""What an agent would get, as rows: its rank and distance, and what is kept from it."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from django.utils.translation import gettext as _

from console import rows
from memories.wire import metadata
from memories.wire.resources import MemoryConjunctionFilter, RetrievedMemory


class Row(TypedDict):
    rank: int
    id: str
    url: str
    fact: str
    long: bool
    schema: str
    structured: list[tuple[str, str]]
    topics: list[str]
    updated: rows.Time | None
    expires: rows.Badge | None
    distance: str
    bar: str
    """The length of the distance in a hundred."""
    why: str
    """Why an agent does not get it; empty where it does."""


def draw(found: Sequence[RetrievedMemory], *, url: str, far: float, now: datetime, first: int = 1) -> list[Row]:
    """`far` is the distance at which a bar is full; `url` is the address of the bank's memories."""
    return [_row(one, number, url=url, far=far, now=now) for number, one in enumerate(found, first)]


def _row(one: RetrievedMemory, rank: int, *, url: str, far: float, now: datetime) -> Row:
    memory, id = one.memory, (one.memory.name or "").rpartition("/")[2]
    fact, content = memory.fact or "", memory.structured_content
    shown = fact if len(fact) <= rows.INLINE else f"{fact[: rows.INLINE]}…"
    return {
        "rank": rank,
        "id": id,
        "url": f"{url}/{id}",
        "fact": shown,
        "long": rows.is_long(shown),
        "schema": content.schema_id if content else "",
        "structured": rows.fields(content.data) if content else [],
        "topics": [rows.topic(topic) for topic in memory.topics or ()],
        "updated": rows.time(memory.update_time, now),
        "expires": rows.badge(memory.expire_time, now),
        "distance": "" if one.distance is None else f"{one.distance:.3f}",
        "bar": "" if one.distance is None else f"{min(one.distance / far, 1) * 100:.1f}",
        "why": "",
    }


def scale(*some: Sequence[RetrievedMemory]) -> float:
    """Where the bars of these end: the next half above the farthest."""
    most = max((one.distance or 0 for found in some for one in found), default=0)
    return max(math.ceil(most * 2) / 2, 0.5)


def kept_out(
    wide: Sequence[RetrievedMemory],
    got: Sequence[RetrievedMemory],
    *,
    types: Sequence[str],
    groups: Sequence[MemoryConjunctionFilter],
) -> list[tuple[RetrievedMemory, str]]:
    """Of what the scope holds near the query, that which the conditions leave out, with the reason."""
    names, passes = {one.memory.name for one in got}, metadata.predicate(groups)
    found = []
    for one in wide:
        if one.memory.name in names:
            continue
        if (one.memory.memory_type or "") not in types:
            found.append((one, _("another memory type")))
        elif not passes(one.memory.wire().get("metadata") or {}):
            found.append((one, _("the metadata conditions")))
        else:
            found.append((one, _("the system filter")))
    return found
