"""Scopes: one canonical form whatever the order of the pairs, and the limits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.wire import scopes
from memories.wire.errors import InvalidArgument

words = st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=1, max_size=20)
valid = st.dictionaries(words, words, min_size=1, max_size=5)


@given(valid)
def test_a_scope_round_trips(scope: dict[str, str]) -> None:
    assert scopes.parse(scopes.canonical(scope)) == scope
    assert scopes.canonical(scopes.validate(scope)) == scopes.canonical(scope)


@given(valid, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(scope: dict[str, str], random: st.DataObject) -> None:
    pairs = list(scope.items())
    random.shuffle(pairs)  # type: ignore[attr-defined]
    other = dict(pairs)
    assert scopes.canonical(other) == scopes.canonical(scope)
    assert scopes.digest(other) == scopes.digest(scope)
    assert list(scopes.ordered(other)) == sorted(scope)


@given(valid, valid)
def test_different_scopes_have_different_digests(one: dict[str, str], other: dict[str, str]) -> None:
    assert (scopes.digest(one) == scopes.digest(other)) == (one == other)


def test_the_canonical_form() -> None:
    assert scopes.canonical({"b": "é", "a": '"1"'}) == '{"a":"\\"1\\"","b":"é"}'
    assert scopes.digest({"user_id": "1"}) != scopes.digest({"User_id": "1"})
    assert len(scopes.digest({"user_id": "1"})) == 32


# Cases D18, D20 to D22 and D27: any value that is accepted is kept whole.
@pytest.mark.parametrize(
    "value",
    [
        "acme-eu-west",
        "0b4e2b7e-8a3c-4a0e-9f0f-6d7b6f0a2c11",
        "Smith, Ann",
        "a|b",
        "u-1 OR user_id:u-2",
        "ann+test@example.com",
        "a#b&c=d?e%f",
        "josé@example.com",
        "team:blue",
        'O\'Brien "Q"',
        " spaces around ",
        "<img src=x onerror=alert(1)>",
        "חובב קפה",
        "😀",
    ],
)
def test_any_value_is_kept_whole(value: str) -> None:
    assert scopes.parse(json.dumps({"user_id": value})) == {"user_id": value}


@pytest.mark.parametrize(
    ("scope", "field", "says"),
    [
        ({}, "scope", "at least one pair"),
        ({"": "1"}, "scope", "key is empty"),
        ({"a": ""}, "scope.a", "value is empty"),
        ({"a": "u-1*"}, "scope.a", "must not contain"),
        ({"a": "*"}, "scope.a", "must not contain"),
        (dict.fromkeys("abcdef", "1"), "scope", "at most 5 pairs; this one has 6"),
        ({"é" * 129: "1"}, "scope", "longer than 256 bytes"),
        ({"a": "é" * 513}, "scope.a", "longer than 1024 bytes"),
    ],
)
def test_a_fault_names_its_field(scope: dict[str, str], field: str, says: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        scopes.validate(scope)
    ((at, text),) = raised.value.violations
    assert at == field
    assert says in text


@pytest.mark.parametrize("scope", [{"a": "\ud800"}, {"\udfff": "a"}])
def test_half_of_a_surrogate_pair_is_refused(scope: dict[str, str]) -> None:
    with pytest.raises(InvalidArgument):
        scopes.validate(scope)


@given(st.text(max_size=40) | st.sampled_from(["[", "[" * 100_000, "null", "1", '["a"]', '{"a": 1}', '{"a": null}']))
def test_no_text_raises_anything_but_invalid_argument(text: str) -> None:
    try:
        scopes.parse(text, field="filter")
    except InvalidArgument as error:
        assert error.violations[0][0].startswith("filter")
