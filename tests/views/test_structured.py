"""The structured view: the profile of one complete scope, each value with the memory behind it."""

from typing import Any

import pytest
from django.test import Client

from memories.wire.resources import Memory
from tests.views.answers import link, links_of, text_of, words_of
from tests.views.place import SCOPE, Place

SCHEMA = {
    "type": "OBJECT",
    "title": "Traveller",
    "description": "What a booking needs.",
    "properties": {"name": {"type": "STRING"}, "seat": {"type": "STRING"}, "pet": {"type": "BOOLEAN"}},
    "propertyOrdering": ["seat", "name", "pet"],
    "required": ["pet"],
}
CONFIG = {
    "contextSpec": {
        "memoryBankConfig": {
            "structuredMemoryConfigs": [
                {"scopeKeys": ["user_id"], "schemaConfigs": [{"id": "traveller", "schema": SCHEMA}]}
            ]
        }
    }
}


def tell(place: Place, data: dict[str, Any], scope: dict[str, str] = SCOPE) -> str:
    content = {"schemaId": "traveller", "data": data}
    body = {"scope": scope, "memoryType": "STRUCTURED_PROFILE", "structuredContent": content}
    made = place.bank.create_memory(Memory.model_validate(body))
    return (made.name or "").rpartition("/")[2]


@pytest.fixture
def place(db: None) -> Place:
    return Place.make(**CONFIG)


@pytest.fixture
def url(place: Place) -> str:
    return place.url("structured")


def test_a_profile(place: Place, url: str, as_support: Client) -> None:
    name, seat = tell(place, {"name": "Kim"}), tell(place, {"seat": "aisle"})
    answer = as_support.get(url, {"q": "user_id:u-0001"})
    said = words_of(answer)
    assert "Traveller traveller" in said
    assert "What a booking needs." in said
    assert "2 of 3 fields" in said
    assert said.index("seat string") < said.index("name string") < said.index("pet boolean required missing")
    assert {f"{place.list}/{name}", f"{place.list}/{seat}", f"{place.list}/{name}/edit"} <= set(links_of(answer))
    assert said.count("last revision just now") == 2
    assert "&quot;seat&quot;: &quot;aisle&quot;" in text_of(answer)


def test_of_two_memories_with_a_field_the_later_counts_and_the_other_is_shown(
    place: Place, url: str, as_support: Client
) -> None:
    old, new = tell(place, {"seat": "window"}), tell(place, {"seat": "aisle"})
    said = words_of(as_support.get(url, {"q": "user_id:u-0001"}))
    assert said.index("aisle") < said.index(new) < said.index("1 older value") < said.index("window") < said.index(old)


def test_a_corrected_value_is_what_the_profile_says(place: Place, url: str, as_support: Client) -> None:
    memory = tell(place, {"seat": "window"})
    edit = link(as_support.get(url, {"q": "user_id:u-0001"}), "Correct seat")
    assert edit == f"{place.list}/{memory}/edit"
    place.bank.update_memory(
        memory,
        Memory.model_validate({"structuredContent": {"schemaId": "traveller", "data": {"seat": "aisle"}}}),
        mask=["structured_content"],
    )
    assert "aisle" in words_of(as_support.get(url, {"q": "user_id:u-0001"}))


def test_none_is_explained_and_the_near_scope_named(place: Place, url: str, as_support: Client) -> None:
    tell(place, {"seat": "aisle"})
    said = words_of(as_support.get(url, {"q": "user_id:U-0001"}))
    assert "No structured memories under this scope" in said
    assert "traveller (3 fields)" in said
    assert "another case : U-0001 → u-0001" in said
    said = words_of(as_support.get(url, {"q": "tenant:x"}))
    assert "declares no schema for scopes with these keys" in said


def test_plain_facts_alone_make_no_profile(place: Place, url: str, as_support: Client) -> None:
    place.add()
    said = words_of(as_support.get(url, {"q": "user_id:u-0001"}))
    assert "No structured memories under this scope" in said
    assert "has no scopes" not in said


def test_a_scope_is_chosen_from_those_that_exist(place: Place, url: str, as_support: Client) -> None:
    assert "This bank has no scopes yet" in words_of(as_support.get(url))
    tell(place, {"seat": "aisle"})
    answer = as_support.get(url)
    assert "Choose a scope" in words_of(answer)
    assert "aisle" in words_of(as_support.get(link(answer, "user_id:u-0001")))


def test_from_a_scope_filter(place: Place, as_support: Client) -> None:
    tell(place, {"seat": "aisle"})
    answer = as_support.get(place.list, {"q": "user_id:u-0001 fact:x"})
    assert "aisle" in words_of(as_support.get(link(answer, "View structured memories")))
    assert link(answer, "Structured") == link(answer, "View structured memories")
    assert "View structured memories" not in words_of(as_support.get(place.list, {"q": "fact:x"}))
    back = as_support.get(link(answer, "Structured"))
    assert link(back, "Unstructured") == f"{place.list}?q=user_id%3Au-0001"


@pytest.mark.parametrize("q", ["user_id:", "tea", "user_id:1 user_id:2", "user_id:u*", "a:1 b:2 c:3 d:4 e:5 f:6"])
def test_what_is_no_scope(url: str, as_support: Client, q: str) -> None:
    answer = as_support.get(url, {"q": q})
    assert answer.status_code == 422
    assert 'id="faults"' in text_of(answer)
    assert "No structured memories" not in words_of(answer)


def test_a_viewer_may_not_correct(place: Place, url: str, as_viewer: Client) -> None:
    tell(place, {"seat": "aisle"})
    answer = as_viewer.get(url, {"q": "user_id:u-0001"})
    assert not [found for found in links_of(answer) if found.endswith("/edit")]


def test_hostile(place: Place, url: str, as_support: Client) -> None:
    """D56"""
    bad = "<img src=x onerror=alert(1)>"
    tell(place, {"seat": bad, "name": "x"}, {"user_id": bad})
    answer = as_support.get(url, {"q": f'user_id:"{bad}"'})
    assert "Traveller" in words_of(answer)
    assert "<img" not in text_of(answer)
