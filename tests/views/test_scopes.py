"""The scopes of a bank, and everything about a pair."""

import re

import pytest
from django.test import Client

from tests import made
from tests.made import person, signed_in
from tests.views.answers import HTMX, is_whole, link, links_of, read, text_of, words_of
from tests.views.place import Place

U7, CAPITAL, SHOP = {"user_id": "u-7"}, {"user_id": "U-7"}, {"app_name": "shop", "user_id": "u-7"}


@pytest.fixture
def scopes(place: Place) -> str:
    place.add(scope=U7)
    place.add(scope=CAPITAL)
    place.add(scope=SHOP)
    place.add(scope=SHOP)
    return place.url("scopes")


def rows_of(text: str) -> list[str]:
    """Without the heading."""
    return [re.sub(r"<[^>]+>|\s+", " ", row) for row in re.findall(r"<tr>.*?</tr>", text, re.DOTALL)][1:]


def test_every_scope_with_its_count_and_what_looks_like_it(scopes: str, as_viewer: Client) -> None:
    """D14: two scopes, listed apart, each naming the other."""
    answer = as_viewer.get(scopes)
    said = words_of(answer)
    assert "1–3 of 3" in said
    assert said.count("another case") >= 2
    assert said.count("one key more") >= 1
    assert said.count("one key less") >= 1
    assert "An agent reads only the one that it asks with" in said
    assert 'aria-current="page">Scopes' in text_of(answer)


def test_each_leads_to_its_memories_structured_view_and_retrieval(scopes: str, as_viewer: Client) -> None:
    answer = as_viewer.get(scopes, {"search": "shop"})
    memories = as_viewer.get(next(url for url in links_of(answer) if "filter=" in url))
    assert "1–2 of 2" in words_of(memories)
    structured = next(url for url in links_of(answer) if "/structured?q=" in url)
    assert "No structured memories under this scope" in words_of(as_viewer.get(structured))
    retrieve = next(url for url in links_of(answer) if "/retrieve?q=" in url)
    assert "An agent gets these 2 memories" in words_of(as_viewer.get(retrieve))


def test_search_and_clear(scopes: str, as_viewer: Client) -> None:
    answer = as_viewer.get(scopes, {"search": "SHOP", "sort": "-count"})
    assert "1–1 of 1" in words_of(answer)
    assert read(answer).tags.count(("input", {"type": "hidden", "name": "sort", "value": "-count"})) == 1
    none = as_viewer.get(scopes, {"search": "zzzz"})
    assert "No scope matches" in words_of(none)
    assert "no scopes yet" not in words_of(none)
    assert link(none, "Clear the search") == scopes
    assert '<input id="add"' in text_of(none)


@pytest.mark.parametrize("text", ["\" \\ ( ) [ ] { } ^ ~ * ? : ; ' % _ #", "<img src=x onerror=alert(1)>", "x" * 2000])
def test_any_text_can_be_searched(scopes: str, as_viewer: Client, text: str) -> None:
    """D32, D56"""
    answer = as_viewer.get(scopes, {"search": text})
    assert answer.status_code == 200
    assert "<img" not in text_of(answer)


def test_sorted_and_turned_round(scopes: str, as_viewer: Client) -> None:
    answer = as_viewer.get(scopes)
    assert link(answer, "First write") == f"{scopes}?sort=-begun"
    by_count = as_viewer.get(scopes, {"sort": "-count"})
    assert 'aria-sort="descending"' in text_of(by_count)
    assert "shop" in rows_of(text_of(by_count))[0]
    assert "shop" in rows_of(text_of(as_viewer.get(scopes, {"sort": "count"})))[-1]


def test_the_101st_scope_is_reached(place: Place, as_viewer: Client) -> None:
    """D04"""
    made.tell_all(place.bank.name, [{"fact": "f", "scope": {"n": f"{n:03}"}} for n in range(101)])
    page = as_viewer.get(place.url("scopes"), {"size": "50"})
    seen = re.findall(r"<b>(\d{3})</b>", text_of(page))
    for _page in range(2):
        page = as_viewer.get(link(page, "Next"))
        seen += re.findall(r"<b>(\d{3})</b>", text_of(page))
    assert sorted(seen) == [f"{n:03}" for n in range(101)]
    assert "101–101 of 101" in words_of(page)
    back = as_viewer.get(link(page, "Previous"))
    assert "51–100 of 101" in words_of(back)
    assert "1–50 of 101" in words_of(as_viewer.get(link(back, "First")))


def test_an_empty_bank(place: Place, as_viewer: Client) -> None:
    answer = as_viewer.get(place.url("scopes"))
    assert "This bank has no scopes yet" in words_of(answer)
    assert "No scope matches" not in words_of(answer)


def test_a_stale_page(scopes: str, as_viewer: Client) -> None:
    answer = as_viewer.get(scopes, {"page": "nonsense"})
    assert answer.status_code == 400
    assert "no scopes yet" not in words_of(answer)


def test_only_what_one_may_see(place: Place) -> None:
    place.add(scope={"tenant": "emea", "user_id": "1"})
    place.add(scope={"tenant": "apac", "user_id": "1"})
    me = signed_in(person("emma", role="roles/aiplatform.memoryViewer", pairs=[["tenant", "emea"]]))
    for url, query in ((place.url("scopes"), {}), (place.url("pair"), {"key": "user_id", "value": "1"})):
        said = words_of(me.get(url, query))
        assert "emea" in said
        assert "apac" not in said
    assert "1–1 of 1" in words_of(me.get(place.url("scopes")))


# --- everything about a pair ------------------------------------------------------------------------------------------


def about(client: Client, place: Place, key: str, value: str) -> str:
    return words_of(client.get(place.url("pair"), {"key": key, "value": value}))


def test_everything_about_a_pair(place: Place, scopes: str, as_viewer: Client) -> None:
    """D14: both scopes, and that an agent sees only one of them."""
    said = about(as_viewer, place, "user_id", "u-7")
    assert "user_id:u-7 is in 2 scopes, with 3 memories in all." in said
    assert "user_id: u-7 reads one of them; 2 are out of its reach." in said
    assert "does not read it it also has app_name" in said
    assert "reads it" in said
    assert "Nearly the same" in said
    assert "another case : U-7 → u-7" in said or "another case : u-7 → U-7" in said


def test_a_pair_in_one_scope(place: Place, as_viewer: Client) -> None:
    place.add(scope=U7)
    assert "user_id:u-7 is in one scope, with one memory." in about(as_viewer, place, "user_id", "u-7")


def test_a_pair_in_none_names_what_is_near(place: Place, scopes: str, as_viewer: Client) -> None:
    said = about(as_viewer, place, "user_id", "u-7 ")
    assert "No scope holds this pair" in said
    assert "other spaces" in said
    assert "Nearly the same" not in about(as_viewer, place, "user_id", "zzzz")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"key": "user_id"}, "value is empty"),
        ({"value": "1"}, "key is empty"),
        ({"key": "a", "value": "u*"}, "must not contain"),
    ],
)
def test_a_pair_that_is_none(place: Place, scopes: str, as_viewer: Client, query: dict[str, str], words: str) -> None:
    """D26"""
    answer = as_viewer.get(place.url("pair"), query)
    assert answer.status_code == 422
    assert words in words_of(answer)
    assert "is in" not in words_of(answer)


def test_without_a_pair_it_is_asked_for(place: Place, as_viewer: Client) -> None:
    answer = as_viewer.get(place.url("pair"))
    assert answer.status_code == 200
    assert "Which pair?" in words_of(answer)


@pytest.mark.parametrize(
    "value", ["ann+test@example.com", "a#b&c=d?e%f", "josé@example.com", "team:blue", " padded ", "../x"]
)
def test_any_value_has_its_page(place: Place, as_viewer: Client, value: str) -> None:
    """D18, D22: by the chip on the list of scopes."""
    place.add(scope={"user_id": value})
    (url,) = [found for found in links_of(as_viewer.get(place.url("scopes"))) if "/pair?" in found]
    assert "is in one scope" in words_of(as_viewer.get(url))


def test_many_scopes_are_paged(place: Place, as_viewer: Client) -> None:
    made.tell_all(place.bank.name, [{"fact": "f", "scope": {"app": "a", "n": f"{n:03}"}} for n in range(101)])
    first = as_viewer.get(place.url("pair"), {"key": "app", "value": "a"})
    assert "is in 101 scopes, with 101 memories in all." in words_of(first)
    second = as_viewer.get(link(first, "Next"))
    assert text_of(second).count("does not read it") == 1
    assert link(second, "Previous")


def test_fragment_of_the_list(scopes: str, as_viewer: Client) -> None:
    part = as_viewer.get(scopes, {"search": "shop"}, headers=HTMX)
    assert not is_whole(part)
    assert "1–1 of 1" in words_of(part)
