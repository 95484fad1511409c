"""Deleting: the question says what goes, and the answer is true."""

from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client

from memories.wire.resources import Memory
from tests.views.answers import HTMX, fields_of, is_whole, link, read, text_of, words_of
from tests.views.place import SCOPE, Place


def asked(client: Client, place: Place, memory: str, **query: str) -> HttpResponseBase:
    answer = client.get(place.url("memory_delete", memory), query)
    assert answer.status_code == 200
    return answer


def sent(client: Client, place: Place, memory: str, page: HttpResponseBase, **typed: Any) -> HttpResponseBase:
    return client.post(place.url("memory_delete", memory), fields_of(page, **typed))


def test_the_question_shows_what_goes(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", scope={"user_id": "1"})
    said = words_of(asked(as_support, place, memory))
    for part in (
        "Delete this memory?",
        "I live in Rome.",
        "user_id: 1",
        memory,
        "it can be restored from its revisions",
    ):
        assert part in said
    assert place.get(memory).fact == "I live in Rome."


# D40
def test_works_and_stays_gone(place: Place, as_support: Client) -> None:
    memory, other = place.add("I live in Rome."), place.add("I like tea.")
    filtered = f"{place.list}?q=fact%3Arome"
    page = asked(as_support, place, memory, next=filtered)
    assert link(page, "Cancel") == filtered
    answer = sent(as_support, place, memory, page, reason="ticket 9")
    assert (answer.status_code, answer.headers["Location"]) == (302, filtered)
    after = as_support.get(filtered)
    assert "Memory deleted." in words_of(after)
    assert "No memory matches" in words_of(after)
    undo = link(after, "See its revisions, or restore it")
    assert undo == place.url("memory", memory)
    assert "This memory is deleted" in words_of(as_support.get(undo))
    for _reload in range(2):
        said = words_of(as_support.get(place.list))
        assert "Memory deleted." not in said
        assert "I live in Rome." not in said
        assert "I like tea." in said
    assert place.trail(memory) == [("sam", "aiplatform.memories.delete", "done", "", "ticket 9")]
    assert place.trail(other) == []


def test_from_its_own_page_it_leads_to_the_list(place: Place, as_support: Client) -> None:
    memory = place.add()
    for back in (place.url("memory", memory), place.url("memory", memory) + "?revisions=x", ""):
        again = place.add()
        page = asked(as_support, place, again, next=back.replace(memory, again))
        assert sent(as_support, place, again, page).headers["Location"] == place.list


@pytest.mark.parametrize(
    "bad", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "\n//x"]
)
def test_it_leads_nowhere_else(bad: str, place: Place, as_support: Client) -> None:
    memory = place.add()
    page = asked(as_support, place, memory, next=bad)
    assert read(page).fields["next"] == [place.list]
    assert link(page, "Cancel") == place.list
    assert sent(as_support, place, memory, page, next=bad).headers["Location"] == place.list


def test_htmx_gets_the_question_alone_and_is_then_sent_on(place: Place, as_support: Client) -> None:
    memory = place.add()
    page = as_support.get(place.url("memory_delete", memory), headers=HTMX)
    assert not is_whole(page)
    assert 'id="dialog-title"' in text_of(page)
    answer = as_support.post(place.url("memory_delete", memory), fields_of(page), headers=HTMX)
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (200, place.list)
    assert "Memory deleted." in words_of(as_support.get(place.list))


def test_bad_input_is_said_and_kept(place: Place, as_support: Client) -> None:
    memory = place.add()
    for headers in ({}, HTMX):
        page = asked(as_support, place, memory)
        answer = as_support.post(place.url("memory_delete", memory), fields_of(page, reason="x" * 501), headers=headers)
        assert answer.status_code == 422
        assert "at most 500 characters" in words_of(answer)
        assert read(answer).fields["reason"] == ["x" * 501]
        assert is_whole(answer) == (not headers)
    assert place.get(memory)


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_changed_since_the_question(headers: dict[str, str], place: Place, as_support: Client) -> None:
    """What is deleted is what was shown."""
    memory = place.add("I live in Rome.")
    page = asked(as_support, place, memory)
    place.change(memory, fact="I live in Milan.")
    answer = as_support.post(place.url("memory_delete", memory), fields_of(page, reason="ticket 9"), headers=headers)
    assert answer.status_code == 409
    said = words_of(answer)
    assert "The memory changed after this question was asked." in said
    assert "I live in Milan." in said
    assert read(answer).fields["reason"] == ["ticket 9"]
    assert place.get(memory).fact == "I live in Milan."
    assert sent(as_support, place, memory, answer).status_code == 302
    assert [(outcome, status) for _who, _what, outcome, status, _why in place.trail(memory)] == [
        ("failed", "ABORTED"),
        ("done", ""),
    ]


def test_deleted_by_somebody_else_meanwhile(place: Place, as_support: Client) -> None:
    memory = place.add()
    page = asked(as_support, place, memory)
    place.bank.delete_memory(memory)
    answer = sent(as_support, place, memory, page)
    assert answer.headers["Location"] == place.list
    assert "The memory was already gone." in words_of(as_support.get(place.list))


def test_a_bank_without_revisions_says_that_nothing_brings_it_back(as_support: Client, db: None) -> None:
    place = Place.make(contextSpec={"memoryBankConfig": {"disableMemoryRevisions": True}})
    memory = place.add()
    said = words_of(asked(as_support, place, memory))
    assert "This cannot be undone: the bank keeps no revisions." in said
    assert "48 hours" not in said


def test_a_long_fact_is_shown_cut_or_whole_but_never_unmarked(place: Place, as_support: Client) -> None:
    text = text_of(asked(as_support, place, place.add("x" * 5000)))
    assert "x" * 5000 in text or "…" in text


def test_a_structured_memory(place: Place, as_support: Client) -> None:
    content = {"schemaId": "wardrobe", "data": {"size": 39}}
    body = Memory.model_validate({"scope": SCOPE, "memoryType": "STRUCTURED_PROFILE", "structuredContent": content})
    memory = (place.bank.create_memory(body).name or "").rpartition("/")[2]
    page = asked(as_support, place, memory)
    assert "size: 39" in words_of(page)
    assert sent(as_support, place, memory, page).status_code == 302
