"""The metadata filter (`filterGroups`) of RetrieveMemories and PurgeMemories: groups joined by OR, each an AND.

Values of different kinds never compare; timestamps compare by whole seconds, text by code points, false before true.
A negated filter is the opposite, so it is true where the key is missing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memories.wire.errors import InvalidArgument
from memories.wire.resources import MemoryConjunctionFilter, MemoryFilter, MemoryMetadataValue
from memories.wire.times import Timestamp

MAX_FILTERS = 100

type Values = Mapping[str, Mapping[str, Any]]
"""Metadata as the wire writes it: a map of keys to messages with one value."""
type Test = Callable[[Values], bool]
type _Comparable = str | float | bool | int

_KINDS = ("stringValue", "doubleValue", "boolValue", "timestampValue")


def check(groups: Sequence[MemoryConjunctionFilter], *, field: str = "filterGroups") -> None:
    """InvalidArgument with the path of what cannot be used."""
    if sum(len(group.filters or ()) for group in groups) > MAX_FILTERS:
        raise InvalidArgument.at(field, f"holds more than {MAX_FILTERS} filters.")
    for index, group in enumerate(groups):
        at = f"{field}[{index}].filters"
        if not group.filters:
            raise InvalidArgument.at(at, "is empty; a group needs at least one filter.")
        for number, one in enumerate(group.filters):
            if not one.key:
                raise InvalidArgument.at(f"{at}[{number}].key", "is empty.")
            if one.value is None:
                raise InvalidArgument.at(f"{at}[{number}].value", "is required.")


def predicate(groups: Sequence[MemoryConjunctionFilter]) -> Test:
    """The test of a memory's metadata; everything passes where there is no group."""
    check(groups)
    if not groups:
        return lambda values: True
    some = [[_test(one) for one in group.filters or ()] for group in groups]
    return lambda values: any(all(test(values) for test in every) for every in some)


def _test(one: MemoryFilter) -> Test:
    key, negate = one.key, bool(one.negate)
    kind, want = _comparable((one.value or MemoryMetadataValue()).wire())
    match one.op:
        case "GREATER_THAN":
            holds = _greater
        case "LESS_THAN":
            holds = _less
        case _:
            holds = _equal

    def test(values: Values) -> bool:
        value = values.get(key)
        if value is None:
            return negate
        found_kind, found = _comparable(value)
        return (found_kind == kind and holds(found, want)) != negate

    return test


def _comparable(value: Mapping[str, Any]) -> tuple[str, Any]:
    for kind in _KINDS:
        found = value.get(kind)
        if found is not None:
            return kind, Timestamp(found).micros // 1_000_000 if kind == "timestampValue" else found
    return "", None


def _equal(found: _Comparable, want: _Comparable) -> bool:
    return found == want


def _greater(found: Any, want: Any) -> bool:
    return bool(found > want)


def _less(found: Any, want: Any) -> bool:
    return bool(found < want)
