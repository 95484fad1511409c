"""Retrieve: what an agent would get, what it would not, and why it gets nothing."""

from typing import Any

import pytest
from django.test import Client

from tests import made
from tests.made import person, signed_in
from tests.views.answers import HTMX, is_whole, link, links_of, read, text_of, words_of
from tests.views.place import Place

FACTS = [
    "I am allergic to peanuts.",
    "My favourite drink is green tea.",
    "I cycle to work.",
    "I was born in Lisbon.",
    "I play the cello.",
]


@pytest.fixture
def url(place: Place) -> str:
    made.tell_all(
        place.bank.name,
        [
            {"fact": fact, "scope": {"user_id": "u-7"}, "metadata": {"n": {"doubleValue": n}}}
            for n, fact in enumerate(FACTS)
        ],
    )
    return place.url("retrieve")


def ask(client: Client, url: str, **query: Any) -> Any:
    return client.get(url, {"q": "user_id:u-7"} | query)


def test_ranked_with_the_cut_and_what_fell_outside(url: str, as_viewer: Client) -> None:
    answer = ask(as_viewer, url, query="a warm drink", top="2")
    said = words_of(answer)
    assert "An agent gets these 2 memories, the nearest first" in said
    assert said.index("green tea") < said.index("Cut: top 2")
    assert "Just outside; a larger top k would bring them:" in said
    assert all(fact in said for fact in FACTS)
    assert text_of(answer).count('<svg class="distance"') == 5
    assert "style=" not in text_of(answer)
    assert "Kept out" not in said


def test_an_agent_gets_what_stands_above_the_cut(place: Place, url: str, as_viewer: Client) -> None:
    got = place.bank.retrieve({"user_id": "u-7"}, query="sport", top_k=2).retrieved_memories
    above = words_of(ask(as_viewer, url, query="sport", top="2")).partition("Cut: top 2")[0]
    assert [fact for fact in FACTS if fact in above] == sorted((one.memory.fact or "" for one in got), key=FACTS.index)


def test_three_by_default(url: str, as_viewer: Client) -> None:
    assert "An agent gets these 3 memories" in words_of(ask(as_viewer, url, query="tea"))


def test_nothing_else(url: str, as_viewer: Client) -> None:
    said = words_of(ask(as_viewer, url, query="tea", top="9"))
    assert "An agent gets these 5 memories" in said
    assert "Nothing else in this scope matches." in said


def test_without_a_query_the_newest_first(url: str, as_viewer: Client) -> None:
    answer = ask(as_viewer, url)
    said = words_of(answer)
    assert "An agent gets these 5 memories, the newest first" in said
    assert said.index("cello") < said.index("peanuts")
    assert "Distance" not in said
    assert "Cut:" not in said


def test_conditions_and_what_they_keep_out(url: str, as_viewer: Client) -> None:
    answer = ask(
        as_viewer,
        url,
        m_join=["and", "or"],
        m_key=["n", "n"],
        m_op=["eq", "ge"],
        m_kind=["double"] * 2,
        m_value=["0", "4"],
    )
    said = words_of(answer)
    assert "An agent gets these 2 memories" in said
    above, _, below = said.partition("Kept out")
    assert "peanuts" in above
    assert "cello" in above
    assert below.count("kept out by the metadata conditions") == 3
    assert '"filterGroups"' in said
    assert said.count("filter_groups") == 3


def test_the_system_filter_and_types(url: str, as_viewer: Client) -> None:
    said = words_of(ask(as_viewer, url, filter='fact=~".*I .*"'))
    assert "An agent gets these 4 memories" in said
    assert "kept out by the system filter" in said
    said = words_of(ask(as_viewer, url, types="STRUCTURED_PROFILE"))
    assert "The scope exists and holds 5 memories; the types, the filter or the conditions leave none." in said


def test_the_request_to_repeat(place: Place, url: str, as_viewer: Client) -> None:
    answer = ask(as_viewer, url, query="tea", top="2")
    said = words_of(answer)
    assert '"topK": 2' in said
    for call in (
        "memory_banks.memories.retrieve",
        "agent_engines.memories.retrieve",
        "agent_engines.retrieve_memories",
    ):
        assert f"client.{call}(" in said
    assert f"http://testserver/v1beta1/{place.bank.name}/memories:retrieve" in said


@pytest.mark.parametrize(
    ("q", "difference"),
    [
        ("user_id:U-7", "another case : U-7 → u-7"),
        ('user_id:"u-7 "', "other spaces : u-7␣ → u-7"),
        ("user_id:u-7 app:x", "one key less : app:x"),
        ("uid:u-7", "another key : uid → user_id"),
        ("user_id:u-", "begins the same : u- → u-7"),
    ],
)
def test_nothing_names_the_near_scopes(url: str, as_viewer: Client, q: str, difference: str) -> None:
    """D15"""
    answer = as_viewer.get(url, {"q": q, "query": "tea"})
    said = words_of(answer)
    assert "An agent gets nothing" in said
    assert "There are no memories under exactly" in said
    assert difference in said
    assert "5 memories" in said
    near = [found for found in links_of(answer) if found == f"{url}?q=user_id%3Au-7"]
    assert "An agent gets these" in words_of(as_viewer.get(near[0]))


def test_never_a_prefix_match(place: Place, url: str, as_viewer: Client) -> None:
    """D16"""
    place.add("of another", scope={"user_id": "u-77"})
    assert "of another" not in words_of(ask(as_viewer, url))


def test_nothing_near(url: str, as_viewer: Client) -> None:
    said = words_of(as_viewer.get(url, {"q": "tenant:zzzz"}))
    assert "no scope is nearly the same" in said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"q": "user_id:"}, "The value is missing"),
        ({"q": "tea"}, "no pair of a scope"),
        ({"top": "0"}, "greater than or equal to 1"),
        ({"filter": "foo=1"}, "Column 1"),
        ({"m_join": "and", "m_key": "", "m_op": "eq", "m_kind": "string", "m_value": "x"}, "Give this value a key"),
    ],
)
def test_what_cannot_be_asked(url: str, as_viewer: Client, query: dict[str, str], words: str) -> None:
    answer = ask(as_viewer, url, **query)
    assert answer.status_code == 422
    assert words in words_of(answer)
    assert "Nothing was asked yet" in words_of(answer)
    assert "An agent gets nothing" not in words_of(answer)


def test_without_a_scope_one_is_chosen(url: str, as_viewer: Client) -> None:
    answer = as_viewer.get(url)
    assert "Choose a scope" in words_of(answer)
    assert "An agent gets these 5 memories" in words_of(as_viewer.get(link(answer, "user_id:u-7")))


def test_one_row_more_without_javascript(url: str, as_viewer: Client) -> None:
    tags = read(ask(as_viewer, url, more="1")).tags
    assert sum(found.get("name") == "m_key" for _tag, found in tags) == 2


def test_a_scope_of_others_is_forbidden_and_not_empty(url: str) -> None:
    """D71"""
    me = signed_in(person("emma", role="roles/aiplatform.memoryViewer", pairs=[["tenant", "emea"]]))
    answer = ask(me, url)
    assert answer.status_code == 403
    assert "aiplatform.memories.retrieve" in words_of(answer)
    assert "emma" in words_of(answer)


def test_hostile(place: Place, as_viewer: Client) -> None:
    """D56"""
    bad = "<img src=x onerror=alert(1)>"
    place.add(bad, scope={bad: bad})
    answer = as_viewer.get(place.url("retrieve"), {"q": f'"{bad}":"{bad}"', "query": bad, "filter": f'fact:"{bad}"'})
    assert "An agent gets this one memory" in words_of(answer)
    assert "<img" not in text_of(answer)


def test_fragment(url: str, as_viewer: Client) -> None:
    assert not is_whole(as_viewer.get(url, {"q": "user_id:u-7"}, headers=HTMX))
