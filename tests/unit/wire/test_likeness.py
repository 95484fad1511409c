"""How one scope differs from another: each mistake that people make is told as what it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.wire import likeness

NFC = unicodedata.normalize("NFC", "josé")
NFD = unicodedata.normalize("NFD", "josé")
THERE = {"user_id": "u-7"}
BOTH = {"app_name": "shop", "user_id": "u-7"}

MISTAKES = [
    ("case", {"user_id": "U-7"}, THERE, [("case", "user_id")]),
    ("spaces", {"user_id": "u-7 "}, THERE, [("spaces", "user_id")]),
    ("unicode form", {"user_id": NFD}, {"user_id": NFC}, [("unicode form", "user_id")]),
    ("spelling", {"user_id": "u-7:"}, THERE, [("spelling", "user_id")]),
    ("spelling", {"user_id": "u-7\u200b"}, THERE, [("spelling", "user_id")]),
    ("spelling", {"user_id": NFD.upper()}, {"user_id": NFC}, [("spelling", "user_id")]),
    ("case", {"User_ID": "u-7"}, THERE, [("key", "user_id")]),
    ("spelling", {"userId": "u-7"}, THERE, [("key", "user_id")]),
    ("spelling", {"user_id:": "u-7"}, THERE, [("key", "user_id")]),
    ("more keys", THERE, BOTH, [("extra", "app_name")]),
    ("more keys", {"user_id": "U-7"}, BOTH, [("case", "user_id"), ("extra", "app_name")]),
    ("fewer keys", BOTH, THERE, [("missing", "app_name")]),
    ("key name", {"uid": "u-7"}, THERE, [("key", "user_id")]),
    ("prefix", {"user_id": "u-7"}, {"user_id": "u-77"}, [("prefix", "user_id")]),
    ("other value", BOTH, BOTH | {"app_name": "blog"}, [("value", "app_name")]),
    ("", {"user_id": "a"}, {"user_id": "b"}, [("value", "user_id")]),
    ("", {"a": "1", "b": "2"}, {"c": "3", "d": "4"}, None),
    ("", {"a": "1", "b": "2"}, {"a": "1", "c": "3"}, None),
    ("", THERE, THERE, []),
]


@pytest.mark.parametrize(("kind", "asked", "found", "said"), MISTAKES)
def test_mistakes(kind: str, asked: dict[str, str], found: dict[str, str], said: list[tuple[str, str]] | None) -> None:
    assert likeness.kind(asked, found) == kind
    if said is not None:
        assert [(one.kind, one.key) for one in likeness.differences(asked, found)] == said


def test_both_sides_are_said() -> None:
    (case,) = likeness.differences({"user_id": "U-7"}, THERE)
    assert (case.asked, case.found) == ("U-7", "u-7")
    (missing,) = likeness.differences(BOTH, THERE)
    assert (missing.asked, missing.found) == ("shop", "")
    (key,) = likeness.differences({"userId": "u-7"}, THERE)
    assert (key.asked, key.found) == ("userId", "user_id")


scope = st.dictionaries(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8), min_size=1, max_size=5)


@given(scope, scope)
def test_no_difference_is_the_same_scope(one: dict[str, str], other: dict[str, str]) -> None:
    assert (likeness.differences(one, other) == []) == (one == other)
    assert likeness.kind(one, other) in ("", *likeness.KINDS)
    assert likeness.kind(one, dict(reversed(one.items()))) == ""


@given(st.text(min_size=1))
def test_what_is_loose_stays_so(text: str) -> None:
    assert likeness.loose(text)
    assert likeness.loose_key(text)
    assert likeness.loose(unicodedata.normalize("NFD", text)) == likeness.loose(text)
