"""Page tokens: opaque, and good for nothing but the query that they continue."""

import base64
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memories.wire.errors import InvalidArgument
from memories.wire.pages import Cursor, decode, encode

KEY = b"a key"
numbers = st.integers(-(2**62), 2**62)
cursors = st.builds(Cursor, st.none() | st.tuples(numbers, numbers), st.sampled_from(["next", "previous"]))


@given(cursors, st.text(st.characters(codec="utf-8")))
def test_a_cursor_round_trips(cursor: Cursor, query: str) -> None:
    token = encode(cursor, query=query, key=KEY)
    assert decode(token, query=query, key=KEY) == cursor
    assert token.replace("-", "").replace("_", "").isalnum()


@given(cursors, st.data())
def test_a_changed_token_is_refused(cursor: Cursor, data: st.DataObject) -> None:
    token = encode(cursor, query="q", key=KEY)
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(InvalidArgument):
        decode(base64.urlsafe_b64encode(raw).rstrip(b"=").decode(), query="q", key=KEY)


@pytest.mark.parametrize(("query", "key"), [("q2", KEY), ("", KEY), ("q\0", KEY), ("q", b"another key"), ("q", b"")])
@pytest.mark.parametrize("direction", ["next", "previous"])
def test_a_token_of_another_query_or_server_is_refused(
    query: str, key: bytes, direction: Literal["next", "previous"]
) -> None:
    token = encode(Cursor((1, 2), direction), query="q", key=KEY)
    with pytest.raises(InvalidArgument, match="belongs to another query or was changed") as raised:
        decode(token, query=query, key=key)
    assert raised.value.violations[0][0] == "pageToken"


@given(st.text(max_size=40))
@example("")
@example("A")
@example("=")
@example("\ud800")
@example("é")
@example("1000")
@example("A" * 100_000)
def test_a_made_up_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidArgument):
        decode(token, query="q", key=KEY)
