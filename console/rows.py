"""A memory as it is drawn: its chips, times, topics and values in words."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console import zones
from memories.wire.resources import Memory, MemoryMetadataValue, MemoryTopicId
from memories.wire.times import Timestamp

INLINE = 4096  # characters of a fact shown in a list; the whole is one click away
LONG = 280  # from here on four lines may not hold it

TOPICS = {
    "USER_PERSONAL_INFO": gettext_lazy("Personal information"),
    "USER_PREFERENCES": gettext_lazy("User preferences"),
    "KEY_CONVERSATION_DETAILS": gettext_lazy("Conversation details"),
    "EXPLICIT_INSTRUCTIONS": gettext_lazy("Explicit instructions"),
}


type Link = Callable[[str, str], str]
"""The address of the list with one more scope pair; empty where the filter already holds it."""


class Time(TypedDict):
    iso: str
    text: str
    exact: str


class Badge(TypedDict):
    text: str
    exact: str
    soon: bool


class Row(TypedDict):
    id: str
    url: str
    name: str
    chips: SafeString
    fact: str
    structured: list[tuple[str, str]]
    schema: str
    topics: list[str]
    created: Time | None
    updated: Time | None
    expires: Badge | None


def visible(text: str) -> str:
    """Spaces at the ends and signs without a shape, made visible. For showing, never for copying."""
    stripped = text.strip(" ")
    if stripped != text:
        lead = len(text) - len(text.lstrip(" "))
        tail = len(text) - len(text.rstrip(" ")) if stripped else 0
        text = "␣" * lead + stripped + "␣" * tail
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else f"⟨U+{ord(sign):04X}⟩" for sign in text)


def chips(scope: Mapping[str, str] | None, link: Link) -> SafeString:
    """The pairs of a scope in their one order, each a link that narrows the list."""
    return format_html_join(" ", "{}", ((_chip(key, value, link),) for key, value in sorted((scope or {}).items())))


def _chip(key: str, value: str, link: Link) -> SafeString:
    href, key, value = link(key, value), visible(key), visible(value)
    if not href:
        return format_html('<span class="chip on" dir="ltr"><span>{}:</span><b>{}</b></span>', key, value)
    return format_html('<a class="chip" dir="ltr" href="{}"><span>{}:</span><b>{}</b></a>', href, key, value)


def time(stamp: Timestamp | None, now: datetime) -> Time | None:
    """A missing time stays missing."""
    if stamp is None:
        return None
    moment = stamp.datetime
    return {"iso": stamp, "text": zones.relative(moment, now=now), "exact": zones.exact(moment)}


def badge(stamp: Timestamp | None, now: datetime) -> Badge | None:
    if stamp is None:
        return None
    left = stamp.datetime - now
    if left.total_seconds() <= 0:
        text = _("expired")
    elif left.days < 30:
        text = _("expires %(when)s") % {"when": zones.until(left)}
    else:
        text = _("expires on %(day)s") % {"day": zones.day(timezone.localtime(stamp.datetime))}
    return {"text": text, "exact": zones.exact(stamp.datetime), "soon": left.days < 7}


def topic(found: MemoryTopicId) -> str:
    return str(TOPICS.get(found.managed_memory_topic or "", found.label))


def fields(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(field, value as text) of structured data."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in data.items()
    ]


def lines(data: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in fields(data))


def is_long(shown: str) -> bool:
    """Whether four lines of a list may not hold it."""
    return len(shown) > LONG or shown.count("\n") > 3


def row(memory: Memory, *, url: str, link: Link, now: datetime) -> Row:
    """One memory for a page of its own; `url` is the address of the bank's memories."""
    name = memory.name or ""
    memory_id = name.rpartition("/")[2]
    content = memory.structured_content
    return {
        "id": memory_id,
        "url": f"{url}/{memory_id}",
        "name": name,
        "chips": chips(memory.scope, link),
        "fact": memory.fact or "",
        "structured": fields(content.data) if content else [],
        "schema": content.schema_id if content else "",
        "topics": [topic(found) for found in memory.topics or ()],
        "created": time(memory.create_time, now),
        "updated": time(memory.update_time, now),
        "expires": badge(memory.expire_time, now),
    }


def text(memory: Memory, field: str) -> str:
    """A field that can be edited, as text to compare."""
    match field:
        case "topics":
            return "\n".join(topic(found) for found in memory.topics or ())
        case "metadata":
            return "\n".join(f"{row['key']}: {row['value']}" for row in metadata(memory))
        case "expire_time":
            return zones.exact(memory.expire_time.datetime) if memory.expire_time else ""
        case "structured_content":
            return lines(memory.structured_content.data) if memory.structured_content else ""
        case _:
            return str(getattr(memory, field) or "")


class MetadataRow(TypedDict):
    key: str
    value: str
    kind: str


def metadata_value(value: MemoryMetadataValue) -> tuple[str, str]:
    """(kind, text): kinds are string, double, bool and timestamp."""
    if value.string_value is not None:
        return "string", value.string_value
    if value.bool_value is not None:
        return "bool", "true" if value.bool_value else "false"
    if value.timestamp_value is not None:
        return "timestamp", value.timestamp_value
    number = value.double_value
    return "double", "" if number is None else (str(int(number)) if number == int(number) else repr(number))


def metadata(memory: Memory) -> list[MetadataRow]:
    rows: list[MetadataRow] = []
    for key, value in sorted((memory.metadata or {}).items()):
        kind, text = metadata_value(value)
        if kind == "timestamp":
            text = zones.exact(Timestamp(text).datetime)
        rows.append({"key": key, "kind": kind, "value": text})
    return rows
