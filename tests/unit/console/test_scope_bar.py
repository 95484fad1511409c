"""A complete scope as typed: pairs alone, each key once, nothing lost of what was typed."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from console import query
from console.scope_bar import ScopeBar


def bar(q: str, **more: str) -> ScopeBar:
    data = QueryDict(mutable=True)
    data.update({"q": q} | more)
    return ScopeBar.read("/structured", data)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("user_id:123", {"user_id": "123"}),
        ("user_id:123 app_name:shop", {"user_id": "123", "app_name": "shop"}),
        ("user_id:team:blue", {"user_id": "team:blue"}),
        ('"my key":" padded "', {"my key": " padded "}),
        ("scope.fact:x user_id:1 user_id:1", {"fact": "x", "user_id": "1"}),
    ],
)
def test_pairs(text: str, scope: dict[str, str]) -> None:
    found = bar(text)
    assert found.complete
    assert found.scope == scope
    assert bar(found.text).scope == scope


def test_what_is_added_is_a_pair_more() -> None:
    assert bar("user_id:1", add="app:2").scope == {"user_id": "1", "app": "2"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tea", "no pair of a scope"),
        ("fact:tea", "no pair of a scope"),
        ("created>2026-01-01", "no pair of a scope"),
        ("user_id:", "value is missing"),
        ('user_id:"a', "never closed"),
        ("user_id:1 user_id:2", "key is there twice"),
        ("user_id:u-1*", "must not contain"),
        ("a:1 b:2 c:3 d:4 e:5 f:6", "at most 5 pairs"),
    ],
)
def test_faults(text: str, words: str) -> None:
    found = bar(text)
    assert not found.complete
    assert any(words in message for _text, message in found.faults)
    for word in text.split():
        assert word in found.text


def test_nothing_is_neither_complete_nor_wrong() -> None:
    found = bar("  ")
    assert (found.complete, found.faults, found.url()) == (False, (), "/structured")


def test_each_pair_can_be_taken_away_or_back() -> None:
    first, second = bar('user_id:1 "a b":2').pills()
    assert parse_qs(urlsplit(first["remove"]).query) == {"q": ['"a b":2']}
    assert parse_qs(urlsplit(second["edit"]).query) == {"q": ["user_id:1"], "edit": ['"a b":2']}
    assert bar("user_id:1", edit='"a b":2').typed == '"a b":2'


text = st.text(st.characters(exclude_characters="*\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(st.dictionaries(text, text, min_size=1, max_size=5))
def test_any_scope_can_be_written(scope: dict[str, str]) -> None:
    assert bar(query.of_scope(scope).text).scope == scope
