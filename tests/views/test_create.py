"""Creating a memory by hand."""

from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client

from tests.views.answers import HTMX, fields_of, read, words_of
from tests.views.place import Place


def posted(client: Client, place: Place, **typed: Any) -> HttpResponseBase:
    url = place.url("memory_create")
    page = client.get(url)
    assert page.status_code == 200
    return client.post(url, fields_of(page, **typed))


def made_by(answer: HttpResponseBase, place: Place) -> str:
    assert answer.status_code == 302, words_of(answer)
    start = place.url("memory", "x").removesuffix("x")
    assert answer.headers["Location"].startswith(start)
    return answer.headers["Location"].removeprefix(start)


def test_works(place: Place, as_support: Client) -> None:
    as_support.cookies["timezone"] = "Asia/Jerusalem"
    answer = posted(
        as_support,
        place,
        fact="I like tea.",
        scope_key=["user_id", "app_name"],
        scope_value=["u-1", "shop"],
        display_name="Tea",
        description="What she drinks.",
        topics=["USER_PREFERENCES"],
        labels="a|b\r\nSmith, Ann",
        metadata_key=["n"],
        metadata_kind=["double"],
        metadata_value=["0.5"],
        expires="2999-01-01T00:00",
        memory_id="tea-1",
        reason="ticket 1",
    )
    assert made_by(answer, place) == "tea-1"
    found = place.get("tea-1").wire()
    assert found["fact"] == "I like tea."
    assert found["scope"] == {"app_name": "shop", "user_id": "u-1"}
    assert found["displayName"] == "Tea"
    assert found["description"] == "What she drinks."
    assert found["topics"] == [
        {"managedMemoryTopic": "USER_PREFERENCES"},
        {"customMemoryTopicLabel": "a|b"},
        {"customMemoryTopicLabel": "Smith, Ann"},
    ]
    assert found["metadata"] == {"n": {"doubleValue": 0.5}}
    assert found["expireTime"] == "2998-12-31T22:00:00Z"
    said = words_of(as_support.get(answer.headers["Location"]))
    assert "Memory created." in said
    assert "successfully" not in said
    assert place.trail("tea-1") == [("sam", "aiplatform.memories.create", "done", "", "ticket 1")]


def test_the_bank_chooses_an_id(place: Place, as_support: Client) -> None:
    memory = made_by(posted(as_support, place, fact="x", scope_key="a", scope_value="1"), place)
    assert place.get(memory).fact == "x"


def test_an_id_that_is_a_word_of_ours(place: Place, as_support: Client) -> None:
    """Whatever id may be chosen, its memory has a page."""
    for word in ("new", "create", "edit", "delete", "memories", "copy"):
        answer = posted(as_support, place, fact=f"I am {word}.", scope_key="a", scope_value="1", memory_id=word)
        assert made_by(answer, place) == word
        page = as_support.get(answer.headers["Location"])
        assert page.status_code == 200
        assert f"I am {word}." in words_of(page)


def test_the_scope_begins_as_the_filter_has_it(place: Place, as_support: Client) -> None:
    page = as_support.get(place.url("memory_create"), {"q": 'user_id:" a " "my key":b tea created:soon'})
    found = read(page).fields
    assert found["scope_key"][:2] == ["user_id", "my key"]
    assert found["scope_value"][:2] == [" a ", "b"]
    assert found["fact"] == [""]


# D17
def test_the_order_in_which_a_scope_is_typed_does_not_matter(place: Place, as_support: Client) -> None:
    ids = [
        made_by(posted(as_support, place, fact="x", scope_key=keys, scope_value=values), place)
        for keys, values in ((["a", "b"], ["1", "2"]), (["b", "a"], ["2", "1"]))
    ]
    assert place.get(ids[0]).scope == place.get(ids[1]).scope


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"fact": " "}, "A fact cannot be blank."),
        ({"scope_key": "", "scope_value": ""}, "A scope needs at least one pair"),
        ({"scope_key": "user_id", "scope_value": ""}, "The value is empty"),
        ({"scope_key": "", "scope_value": "1"}, "A key is empty"),
        ({"scope_key": "user_id", "scope_value": "u-1*"}, "A scope value must not contain '*'."),
        ({"scope_key": ["a", "a"], "scope_value": ["1", "2"]}, "This key is there twice"),
        ({"scope_key": list("abcdef"), "scope_value": list("123456")}, "A scope holds at most 5 pairs"),
        ({"scope_key": "a", "scope_value": "x" * 2000}, "The value is longer than"),
        ({"memory_id": "Not An Id"}, "Use 1 to 63 of a-z, 0-9 and “-”"),
        ({"expires": "soon"}, "“soon” is not a time that exists"),
        ({"metadata_key": "n", "metadata_kind": "bool", "metadata_value": "x"}, "Write true or false."),
        ({"metadata_key": "", "metadata_kind": "string", "metadata_value": "x"}, "Give this value a key"),
    ],
)
def test_bad_input_is_said_and_kept(typed: dict[str, Any], says: str, place: Place, as_support: Client) -> None:
    whole: dict[str, Any] = {"fact": "I like tea.", "scope_key": "a", "scope_value": "1", "description": "kept"} | typed
    answer = posted(as_support, place, **whole)
    assert answer.status_code == 422
    assert says in words_of(answer)
    kept = read(answer).fields
    for name, value in whole.items():
        values = value if isinstance(value, list) else [value]
        if any(values):
            assert kept[name][: len(values)] == values
    assert place.bank.list_memories().total_size == 0
    assert place.trail("") == []


def test_an_id_that_is_taken(place: Place, as_support: Client) -> None:
    place.add("first", memory_id="m-1")
    answer = posted(as_support, place, fact="second", scope_key="a", scope_value="1", memory_id="m-1")
    assert answer.status_code == 422
    assert "m-1" in words_of(answer)
    assert read(answer).fields["fact"] == ["second"]
    assert place.get("m-1").fact == "first"


def test_an_id_deleted_a_moment_ago_says_how_to_get_it_back(place: Place, as_support: Client) -> None:
    place.add("first", memory_id="m-1")
    place.bank.delete_memory("m-1")
    answer = posted(as_support, place, fact="second", scope_key="a", scope_value="1", memory_id="m-1")
    assert answer.status_code == 422
    assert "rollback" in words_of(answer).lower() or "roll" in words_of(answer).lower()


def test_more_rows_without_javascript(place: Place, as_support: Client) -> None:
    answer = posted(as_support, place, fact="typed", scope_key=["a", "b"], scope_value=["1", "2"], more="1")
    assert answer.status_code == 200
    found = read(answer).fields
    assert found["fact"] == ["typed"]
    assert len(found["scope_key"]) >= 4
    assert len(found["metadata_key"]) >= 2
    assert "A fact cannot be blank" not in words_of(answer)
    assert place.bank.list_memories().total_size == 0


def test_htmx_is_sent_on(place: Place, as_support: Client) -> None:
    data = {"fact": "x", "scope_key": "a", "scope_value": "1", "memory_id": "m-1"}
    answer = as_support.post(place.url("memory_create"), data, headers=HTMX)
    assert answer.headers["HX-Redirect"] == place.url("memory", "m-1")
    refused = as_support.post(place.url("memory_create"), data, headers=HTMX)
    assert refused.status_code == 422


@pytest.mark.parametrize(
    "fact", ["I like\r\ntea.", "  padded  ", "é e\u0301", "😀", "a\tb", "<b>&amp;</b>", "\u202eabc"]
)
def test_a_fact_is_kept_as_typed(fact: str, place: Place, as_support: Client) -> None:
    memory = made_by(posted(as_support, place, fact=fact, scope_key="a", scope_value="1"), place)
    assert place.get(memory).fact == fact.replace("\r\n", "\n")
