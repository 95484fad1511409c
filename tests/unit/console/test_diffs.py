"""Word differences: nothing of either text is lost, and what changed reads as words."""

import time

from hypothesis import given
from hypothesis import strategies as st

from console.diffs import MAX_PIECES, Part, words

TEXT = st.text(max_size=80) | st.lists(
    st.sampled_from(
        ["I", "like", "tea", " ", "  ", "\n", ".", ",", "é", "茶", "が", "好き", "קפה", "😀", "don't", "a_b"]
    ),
    max_size=40,
).map("".join)


def before(parts: list[Part]) -> str:
    return "".join(part.text for part in parts if part.kind != "added")


def after(parts: list[Part]) -> str:
    return "".join(part.text for part in parts if part.kind != "removed")


@given(TEXT, TEXT)
def test_both_texts_can_be_read_from_it(old: str, new: str) -> None:
    parts = words(old, new)
    assert before(parts) == old
    assert after(parts) == new
    assert all(part.text for part in parts)


@given(TEXT)
def test_equal_texts_have_no_difference(text: str) -> None:
    assert words(text, text) == ([Part("same", text)] if text else [])


@given(TEXT.filter(bool))
def test_all_or_nothing(text: str) -> None:
    assert words("", text) == [Part("added", text)]
    assert words(text, "") == [Part("removed", text)]


def test_one_word() -> None:
    assert words("I like green tea.", "I like black tea.") == [
        Part("same", "I like "),
        Part("removed", "green"),
        Part("added", "black"),
        Part("same", " tea."),
    ]


def test_two_words_side_by_side_are_one_change() -> None:
    assert words("a red car stops", "a blue bus stops") == [
        Part("same", "a "),
        Part("removed", "red car"),
        Part("added", "blue bus"),
        Part("same", " stops"),
    ]


def test_scripts_without_spaces_differ_by_sign() -> None:
    assert words("私は緑茶が好き", "私は紅茶が好き") == [
        Part("same", "私は"),
        Part("removed", "緑"),
        Part("added", "紅"),
        Part("same", "茶が好き"),
    ]


def test_a_text_too_long_to_compare_is_one_change() -> None:
    old, new = "a " * MAX_PIECES, "b " * MAX_PIECES
    assert words(old, new) == [Part("removed", old), Part("added", new)]


def test_the_longest_comparison_is_bounded() -> None:
    # The worst case of the comparison: the same two words over and over.
    old, new = "a b " * (MAX_PIECES // 8), "b a " * (MAX_PIECES // 8)
    start = time.process_time()
    parts = words(old, new)
    assert time.process_time() - start < 5
    assert (before(parts), after(parts)) == (old, new)
