"""Memories as the templates draw them: everything a row needs, prepared here, so that a template only loops."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console import zones
from memories.wire import scopes
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


class Chip(TypedDict):
    key: str
    value: str
    href: str  # empty where the filter already holds the pair


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
    chips: list[Chip]
    fact: str
    structured: list[tuple[str, str]]
    schema: str
    long: bool
    cut: int  # characters of the whole fact where it is cut, else 0
    topics: list[str]
    title: str
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


def chips(scope: Mapping[str, str] | None, link: Callable[[str, str], str]) -> list[Chip]:
    return [
        {"key": visible(key), "value": visible(value), "href": link(key, value)}
        for key, value in scopes.ordered(scope or {}).items()
    ]


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


def row(memory: Memory, *, url: str, link: Callable[[str, str], str], now: datetime) -> Row:
    """`url` is the address of the bank's memories, `link` gives the list filtered by one more scope pair."""
    name = memory.name or ""
    memory_id = name.rpartition("/")[2]
    fact = memory.fact or ""
    cut = len(fact) if len(fact) > INLINE else 0
    shown = fact[:INLINE] if cut else fact
    return {
        "id": memory_id,
        "url": f"{url}/{memory_id}",
        "name": name,
        "chips": chips(memory.scope, link),
        "fact": shown,
        "structured": fields(memory.structured_content.data) if memory.structured_content else [],
        "schema": memory.structured_content.schema_id if memory.structured_content else "",
        "long": len(shown) > LONG or shown.count("\n") > 3,
        "cut": cut,
        "topics": [topic(found) for found in memory.topics or ()],
        "title": memory.display_name or "",
        "created": time(memory.create_time, now),
        "updated": time(memory.update_time, now),
        "expires": badge(memory.expire_time, now),
    }


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
