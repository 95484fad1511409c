"""Differences in words, with both sides made visible."""

import unicodedata

import pytest

from console import differences

NFC, NFD = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")


@pytest.mark.parametrize(
    ("asked", "found", "said"),
    [
        ({"u": "A"}, {"u": "a"}, ("another case", "A", "a")),
        ({"u": "a b"}, {"u": "a  b "}, ("other spaces", "a␣b", "a␣␣b␣")),
        ({"u": NFD}, {"u": NFC}, ("the same letters in another Unicode form", f"{NFD} (NFD)", f"{NFC} (NFC)")),
        ({"u": "a\u200b"}, {"u": "a"}, ("spelled otherwise", "a⟨U+200B⟩", "a")),
        ({"uid": "a"}, {"u": "a"}, ("another key", "uid", "u")),
        ({"u": "a"}, {"u": "ab"}, ("begins the same", "a", "ab")),
        ({"u": "a"}, {"u": "b"}, ("another value", "a", "b")),
        ({"u": "a", "x": " "}, {"u": "a"}, ("one key less", "x:␣", "")),
        ({"u": "a"}, {"u": "a", "x": "y"}, ("one key more", "", "x:y")),
    ],
)
def test_words(asked: dict[str, str], found: dict[str, str], said: tuple[str, str, str]) -> None:
    (one,) = differences.words(asked, found)
    assert (one["text"], one["asked"], one["found"]) == said


def test_several() -> None:
    said = differences.words({"u": "A"}, {"u": "a", "x": "y"})
    assert [one["text"] for one in said] == ["another case", "one key more"]
