"""The questions that every page answers alike: signed out, wrong verb, missing, forbidden, bank out of order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpResponseBase
from django.test import Client
from pytest_django import Settings

from tests.made import PASSWORD, People, signed_in
from tests.views import servers
from tests.views.answers import HTMX, is_whole, link, text_of, words_of
from tests.views.place import Place

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Target:
    """A page: its address in a bank with one memory, its verbs, the permission it needs, the fragment it has."""

    address: Callable[[Place, str], str]
    verbs: tuple[str, ...] = ("GET", "HEAD")
    needs: str = ""
    has_fragment: bool = False
    data: tuple[tuple[str, str], ...] = ()
    """What is posted, so that the form itself is right."""


FORM = ("GET", "HEAD", "POST")
BASE = ("base", '{"fact": "I live in Rome.", "updateTime": "2026-01-01T00:00:00Z"}')
PAGES = {
    "banks": Target(lambda place, id: "/banks"),
    "list": Target(lambda place, id: place.list, needs="memories.list", has_fragment=True),
    "scopes": Target(lambda place, id: place.url("scopes"), needs="memories.list", has_fragment=True),
    "pair": Target(lambda place, id: place.url("pair") + "?key=user_id&value=u-0001", needs="memories.list"),
    "structured": Target(
        lambda place, id: place.url("structured") + "?q=user_id%3Au-0001", needs="memories.retrieve", has_fragment=True
    ),
    "retrieve": Target(
        lambda place, id: place.url("retrieve") + "?q=user_id%3Au-0001", needs="memories.retrieve", has_fragment=True
    ),
    "memory": Target(lambda place, id: place.url("memory", id), needs="memories.get"),
    "copy": Target(lambda place, id: place.url("memory_copy", id, "json"), needs="memories.get"),
    "create": Target(
        lambda place, id: place.url("memory_create"),
        FORM,
        "memories.create",
        data=(("fact", "I like tea."), ("scope_key", "a"), ("scope_value", "1")),
    ),
    "edit": Target(
        lambda place, id: place.url("memory_edit", id), FORM, "memories.update", data=(BASE, ("fact", "I like tea."))
    ),
    "delete": Target(lambda place, id: place.url("memory_delete", id), FORM, "memories.delete", True),
    "rollback": Target(
        lambda place, id: place.url("rollback", id, place.revisions(id)[-1]), FORM, "memoryRevisions.rollback", True
    ),
}
IN_A_BANK = [name for name in PAGES if name != "banks"]
OF_A_MEMORY = ["memory", "copy", "edit", "delete", "rollback"]
CHANGES = ["create", "edit", "delete", "rollback"]


@pytest.fixture
def memory(place: Place) -> str:
    found = place.add("I live in Milan.")
    place.change(found, fact="I live in Rome.")
    return found


def ask(client: Client, verb: str, url: str, data: Any = None, **headers: str) -> HttpResponseBase:
    if verb == "POST":
        return client.post(url, data or {}, headers=headers)
    return client.generic(verb, url, headers=headers)


# --- works ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_works(page: str, place: Place, memory: str, as_support: Client) -> None:
    url = PAGES[page].address(place, memory)
    answer = as_support.get(url)
    assert answer.status_code == 200
    assert is_whole(answer) == (page != "copy")
    assert answer.headers["Cache-Control"].startswith(("no-store", "max-age=0"))
    assert "HX-Request-Type" in answer.headers["Vary"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "DENY"
    head = as_support.head(url)
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize("page", [name for name, target in PAGES.items() if target.has_fragment])
def test_fragment(page: str, place: Place, memory: str, as_support: Client) -> None:
    url = PAGES[page].address(place, memory)
    whole, part = as_support.get(url), as_support.get(url, headers=HTMX)
    assert part.status_code == 200
    assert not is_whole(part)
    for frame in ("<html", "<head", "<main", "<header", 'id="dialog"', 'id="messages"'):
        assert frame not in text_of(part)
    assert len(text_of(part)) < len(text_of(whole))
    # htmx swaps whole pages too, and then wants them whole.
    assert is_whole(as_support.get(url, headers={"HX-Request": "true"}))


# --- signed out -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["GET", "POST"])
@pytest.mark.parametrize("page", PAGES)
def test_signed_out(page: str, verb: str, place: Place, memory: str) -> None:
    url = PAGES[page].address(place, memory) + "?x=1%202"
    answer = ask(Client(), verb, url)
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/sign-in?next={quote(url)}"
    by_htmx = ask(Client(), verb, url, **HTMX)
    assert by_htmx.status_code == 200
    assert by_htmx.headers["HX-Redirect"] == answer.headers["Location"]
    assert text_of(by_htmx) == ""


def test_signed_out_of_a_disabled_account(people: People, place: Place) -> None:
    client = signed_in(people.support)
    people.support.is_active = False
    people.support.save()
    assert client.get(place.list).status_code == 302


# --- wrong verb -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_wrong_verb(page: str, place: Place, memory: str, as_admin: Client) -> None:
    target = PAGES[page]
    for verb in VERBS:
        if verb not in target.verbs:
            answer = ask(as_admin, verb, target.address(place, memory))
            assert (verb, answer.status_code) == (verb, 405)
            assert set(answer.headers["Allow"].split(", ")) == set(target.verbs)
    assert place.get(memory).fact == "I live in Rome."


@pytest.mark.parametrize(("name", "url"), [("sign out", "/sign-out"), ("preferences", "/preferences")])
def test_what_changes_something_is_not_a_link(name: str, url: str, as_support: Client) -> None:
    assert as_support.get(url).status_code == 405


# --- missing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["GET", "POST"])
@pytest.mark.parametrize("page", OF_A_MEMORY)
def test_missing_memory(page: str, verb: str, place: Place, memory: str, as_admin: Client) -> None:
    target = PAGES[page]
    if verb not in target.verbs:
        return
    url = target.address(place, memory).replace(memory, "no-such-memory")
    answer = ask(as_admin, verb, url, dict(target.data))
    if (page, verb) == ("delete", "POST"):  # what was wanted is so already
        assert answer.status_code == 302
        assert "The memory was already gone." in words_of(as_admin.get(answer.headers["Location"]))
        return
    # What was typed into an edit form stays: that is a conflict, see test_edit.
    assert answer.status_code == (409 if (page, verb) == ("edit", "POST") else 404)
    if answer.status_code == 404:
        assert "Not found" in words_of(answer)
        assert link(answer, "Back") == place.list


@pytest.mark.parametrize("page", IN_A_BANK)
def test_missing_bank(page: str, place: Place, memory: str, as_admin: Client) -> None:
    target = PAGES[page]
    url = target.address(place, memory).replace(place.bank.name.id, "4711")
    answer = as_admin.get(url)
    assert answer.status_code == 404
    assert "Not found" in words_of(answer)
    elsewhere = target.address(place, memory).replace("us-central1", "europe-west4")
    assert as_admin.get(elsewhere).status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/banks/us-central1", 404),
        ("/banks/us-central1/1/nothing", 404),
        ("/banks/us%2Fcentral1/1/memories", 404),
        ("/banks/us-central1/1/memories/a%20b", 404),
        ("/banks/us-central1/1/memories/a%2F..%2Fb", 404),
        ("/banks/us-central1/1/memories/m/copy/xml", 404),
    ],
)
def test_no_such_page(path: str, status: int, as_admin: Client) -> None:
    assert as_admin.get(path).status_code == status


# D28: an id that can be none is said to be wrong, not broken.
@pytest.mark.parametrize("id", ["-", "_", "-abc", "abc-", "x" * 200])
def test_malformed_ids(id: str, place: Place, as_admin: Client) -> None:
    for answer in (as_admin.get(place.url("memory", id)), as_admin.get(place.url("memory_delete", id))):
        assert answer.status_code in (400, 404)
        assert "refused" in words_of(answer) or "Not found" in words_of(answer)


def test_a_malformed_revision(place: Place, memory: str, as_admin: Client) -> None:
    assert as_admin.get(place.url("rollback", memory, "no-such")).status_code == 404
    assert as_admin.get(place.url("rollback", memory, "a b")).status_code in (400, 404)


# --- forbidden --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["GET", "POST"])
@pytest.mark.parametrize("page", IN_A_BANK)
def test_forbidden_to_nobody(page: str, verb: str, place: Place, memory: str, as_nobody: Client) -> None:
    """D71, D72: which permission, which role holds it, who is signed in; never an empty list."""
    target = PAGES[page]
    if verb not in target.verbs:
        return
    answer = ask(as_nobody, verb, target.address(place, memory), dict(target.data))
    assert answer.status_code == 403
    said = words_of(answer)
    assert f"aiplatform.{target.needs}" in said or (page == "memory" and "aiplatform.memories.get" in said)
    assert "nora" in said
    assert "roles/" in said
    assert "Rome" not in said
    assert "Milan" not in said
    assert "holds no memories" not in said


@pytest.mark.parametrize("verb", ["GET", "POST"])
@pytest.mark.parametrize("page", CHANGES)
def test_forbidden_to_a_viewer(page: str, verb: str, place: Place, memory: str, as_viewer: Client) -> None:
    target = PAGES[page]
    answer = ask(as_viewer, verb, target.address(place, memory), dict(target.data))
    assert answer.status_code == 403
    said = words_of(answer)
    assert f"aiplatform.{target.needs}" in said
    assert "roles/aiplatform.memoryEditor" in said
    assert "vera" in said
    assert place.get(memory).fact == "I live in Rome."
    assert place.bank.list_memories().total_size == 1


@pytest.mark.parametrize("page", CHANGES)
def test_a_refused_change_leaves_one_row(page: str, place: Place, memory: str, as_viewer: Client) -> None:
    target = PAGES[page]
    as_viewer.post(target.address(place, memory), dict(target.data) | {"reason": "T-7"})
    action = f"aiplatform.{target.needs}"
    rows = place.trail("" if page == "create" else memory)
    assert rows == [("vera", action, "refused", "PERMISSION_DENIED", "T-7")]


@pytest.mark.parametrize("page", CHANGES)
def test_a_refused_look_leaves_none(page: str, place: Place, memory: str, as_viewer: Client) -> None:
    as_viewer.get(PAGES[page].address(place, memory))
    assert place.trail(memory) == place.trail("") == []


@pytest.mark.parametrize("page", ["list", "delete", "rollback"])
def test_forbidden_fragment(page: str, place: Place, memory: str, as_nobody: Client) -> None:
    answer = as_nobody.get(PAGES[page].address(place, memory), headers=HTMX)
    assert answer.status_code == 403
    assert not is_whole(answer)
    assert f"aiplatform.{PAGES[page].needs}" in words_of(answer)


# --- the bank is out of order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", servers.BROKEN)
@pytest.mark.parametrize("page", PAGES)
def test_down(page: str, kind: str, place: Place, memory: str, as_admin: Client, settings: Settings) -> None:
    """D25: an error is drawn as an error, never as empty."""
    url = PAGES[page].address(place, memory)
    settings.MEMORY_BANK_SERVER = servers.named(kind)
    status = servers.BROKEN[kind]
    answer = as_admin.get(url)
    assert answer.status_code == status
    said, text = words_of(answer), text_of(answer)
    assert any(title in said for title in ("cannot be reached", "No answer in time", "Too many requests"))
    assert link(answer, "Try again") == url
    for empty in ("holds no memories", "No bank to show", "No memory matches", "No revisions"):
        assert empty not in said
    assert "<img" not in text
    assert "Traceback" not in text
    if kind == "unavailable":
        assert answer.headers["Retry-After"] == "7"
    part = as_admin.get(url, headers=HTMX)
    assert part.status_code == status
    assert not is_whole(part)


@pytest.mark.parametrize("page", CHANGES)
def test_a_change_that_fails_is_not_done(
    page: str, place: Place, memory: str, as_admin: Client, settings: Settings
) -> None:
    """D40: whoever deletes and fails sees that it failed."""
    target = PAGES[page]
    url = target.address(place, memory)
    settings.MEMORY_BANK_SERVER = servers.named("reads_alone")
    answer = as_admin.post(url, dict(target.data))
    assert answer.status_code == 503
    assert "cannot be reached" in words_of(answer)
    assert "<img" not in text_of(answer)
    assert place.get(memory).fact == "I live in Rome."


# --- CSRF -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", CHANGES)
def test_a_form_from_elsewhere_changes_nothing(page: str, place: Place, memory: str, people: People) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.admin)
    target = PAGES[page]
    answer = client.post(target.address(place, memory), dict(target.data))
    assert answer.status_code == 403
    assert "Nothing was changed" in words_of(answer)
    assert place.get(memory).fact == "I live in Rome."
    assert place.trail(memory) == []


@pytest.mark.parametrize("url", ["/sign-out", "/preferences", "/sign-in"])
def test_a_form_from_elsewhere_signs_nobody_in_or_out(url: str, people: People) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.support)
    assert client.post(url, {"username": "sam", "password": PASSWORD}).status_code == 403
    assert client.get("/banks").status_code == 200


def test_with_its_token_a_form_works(place: Place, memory: str, people: People) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.admin)
    url = place.url("memory_delete", memory)
    page = client.get(url)
    token = page.context["csrf_token"]
    assert client.post(url, {"csrfmiddlewaretoken": str(token)}).status_code == 302
    other = place.add("another")
    answer = client.post(place.url("memory_delete", other), headers={"X-CSRFToken": str(token), **HTMX})
    assert "HX-Redirect" in answer.headers
