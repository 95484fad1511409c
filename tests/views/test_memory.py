"""One memory: everything that the API knows of it, its revisions, and what was done to it; also when it is deleted."""

import json
import re
import shlex
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from memories.wire.resources import Memory
from tests import made
from tests.made import People, person, signed_in
from tests.views.answers import fields_of, link, links_of, text_of, words_of
from tests.views.place import SCOPE, Place

FULL: dict[str, Any] = {
    "displayName": "Home",
    "description": "Where the guest lives.",
    "topics": [{"managedMemoryTopic": "USER_PERSONAL_INFO"}, {"customMemoryTopicLabel": "a|b"}],
    "metadata": {
        "confirmed": {"boolValue": True},
        "weight": {"doubleValue": 0.25},
        "source": {"stringValue": "  chat "},
        "seen": {"timestampValue": "2026-07-25T02:00:00Z"},
    },
    "expireTime": "2999-07-25T02:00:00Z",
}


def test_everything_that_is_known(place: Place, as_viewer: Client) -> None:
    as_viewer.cookies["timezone"] = "Asia/Jerusalem"
    fields = FULL | {"createTime": "2026-07-24T22:00:00Z", "updateTime": "2026-07-25T02:00:00Z"}
    memory = made.tell(place.bank.name, "I live in Rome.", {"user_id": "1", "app_name": "shop"}, **fields).id
    answer = as_viewer.get(place.url("memory", memory))
    said = words_of(answer)
    for text in (
        "I live in Rome.",
        "app_name: 1"[:9],
        "Home",
        "Where the guest lives.",
        "Personal information · a|b",
        "confirmed true",
        "weight 0.25",
        "source “ chat ”",
        "25 Jul 2026, 05:00:00 IDT",
        "25 Jul 2026, 01:00:00 IDT",
        "25 Jul 2999, 05:00:00 IDT",
        "expires on 25 Jul 2999",
        place.name(memory),
        "as vera",
    ):
        assert text in said, text
    assert link(answer, "user_id:1") == f"{place.list}?q=user_id%3A1"
    assert place.name(memory) in re.findall(r'data-copy="([^"]*)"', text_of(answer))
    assert link(answer, "Memories") == place.list


def test_what_is_not_there_is_not_invented(place: Place, as_viewer: Client) -> None:
    said = words_of(as_viewer.get(place.url("memory", place.add())))
    assert "Expires never" in said
    assert "Topics —" in said
    assert "Metadata —" in said
    for title in ("Display name", "Description", "Schema"):
        assert title not in said


def test_a_structured_memory(place: Place, as_viewer: Client) -> None:
    body = Memory.model_validate(
        {
            "scope": SCOPE,
            "memoryType": "STRUCTURED_PROFILE",
            "structuredContent": {"schemaId": "wardrobe", "data": {"size": 39.5, "colours": ["green"]}},
        }
    )
    memory = (place.bank.create_memory(body).name or "").rpartition("/")[2]
    for url in (place.url("memory", memory), place.list):
        said = words_of(as_viewer.get(url))
        for text in ("wardrobe", "size", "39.5", "colours", '["green"]'):
            assert text in said


# --- revisions --------------------------------------------------------------------------------------------------------


# D37
def test_revisions_differ_word_by_word_newest_first(place: Place, as_viewer: Client) -> None:
    memory = place.add("I like green tea.")
    place.change(memory, fact="I like black tea.")
    place.change(memory, fact="I like black coffee.")
    answer = as_viewer.get(place.url("memory", memory))
    text = text_of(answer)
    differences = re.findall(r'<p class="diff" dir="auto">(.*?)</p>', text, re.DOTALL)
    assert differences == [
        "I like black <del>tea</del><ins>coffee</ins>.",
        "I like <del>green</del><ins>black</ins> tea.",
    ]
    # Each says plainly what it holds, so that nobody has to put it together from a difference.
    whole = re.findall(r'<p class="says" dir="auto">(.*?)</p>', text, re.DOTALL)
    assert whole == ["I like black coffee.", "I like black tea.", "I like green tea."]
    said = words_of(answer)
    assert said.count("current") == 1
    assert "first revision" in said
    ids = place.revisions(memory)
    assert [said.index(one) for one in ids] == sorted(said.index(one) for one in ids)


def test_revisions_are_paged_and_the_oldest_of_a_page_claims_no_difference(place: Place, as_viewer: Client) -> None:
    memory = place.add("fact 0")
    for number in range(1, 55):
        place.change(memory, fact=f"fact {number}")
    first = as_viewer.get(place.url("memory", memory))
    assert text_of(first).count('<p class="says"') == 50
    assert text_of(first).count('<p class="diff"') == 49
    assert "first revision" not in words_of(first)
    older = as_viewer.get(place.url("memory", memory) + link(first, "Older"))
    assert text_of(older).count('<p class="says"') == 5
    assert text_of(older).count('<p class="diff"') == 4
    assert "first revision" in words_of(older)
    assert ">current<" not in text_of(older)
    assert link(older, "Newest") == place.url("memory", memory) + "#revisions"


def test_who_and_why_stand_beside_the_revision_they_made(place: Place, as_support: Client) -> None:
    memory = place.add("I like tea.")
    url = place.url("memory_edit", memory)
    page = as_support.get(url)
    as_support.post(url, fields_of(page, fact="I like cocoa.", reason="ticket 4711"))
    said = words_of(as_support.get(place.url("memory", memory)))
    assert "sam · ticket 4711" in said
    assert "edit done" in said


def test_refused_and_failed_changes_are_part_of_the_activity(place: Place, people: People) -> None:
    memory = place.add()
    signed_in(people.viewer).post(place.url("memory_delete", memory), {"reason": "why not"})
    said = words_of(signed_in(people.support).get(place.url("memory", memory)))
    assert "vera console delete refused PERMISSION_DENIED why not" in said


def test_labels_of_revisions(place: Place, as_viewer: Client) -> None:
    memory = made.tell(place.bank.name, "I like tea.", SCOPE, revisionLabels={"source": "chat"}).id
    assert "source: chat" in words_of(as_viewer.get(place.url("memory", memory)))


def test_who_may_not_list_revisions_still_sees_the_memory(place: Place, people: People) -> None:
    """No role of ours is so; a role without the permission is made by hand."""
    from memories.access import roles

    memory = place.add()
    roles.ROLES["roles/test.reader"] = frozenset({"aiplatform.memories.get", "aiplatform.memories.list"})
    try:
        client = signed_in(person("rita", role="roles/test.reader"))
        answer = client.get(place.url("memory", memory))
        assert answer.status_code == 200
        assert "You may not list revisions. needs aiplatform.memoryRevisions.list" in words_of(answer)
        assert "I live in Rome." in words_of(answer)
    finally:
        del roles.ROLES["roles/test.reader"]


# --- who may do what --------------------------------------------------------------------------------------------------


def test_controls_of_a_viewer_do_not_work_and_say_why(place: Place, as_viewer: Client) -> None:
    memory = place.add()
    place.change(memory, fact="I live in Milan.")
    answer = as_viewer.get(place.url("memory", memory))
    said = words_of(answer)
    for needed in ("memories.update", "memories.delete", "memoryRevisions.rollback"):
        assert f"needs aiplatform.{needed}" in said
    assert not [href for href in links_of(answer) if re.search(r"/(edit|delete|rollback)\b", href)]
    assert "hx-post" not in text_of(answer)


def test_controls_of_support_work(place: Place, as_support: Client) -> None:
    memory = place.add()
    place.change(memory, fact="I live in Milan.")
    answer = as_support.get(place.url("memory", memory))
    assert "needs aiplatform" not in words_of(answer)
    for words, start in (("Edit", "/edit"), ("Delete", "/delete")):
        href = link(answer, words)
        assert href.startswith(place.url("memory", memory) + start)
        assert as_support.get(href).status_code == 200
    assert as_support.get(link(answer, "Roll back to this")).status_code == 200
    assert words_of(answer).count("Roll back to this") == 1  # not to the one that is current


# --- deleted ----------------------------------------------------------------------------------------------------------


def test_a_deleted_memory_is_a_page_of_its_own_and_can_be_revived(place: Place, as_support: Client) -> None:
    memory = place.add("I like green tea.")
    place.change(memory, fact="I like black tea.")
    place.bank.delete_memory(memory)
    answer = as_support.get(place.url("memory", memory))
    assert answer.status_code == 404
    said = words_of(answer)
    assert "This memory is deleted" in said
    assert "Any of its revisions can be restored until" in said
    assert "I like <del>green</del><ins>black</ins> tea." in text_of(answer)
    assert "current" not in said
    restore = [href for href in links_of(answer) if href.endswith("/rollback")]
    assert len(restore) == 2
    question = as_support.get(restore[0])
    assert "Restore this memory?" in words_of(question)
    assert "Agents will get it again." in words_of(question)
    done = as_support.post(restore[0], fields_of(question, reason="deleted by mistake"))
    assert (done.status_code, done.headers["Location"]) == (302, place.url("memory", memory))
    assert place.get(memory).fact == "I like black tea."
    assert place.trail(memory) == [
        ("sam", "aiplatform.memoryRevisions.rollback", "done", "", "deleted by mistake"),
    ]


def test_all_revisions_of_a_deleted_memory_can_be_reached(place: Place, as_support: Client) -> None:
    memory = place.add("fact 0")
    for number in range(1, 55):
        place.change(memory, fact=f"fact {number}")
    place.bank.delete_memory(memory)
    first = as_support.get(place.url("memory", memory))
    older = as_support.get(place.url("memory", memory) + link(first, "Older"))
    assert older.status_code == 404
    assert "first revision" in words_of(older)
    assert "Deleted" not in words_of(older).partition("Revisions")[0].partition("This memory is deleted")[2]
    assert all("Restore this" in words_of(page) for page in (first, older))


def test_a_viewer_sees_a_deleted_memory_but_cannot_revive_it(place: Place, as_viewer: Client) -> None:
    memory = place.add()
    place.bank.delete_memory(memory)
    answer = as_viewer.get(place.url("memory", memory))
    assert answer.status_code == 404
    assert "needs aiplatform.memoryRevisions.rollback" in words_of(answer)
    assert not [href for href in links_of(answer) if "rollback" in href]


def test_a_memory_that_expired_is_gone(place: Place, as_viewer: Client) -> None:
    memory = made.tell(place.bank.name, "I like tea.", SCOPE, expireTime="2026-01-01T00:00:00Z").id
    assert as_viewer.get(place.url("memory", memory)).status_code == 404


# --- copying ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "curl", "python"])
def test_copies_are_plain_text(form: str, place: Place, as_viewer: Client) -> None:
    memory = place.add("I'm “Ann” <b>", scope={"user_id": 'O\'Brien "Q"'})
    answer = as_viewer.get(place.url("memory_copy", memory, form))
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    text = text_of(answer)
    if form == "json":
        assert json.loads(text) == place.get(memory).wire()
    elif form == "curl":
        assert shlex.split(text.replace("\\\n", ""))[-1] == f"http://testserver/v1beta1/{place.name(memory)}"
    else:
        compile(text, "copied", "exec")
        assert place.name(memory) in text


def test_the_way_back_leads_to_the_list_as_it_was_left(place: Place, as_support: Client) -> None:
    memory = place.add("I like tea.")
    filtered = f"{place.list}?q=user_id%3A1"
    page = as_support.get(place.url("memory", memory), headers={"Referer": f"http://testserver{filtered}"})
    assert link(page, "Memories") in (filtered, place.list)
    assert f'href="{filtered}"' in text_of(page)
    assert f"next={quote(filtered)}" in text_of(page)
    for elsewhere in (f"http://evil.example{filtered}", f"http://testserver/banks?q={memory}"):
        page = as_support.get(place.url("memory", memory), headers={"Referer": elsewhere})
        assert f'href="{filtered}"' not in text_of(page)
