"""How a scope differs from the one that was asked for, in words."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from console import rows
from console.links import Links
from memories.wire import likeness
from memories.wire.resources import NearScope


class Said(TypedDict):
    """`asked` and `found` are what differs, empty where only one of them has it."""

    text: str
    asked: str
    found: str


class Near(TypedDict):
    chips: SafeString
    count: int
    written: rows.Time | None
    differences: list[Said]
    spelled: bool
    """Whether it is the same scope but for the spelling."""
    memories: str
    structured: str
    retrieve: str


def words(asked: Mapping[str, str], found: Mapping[str, str]) -> list[Said]:
    return [_said(one) for one in likeness.differences(asked, found)]


def near(one: NearScope, asked: Mapping[str, str], links: Links, *, now: datetime) -> Near:
    return {
        "chips": rows.chips(one.scope, links.pair),
        "count": one.memory_count,
        "written": rows.time(one.last_write_time, now),
        "differences": words(asked, one.scope),
        "spelled": one.difference in likeness.SPELLINGS,
        "memories": links.memories(one.scope),
        "structured": links.structured(one.scope),
        "retrieve": links.retrieve(one.scope),
    }


def _said(one: likeness.Difference) -> Said:
    asked, found = rows.visible(one.asked), rows.visible(one.found)
    match one.kind:
        case "case":
            text = _("another case")
        case "spaces":
            text = _("other spaces")
            asked, found = _spaced(one.asked), _spaced(one.found)
        case "unicode form":
            text = _("the same letters in another Unicode form")
            asked, found = f"{asked} ({_form(one.asked)})", f"{found} ({_form(one.found)})"
        case "spelling":
            text = _("spelled otherwise")
            asked, found = _spaced(one.asked), _spaced(one.found)
            if _form(one.asked) != _form(one.found):
                asked, found = f"{asked} ({_form(one.asked)})", f"{found} ({_form(one.found)})"
        case "prefix":
            text = _("begins the same")
        case "value":
            text = _("another value")
        case "key":
            text = _("another key")
        case "missing":
            text, asked, found = _("one key less"), f"{rows.visible(one.key)}:{asked}", ""
        case _:
            text, asked, found = _("one key more"), "", f"{rows.visible(one.key)}:{found}"
    return {"text": text, "asked": asked, "found": found}


def _spaced(text: str) -> str:
    return rows.visible(text.replace(" ", "␣"))


def _form(text: str) -> str:
    forms = [form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, text)]
    return forms[0] if forms else _("mixed")
