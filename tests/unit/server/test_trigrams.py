"""The texts that a pattern needs: never one that a match can do without."""

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memories.server.trigrams import MIN, literal_of, needed
from memories.wire.filters import containing, fold, pattern


@pytest.mark.parametrize(
    ("source", "literal"),
    [
        ("foobar", "foobar"),
        ("(?is).*peanut butter.*", "peanut butter"),
        ("[a-z]+foobar", "foobar"),
        ("(abc)*defg", "defg"),
        ("(abc)*?defg", "defg"),
        ("x(?:a|b)?tail", "tail"),
        ("[^]x]{2,3}?tail", "tail"),
        (r"[\]x]+tail", "tail"),
        ("[[:alpha:]x]+tail", "tail"),
        (r"(a(b)[)]\))tail", "tail"),
        ("colou?r", "colo"),
        ("colou+r", "colo"),
        ("xa{2}tail", "tail"),
        (r"1\.50 \$", "1.50 $"),
        (r"tail\d+x", "tail"),
        ("(?i)ab(?-i)cd", "abcd"),
        ("one|another", ""),
        (r"\Qa.b\E", ""),
        (r"(\Q)\E)abc", ""),
        (r"\x41bcd", ""),
        (r"\pLbcd", ""),
        (r"\Cbcd", ""),
        ("cafe\u0301", "café"),
        ("", ""),
    ],
)
def test_the_longest_run_at_the_top(source: str, literal: str) -> None:
    pattern(source)
    assert literal_of(source) == literal


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        (".*J.*", ()),
        (".*tomorroW.*", ("tomorro",)),
        (".*cat.*", ("cat", "caẗ")),
        (".*peanuts.*", ("peanut",)),
        (".*τηι.*", ("τη",)),
        (".*straß.*", ("stra",)),
        (".*\u0301abcd.*", ("abcd",)),
        (".*abcx\u0323.*", ("abcx",)),
    ],
)
def test_a_letter_that_a_mark_may_join_is_not_relied_on(source: str, texts: tuple[str, ...]) -> None:
    assert needed(source) == texts


def holds_what_it_needs(source: str, value: str) -> bool:
    texts = needed(source)
    return not texts or any(text in fold(value) for text in texts)


def test_every_last_letter_with_every_mark() -> None:
    marks = [chr(n) for n in range(0x300, 0x370)]
    letters = [chr(n) for n in range(0x41, 0x2000) if chr(n).casefold() != chr(n) or chr(n).upper() != chr(n)]
    for letter in letters:
        for spelled in {letter, letter.lower(), letter.upper()}:
            if len(spelled) != 1 or unicodedata.normalize("NFC", spelled) != spelled:
                continue
            for text in (f"ab{letter}", f"abc{letter}"):
                texts = needed(f"(?i).*{text}.*")
                for mark in marks:
                    value = unicodedata.normalize("NFC", text[:-1] + spelled + mark)
                    if (
                        value[: len(text)] == text[:-1] + spelled
                        and texts
                        and text[-1].casefold() == spelled.casefold()
                    ):
                        assert any(one in fold(value) for one in texts), (text, value)


signs = st.sampled_from([*"abtTJhsSſKßΙυ", "\u030c", "\u0323", "\u0308", "\u0345", "é", "İ", "ﬁ", "-", " "])
words = st.text(signs, max_size=6)
atoms = st.one_of(
    words.map(lambda word: word.replace("-", r"\-")),
    st.sampled_from(["[a-t]", "[^a]", "(ab|T)", "(?:h)", ".", r"\w", "[]a]", r"[\]t]", "(?i)", "(a[)]b)"]),
)
quantified = st.builds(str.__add__, atoms, st.sampled_from(["", "", "", "*", "+", "?", "*?", "{2}", "{0,1}?"]))
patterns = st.lists(quantified, max_size=5).map("".join)


@given(patterns, st.lists(st.one_of(words, st.just("ab")), max_size=4).map("".join))
@example("(?i).*abJ.*", "abJ\u030c")
@example("[a-t](?i)*", "abc")
@example("abcd(?i)*", "abc")
def test_every_match_holds_what_its_pattern_needs(source: str, value: str) -> None:
    try:
        matches = pattern(source)
    except ValueError:
        assume(False)
        return
    if matches(value):
        assert holds_what_it_needs(source, value)


@given(words, words, words)
def test_contained_words_are_needed_and_found(before: str, word: str, after: str) -> None:
    source, value = containing(word), before + word + after
    if pattern(source)(value):
        assert holds_what_it_needs(source, value)
    if word.isascii() and len(word) > MIN:
        assert len(needed(source)[0]) >= MIN
