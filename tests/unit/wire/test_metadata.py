"""The metadata filter: groups joined by OR, each an AND, kinds that never compare, and negation."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.wire.errors import InvalidArgument
from memories.wire.metadata import MAX_FILTERS, check, predicate
from memories.wire.resources import MemoryConjunctionFilter

ANN: dict[str, dict[str, Any]] = {
    "city": {"stringValue": "Rome"},
    "empty": {"stringValue": ""},
    "age": {"doubleValue": 41.0},
    "zero": {"doubleValue": 0.0},
    "vip": {"boolValue": False},
    "since": {"timestampValue": "2026-01-01T00:00:00.900Z"},
}


def groups(*every: list[dict[str, Any]]) -> list[MemoryConjunctionFilter]:
    return [MemoryConjunctionFilter.read({"filters": filters}) for filters in every]


def one(key: str, value: dict[str, Any], op: str | int | None = None, *, negate: bool = False) -> dict[str, Any]:
    return {"key": key, "value": value, "op": op, "negate": negate}


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        (one("city", {"stringValue": "Rome"}), True),
        (one("city", {"stringValue": "rome"}), False),
        (one("city", {"string_value": "Rome"}, "EQUAL"), True),
        (one("city", {"stringValue": "Rome"}, "OPERATOR_UNSPECIFIED"), True),
        (one("city", {"stringValue": "Paris"}, 2), True),
        (one("city", {"stringValue": "Rome"}, "GREATER_THAN"), False),
        (one("city", {"stringValue": "Turin"}, "LESS_THAN"), True),
        (one("empty", {"stringValue": ""}), True),
        (one("age", {"doubleValue": 41}), True),
        (one("age", {"doubleValue": 40.9}, "GREATER_THAN"), True),
        (one("age", {"doubleValue": 41}, "LESS_THAN"), False),
        (one("zero", {"doubleValue": 0}), True),
        (one("vip", {"boolValue": False}), True),
        (one("vip", {"boolValue": True}, "LESS_THAN"), True),
        (one("since", {"timestampValue": "2026-01-01T00:00:00Z"}), True),
        (one("since", {"timestampValue": "2026-01-01T01:00:00.100+01:00"}), True),
        (one("since", {"timestampValue": "2026-01-01T00:00:00Z"}, "GREATER_THAN"), False),
        (one("since", {"timestampValue": "2025-12-31T23:59:59Z"}, "GREATER_THAN"), True),
    ],
)
def test_one_filter_and_its_negation(wanted: dict[str, Any], matches: bool) -> None:
    assert predicate(groups([wanted]))(ANN) is matches
    assert predicate(groups([wanted | {"negate": True}]))(ANN) is not matches


@pytest.mark.parametrize("op", ["EQUAL", "GREATER_THAN", "LESS_THAN"])
@pytest.mark.parametrize(
    "wanted",
    [
        one("age", {"stringValue": "41"}),
        one("vip", {"doubleValue": 0}),
        one("zero", {"boolValue": False}),
        one("since", {"stringValue": "2026-01-01T00:00:00.900Z"}),
        one("missing", {"stringValue": ""}),
    ],
)
def test_another_kind_or_a_missing_key_never_compares(wanted: dict[str, Any], op: str) -> None:
    assert not predicate(groups([wanted | {"op": op}]))(ANN)
    assert predicate(groups([wanted | {"op": op, "negate": True}]))(ANN)


rome, old, vip = (
    one("city", {"stringValue": "Rome"}),
    one("age", {"doubleValue": 65}, "GREATER_THAN"),
    one("vip", {"boolValue": True}),
)


def test_groups_are_an_or_of_ands() -> None:
    assert predicate([])(ANN)
    assert not predicate(groups([rome, old]))(ANN)
    assert predicate(groups([rome, old], [rome]))(ANN)
    assert not predicate(groups([old], [vip]))(ANN)


@given(st.lists(st.lists(st.sampled_from([rome, old, vip]), min_size=1, max_size=3), min_size=1, max_size=3))
def test_groups_are_any_of_all_of(every: list[list[dict[str, Any]]]) -> None:
    expected = any(all(predicate(groups([wanted]))(ANN) for wanted in group) for group in every)
    assert predicate(groups(*every))(ANN) is expected


@pytest.mark.parametrize(
    ("every", "field"),
    [
        ([[]], "filterGroups[0].filters"),
        ([[rome], [rome, {"key": "", "value": {"stringValue": "x"}}]], "filterGroups[1].filters[1].key"),
        ([[{"key": "city"}]], "filterGroups[0].filters[0].value"),
        ([[rome] * (MAX_FILTERS + 1)], "filterGroups"),
    ],
)
def test_a_fault_names_its_path(every: list[list[dict[str, Any]]], field: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        check(groups(*every))
    assert raised.value.violations[0][0] == field
