"""Addresses of scopes and pairs: whatever a value is, it comes back whole, and never stands in the path."""

from urllib.parse import parse_qs, urlsplit

from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from console.links import Links
from console.scope_bar import ScopeBar
from memories.wire import filters
from memories.wire.names import BankName
from memories.wire.scopes import canonical

LINKS = Links(BankName("p", "us-central1", "1"))
text = st.text(st.characters(exclude_characters="*\0", exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(st.dictionaries(text, text, min_size=1, max_size=5))
def test_scopes(scope: dict[str, str]) -> None:
    for url, path in ((LINKS.structured(scope), "structured"), (LINKS.retrieve(scope), "retrieve")):
        parts = urlsplit(url)
        assert parts.path == f"/banks/us-central1/1/{path}"
        assert ScopeBar.read("", QueryDict(parts.query)).scope == scope
    parts = urlsplit(LINKS.memories(scope))
    assert parts.path == "/banks/us-central1/1/memories"
    node = filters.check(filters.parse(parse_qs(parts.query)["filter"][0]))
    assert node == filters.Restriction(("scope",), "=", canonical(scope))


@given(text, text)
def test_pairs(key: str, value: str) -> None:
    parts = urlsplit(LINKS.pair(key, value))
    assert parts.path == "/banks/us-central1/1/pair"
    data = QueryDict(parts.query)
    assert (data["key"], data["value"]) == (key, value)
