"""The ranked answer as rows, and what is kept from it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from console import retrieved
from memories.wire.resources import MemoryConjunctionFilter, RetrievedMemory

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TYPES = ["NATURAL_LANGUAGE_COLLECTION"]


def one(id: str, distance: float | None = None, **memory: Any) -> RetrievedMemory:
    body = {"name": f"b/memories/{id}", "fact": id, "memoryType": TYPES[0]} | memory
    return RetrievedMemory.read({"memory": body} | ({} if distance is None else {"distance": distance}))


def test_ranks_and_bars() -> None:
    rows = retrieved.draw([one("a", 0.25), one("b", 0.5)], url="/m", far=1.0, now=NOW)
    assert [(row["rank"], row["distance"], row["bar"], row["url"]) for row in rows] == [
        (1, "0.250", "25.0", "/m/a"),
        (2, "0.500", "50.0", "/m/b"),
    ]
    (row,) = retrieved.draw([one("a")], url="/m", far=1.0, now=NOW)
    assert (row["distance"], row["bar"]) == ("", "")


@pytest.mark.parametrize(
    ("distances", "far"), [([], 0.5), ([0.0], 0.5), ([0.5], 0.5), ([0.51, 0.2], 1.0), ([1.7], 2.0), ([2.0], 2.0)]
)
def test_bars_end_at_the_next_half(distances: list[float], far: float) -> None:
    assert retrieved.scale([one(str(n), distance) for n, distance in enumerate(distances)]) == far


def test_why_something_is_kept_out() -> None:
    group = MemoryConjunctionFilter.read({"filters": [{"key": "k", "value": {"stringValue": "v"}}]})
    wide = [
        one("got", metadata={"k": {"stringValue": "v"}}),
        one("type", memoryType="STRUCTURED_PROFILE"),
        one("metadata"),
        one("filter", metadata={"k": {"stringValue": "v"}}),
    ]
    found = retrieved.kept_out(wide, wide[:1], types=TYPES, groups=[group])
    assert [(each.memory.fact, why) for each, why in found] == [
        ("type", "another memory type"),
        ("metadata", "the metadata conditions"),
        ("filter", "the system filter"),
    ]
