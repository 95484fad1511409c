"""Rolling back: a preview, a new revision, and nothing erased."""

from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client

from tests.views.answers import HTMX, fields_of, is_whole, link, read, text_of, words_of
from tests.views.place import Place


@pytest.fixture
def memory(place: Place) -> str:
    """Five facts, the fifth current."""
    found = place.add("I have one cat.", displayName="Cats", topics=[{"customMemoryTopicLabel": "pets"}])
    for word in ("two cats", "three cats", "four cats", "five cats"):
        place.change(found, fact=f"I have {word}.")
    return found


def asked(client: Client, place: Place, memory: str, revision: str, **headers: str) -> HttpResponseBase:
    answer = client.get(place.url("rollback", memory, revision), headers=headers)
    assert answer.status_code == 200
    return answer


def sent(client: Client, place: Place, memory: str, revision: str, **typed: Any) -> HttpResponseBase:
    page = asked(client, place, memory, revision)
    return client.post(place.url("rollback", memory, revision), fields_of(page, **typed))


def test_the_preview_shows_what_would_change(place: Place, memory: str, as_support: Client) -> None:
    second = place.revisions(memory)[-2]
    page = asked(as_support, place, memory, second)
    assert "I have <del>five</del><ins>two</ins> cats." in text_of(page)
    said = words_of(page)
    assert "Roll back to this revision?" in said
    assert "Topics, metadata and display name stay as they are." in said
    assert link(page, "Cancel") == place.url("memory", memory)
    assert len(place.revisions(memory)) == 5


# D37
def test_works(place: Place, memory: str, as_support: Client) -> None:
    before = place.revisions(memory)
    answer = sent(as_support, place, memory, before[-2], reason="ticket 5")
    assert (answer.status_code, answer.headers["Location"]) == (302, place.url("memory", memory))
    after = place.revisions(memory)
    assert after[1:] == before  # nothing is erased
    found = place.get(memory)
    assert (found.fact, found.display_name) == ("I have two cats.", "Cats")
    page = as_support.get(answer.headers["Location"])
    said = words_of(page)
    assert "Rolled back." in said
    assert "sam · ticket 5" in said
    assert "I have <del>five</del><ins>two</ins> cats." in text_of(page)
    assert place.trail(memory) == [("sam", "aiplatform.memoryRevisions.rollback", "done", "", "ticket 5")]


def test_htmx_gets_the_question_alone_and_is_then_sent_on(place: Place, memory: str, as_support: Client) -> None:
    first = place.revisions(memory)[-1]
    page = asked(as_support, place, memory, first, **HTMX)
    assert not is_whole(page)
    answer = as_support.post(place.url("rollback", memory, first), fields_of(page), headers=HTMX)
    assert answer.headers["HX-Redirect"] == place.url("memory", memory)
    assert place.get(memory).fact == "I have one cat."


def test_the_same_text_is_said_to_be_the_same(place: Place, memory: str, as_support: Client) -> None:
    current = place.revisions(memory)[0]
    assert "The text is the same as now" in words_of(asked(as_support, place, memory, current))


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_bad_input_is_said_and_kept(headers: dict[str, str], place: Place, memory: str, as_support: Client) -> None:
    first = place.revisions(memory)[-1]
    url = place.url("rollback", memory, first)
    answer = as_support.post(url, {"reason": "x" * 501}, headers=headers)
    assert answer.status_code == 422
    assert "at most 500 characters" in words_of(answer)
    assert read(answer).fields["reason"] == ["x" * 501]
    assert len(place.revisions(memory)) == 5


def test_a_revision_of_another_memory_is_none_of_this(place: Place, memory: str, as_support: Client) -> None:
    other = place.revisions(place.add("other"))[0]
    assert as_support.get(place.url("rollback", memory, other)).status_code == 404
    assert as_support.post(place.url("rollback", memory, other), {"reason": ""}).status_code == 404
    assert place.get(memory).fact == "I have five cats."


def test_the_revision_of_a_deletion_cannot_be_rolled_back_to(place: Place, memory: str, as_support: Client) -> None:
    place.bank.delete_memory(memory)
    newest = place.revisions(memory)[0]
    answer = as_support.post(place.url("rollback", memory, newest), {"reason": ""})
    if answer.status_code == 302:  # the newest revision is a fact: this bank writes none for a deletion
        assert place.get(memory).fact
    else:
        assert answer.status_code == 400
        assert place.bank.list_memories().total_size == 0


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_changed_since_the_question(headers: dict[str, str], place: Place, memory: str, as_support: Client) -> None:
    """What is rolled over is what was shown."""
    revision = place.revisions(memory)[-1]
    page = asked(as_support, place, memory, revision)
    place.change(memory, fact="I have six cats.")
    url = place.url("rollback", memory, revision)
    answer = as_support.post(url, fields_of(page, reason="ticket 9"), headers=headers)
    assert answer.status_code == 409
    said = words_of(answer)
    assert "The memory changed after this question was asked." in said
    assert "I have <del>six cats</del><ins>one cat</ins>." in text_of(answer)
    assert place.get(memory).fact == "I have six cats."
    # Asked again about how it is now, it goes through.
    assert as_support.post(url, fields_of(answer)).status_code == 302
    assert place.get(memory).fact == "I have one cat."
