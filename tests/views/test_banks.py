"""The banks, and the frame that every page has."""

import re

from django.test import Client

from tests import made
from tests.made import People, person, signed_in
from tests.views.answers import link, links_of, text_of, words_of
from tests.views.place import Place


def test_banks_that_may_be_seen(place: Place, as_viewer: Client) -> None:
    answer = as_viewer.get("/banks")
    assert link(answer, "Travel") == place.list
    assert str(place.bank.name) in re.findall(r'data-copy="([^"]*)"', text_of(answer))
    assert "as vera" in words_of(answer)


def test_only_banks_with_a_role_are_shown(place: Place, people: People) -> None:
    other = made.new_bank("Other bank")
    client = signed_in(person("otto", role="roles/aiplatform.memoryViewer", bank=other.key))
    said = words_of(client.get("/banks"))
    assert "Other bank" in said
    assert "Travel" not in said


def test_a_bank_whose_memories_may_not_be_listed_says_so(place: Place, people: People) -> None:
    client = signed_in(person("eddy", role="roles/aiplatform.memoryEditor"))
    assert "memories not listable" in words_of(client.get("/banks"))


def test_no_bank_is_a_picture_of_its_own(place: Place, as_nobody: Client) -> None:
    answer = as_nobody.get("/banks")
    assert answer.status_code == 200
    said = words_of(answer)
    assert "No bank to show" in said
    assert "You hold no role on any bank." in said
    assert "Travel" not in said


def test_more_banks_than_a_page(db: None, as_admin: Client) -> None:
    for number in range(103):
        made.new_bank(f"bank {number:03}")
    first = as_admin.get("/banks")
    assert "bank 099" in words_of(first)
    assert "bank 100" not in words_of(first)
    second = as_admin.get("/banks" + link(first, "Next"))
    assert "bank 102" in words_of(second)
    assert link(second, "First") == "/banks"


def test_a_bank_beyond_the_first_hundred_has_its_pages(db: None, as_viewer: Client, as_admin: Client) -> None:
    names = [made.new_bank(f"bank {number:03}") for number in range(102)]
    last = names[-1]
    made.tell(last, "I like tea.", {"user_id": "1"})
    for client, title in ((as_admin, "bank 101"), (as_viewer, last.id)):
        answer = client.get(f"/banks/{last.location}/{last.id}/memories")
        assert answer.status_code == 200
        assert "I like tea." in words_of(answer)
        assert title in words_of(answer)


def test_banks_of_another_location(db: None, as_viewer: Client) -> None:
    from memories.server import banks, records
    from memories.wire.resources import ReasoningEngine

    made_there = banks.create("local-project", "europe-west4", ReasoningEngine(display_name="Elsewhere"))
    name = records.bank_name(made_there)
    answer = as_viewer.get("/banks")
    assert link(answer, "Elsewhere") == f"/banks/europe-west4/{name.id}/memories"
    assert as_viewer.get(link(answer, "Elsewhere")).status_code == 200


def test_a_page_that_is_none_says_so(place: Place, as_viewer: Client) -> None:
    answer = as_viewer.get("/banks", {"page": "nonsense"})
    assert answer.status_code == 400
    assert "No bank to show" not in words_of(answer)


def test_short_addresses_lead_on(place: Place, as_viewer: Client) -> None:
    assert as_viewer.get("/").headers["Location"] == "/banks"
    assert as_viewer.get(place.url("bank")).headers["Location"] == place.list


def test_the_frame_names_bank_and_person(place: Place, as_viewer: Client) -> None:
    for url in (place.list, place.url("memory", place.add())):
        answer = as_viewer.get(url)
        said = words_of(answer)
        assert "Travel us-central1" in said
        assert "vera" in said
        assert "Sign out" in said
        assert place.list in links_of(answer)
        assert '<html lang="en" dir="ltr"' in text_of(answer)
