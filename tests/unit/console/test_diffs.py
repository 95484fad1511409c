"""Word differences: nothing of either text is lost, and what changed reads as words."""

import time

import pytest
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


def test_what_is_too_long_to_compare_is_one_change() -> None:
    old, new = "a " * MAX_PIECES, "b " * MAX_PIECES
    assert words(f"start {old}end", f"start {new}end") == [
        Part("same", "start "),
        Part("removed", old.strip()),
        Part("added", new.strip()),
        Part("same", " end"),
    ]


def test_a_small_change_of_the_longest_fact_is_small() -> None:
    old = "".join(f"word{number} " for number in range(6000))
    start = time.process_time()
    assert words(old, old.replace("word3000 ", "another ")) == [
        Part("same", old.partition("word3000 ")[0]),
        Part("removed", "word3000"),
        Part("added", "another"),
        Part("same", " " + old.partition("word3000 ")[2]),
    ]
    assert time.process_time() - start < 1


@pytest.mark.parametrize("unit", ["a b ", "私は紅茶が好きです", "w1 w2 w3 w4 w5 w6 w7 "])
def test_the_longest_comparison_is_bounded(unit: str) -> None:
    """A page may show fifty of them."""
    old = unit * (65536 // len(unit.encode()))
    new = "x" + "".join(reversed(old)) + "y"
    short = slice(0, MAX_PIECES // 2 - 2)
    start = time.process_time()
    for one, other in ((old, new), (old[short], new[short])):
        parts = words(one, other)
        assert (before(parts), after(parts)) == (one, other)
    assert time.process_time() - start < 1
