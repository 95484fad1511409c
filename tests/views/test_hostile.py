"""D56: text of a memory, a scope, a topic, a label or an error is text on every page, fragment and copy."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from memories.server.models import Revision
from tests import made
from tests.views import servers
from tests.views.answers import HTMX, read, text_of, words_of
from tests.views.place import Place

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "'><svg/onload=alert(1)>",
    '" hx-get="/sign-out" hx-trigger="load" onmouseover="alert(1)',
    "</textarea></title></template><script>alert(1)</script>",
    "{{ 7|add:7 }}{% debug %}<!--",
    "javascript:alert(1)",
]
HREF = re.compile(r"(/|\?|#|http://testserver/)")


def filled(place: Place, text: str) -> str:
    fields: dict[str, Any] = {
        "displayName": text[:128],
        "description": text,
        "context": text,
        "topics": [{"customMemoryTopicLabel": text}],
        "metadata": {text: {"stringValue": text}},
        "revisionLabels": {"label": text},
    }
    memory = made.tell(place.bank.name, text, {text: text, "user_id": text}, **fields).id
    place.change(memory, fact=f"changed {text}")
    return memory


def inert(answer: Any, text: str) -> None:
    """Nothing but what our own templates write is markup, nothing is a handler, no link leads to a script."""
    source = text_of(answer)
    for tag, attributes in read(answer).tags:
        assert tag not in ("img", "iframe", "object", "embed", "base", "style", "math")
        if tag == "script":
            assert (attributes.get("src") or "").startswith("/static/"), source
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("hx-get", "hx-post", "href", "action", "formaction", "src"):
                assert HREF.match(value or ""), (tag, name, value)
            if name.startswith("hx-") and name not in ("hx-get", "hx-post"):
                assert text not in (value or "")
            if name == "hx-headers:inherited":
                assert re.fullmatch(r'\{"X-CSRFToken": "\w+"\}', value or "")
    assert "onerror=alert(1)>" not in source
    assert "<script>alert" not in source


@pytest.mark.parametrize("text", HOSTILE)
def test_every_page_of_a_hostile_memory(text: str, place: Place, as_admin: Client) -> None:
    memory = filled(place, text)
    first = place.revisions(memory)[-1]
    pages = {
        place.list: {},
        place.url("memory", memory): {},
        place.url("memory_edit", memory): {},
        place.url("memory_delete", memory): {"next": text},
        place.url("rollback", memory, first): {},
        place.url("memory_create"): {"q": f'user_id:"{text}"'},
    }
    for url, query in pages.items():
        for headers in ({}, HTMX):
            answer = as_admin.get(url, query, headers=headers)
            assert answer.status_code == 200
            inert(answer, text)
            assert text in words_of(answer) or text in str(read(answer).fields) or "new" in url or '"' in text
    place.bank.delete_memory(memory)
    deleted = as_admin.get(place.url("memory", memory))
    inert(deleted, text)
    assert "This memory is deleted" in words_of(deleted)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_conditions(text: str, place: Place, as_admin: Client) -> None:
    filled(place, text)
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    for query in (
        {"q": f'user_id:"{quoted}"'},
        {"q": f'"{quoted}":"{quoted}"'},
        {"q": f'topic:"{quoted}"'},
        {"q": f'"{quoted}"'},
        {"q": f'created>="{text}"'},
        {"add": f"created:{text.replace(' ', '')}"},
        {"filter": text},
        {"filter": f'fact="{quoted}"'},
        {"edit": text},
        {"page": text},
        {"sort": text, "size": text},
    ):
        for headers in ({}, HTMX):
            answer = as_admin.get(place.list, query, headers=headers)
            assert answer.status_code in (200, 422), query
            inert(answer, text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_forms(text: str, place: Place, as_admin: Client) -> None:
    memory = place.add()
    fields = ("fact", "display_name", "description", "labels", "expires", "reason", "memory_id", "base", "zone", "next")
    data: dict[str, Any] = dict.fromkeys(fields, text)
    for kind in ("scope", "metadata"):
        data |= {f"{kind}_key": [text, text], f"{kind}_value": [text, text], f"{kind}_kind": ["double", text]}
    for url in (
        place.url("memory_create"),
        place.url("memory_edit", memory),
        place.url("memory_delete", memory),
        place.url("rollback", memory, place.revisions(memory)[0]),
        "/sign-in",
        "/preferences",
    ):
        for headers in ({}, HTMX):
            answer = as_admin.post(url, data, headers=headers)
            assert answer.status_code in (200, 302, 400, 404, 409, 422)
            inert(answer, text)
            location = answer.headers.get("Location") or answer.headers.get("HX-Redirect") or "/"
            assert location.startswith("/")
            assert not location.startswith("//")


def test_hostile_errors(place: Place, as_admin: Client, settings: Settings) -> None:
    memory = place.add()
    for kind in servers.BROKEN:
        settings.MEMORY_BANK_SERVER = servers.named(kind)
        for url in (place.list, place.url("memory", memory), "/banks"):
            for headers in ({}, HTMX):
                inert(as_admin.get(url, headers=headers), servers.HOSTILE)
    settings.MEMORY_BANK_SERVER = servers.named("unavailable")
    assert f"asleep {servers.HOSTILE}" in words_of(as_admin.get(place.list))  # said, and as text


def test_a_hostile_bank(as_admin: Client, db: None) -> None:
    text = HOSTILE[0]
    place = Place.make(displayName=text, description=text)
    for url in ("/banks", place.list, place.url("memory_create")):
        answer = as_admin.get(url)
        inert(answer, text)
        assert text in words_of(answer)


def test_a_hostile_reason_and_label(place: Place, as_admin: Client) -> None:
    text = HOSTILE[0]
    memory = place.add()
    as_admin.post(place.url("rollback", memory, place.revisions(memory)[0]), {"reason": text})
    Revision.objects.update(labels=f'{{"{text}": "{text}"}}')
    answer = as_admin.get(place.url("memory", memory))
    inert(answer, text)
    assert words_of(answer).count(text) >= 4


def test_copies_are_never_a_page(place: Place, as_admin: Client) -> None:
    memory = filled(place, HOSTILE[1])
    for form in ("json", "curl", "python"):
        answer = as_admin.get(place.url("memory_copy", memory, form))
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


# D54: what a reader of a right-to-left language needs is in the markup.
def test_direction_follows_each_fact(place: Place, as_admin: Client) -> None:
    memory = made.tell(
        place.bank.name, "המשתמש אוהב קפה (v2.1) user@example.com", {"user_id": "נועה", "app": "shop"}
    ).id
    page = text_of(as_admin.get(place.list))
    assert '<div class="text" dir="auto">המשתמש אוהב קפה (v2.1) user@example.com</div>' in page
    assert re.search(r'<a class="chip" dir="ltr"[^>]*><span>user_id:</span><b>נועה</b></a>', page)
    assert re.search(rf'<a class="code clip" dir="ltr"[^>]*>{memory}</a>', page)
    page = text_of(as_admin.get(place.url("memory", memory)))
    assert '<p class="fact" dir="auto">המשתמש' in page
    assert f'<bdi class="code name" dir="ltr">{place.name(memory)}</bdi>' in page
    page = text_of(as_admin.get(place.url("memory_edit", memory)))
    assert re.search(r'<textarea name="fact"[^>]*dir="auto"', page)
