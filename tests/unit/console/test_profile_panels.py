"""Panels of profiles: the schema's order, what is missing, and which memory a value comes from."""

from datetime import UTC, datetime
from typing import Any

import pytest

from console import profiles
from memories.wire.resources import Memory, MemoryBankConfig, MemoryProfile

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCHEMA = {
    "type": "OBJECT",
    "title": "Traveller",
    "description": "What a booking needs.",
    "properties": {
        "seat": {"type": "STRING", "enum": ["aisle", "window"], "description": "Where she sits"},
        "name": {"type": "string", "title": "Full name"},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}},
        "pet": {"type": "BOOLEAN"},
    },
    "propertyOrdering": ["name", "seat"],
    "required": ["name"],
}
CONFIG = MemoryBankConfig.read(
    {
        "structuredMemoryConfigs": [
            {"scopeKeys": ["user_id"], "schemaConfigs": [{"id": "traveller", "schema": SCHEMA}]},
            {"schemaConfigs": [{"id": "default", "schema": SCHEMA}]},
        ]
    }
)


def memory(id: str, data: dict[str, Any], schema: str = "traveller", at: str = "2026-05-01T00:00:00Z") -> Memory:
    content = {"schemaId": schema, "data": data}
    return Memory.read({"name": f"b/memories/{id}", "structuredContent": content, "updateTime": at})


def panels(
    data: dict[str, dict[str, Any]], *memories: Memory, scope: dict[str, str] | None = None
) -> list[profiles.Panel]:
    found = {id: MemoryProfile(schema_id=id, profile=profile) for id, profile in data.items()}
    return profiles.panels(found, memories, config=CONFIG, scope=scope or {"user_id": "1"}, url="/m", now=NOW)


def test_fields_in_the_order_of_the_schema_with_what_is_missing() -> None:
    (panel,) = panels({"traveller": {"seat": "aisle", "other": 1}})
    assert (panel["title"], panel["description"], panel["declared"]) == ("Traveller", "What a booking needs.", True)
    assert [(one["name"], one["missing"], one["declared"]) for one in panel["fields"]] == [
        ("name", True, True),
        ("seat", False, True),
        ("tags", True, True),
        ("pet", True, True),
        ("other", False, False),
    ]
    assert [one["type"] for one in panel["fields"]] == [
        "string",
        "string: aisle | window",
        "array of string",
        "boolean",
        "",
    ]
    assert [one["required"] for one in panel["fields"]] == [True, False, False, False, False]
    assert (panel["filled"], panel["fields"][0]["title"]) == (2, "Full name")


def test_the_memory_behind_a_value() -> None:
    newer, older = memory("new", {"seat": "aisle"}), memory("old", {"seat": "window"}, at="2026-04-01T00:00:00Z")
    (panel,) = panels({"traveller": {"seat": "aisle"}}, newer, older)
    seat = panel["fields"][1]
    assert seat["source"] is not None
    assert seat["source"]["url"] == "/m/new"
    assert seat["source"]["updated"] is not None
    assert [(one["id"], one["value"]) for one in seat["older"]] == [("old", "window")]


def test_a_memory_that_says_otherwise_is_not_named_as_the_source() -> None:
    (panel,) = panels({"traveller": {"seat": "aisle"}}, memory("m", {"seat": "window"}))
    assert panel["fields"][1]["source"] is None
    assert [one["id"] for one in panel["fields"][1]["older"]] == ["m"]


def test_schemas_that_the_scope_has_and_others() -> None:
    found = panels({"gone": {"a": 1}}, scope={"tenant": "x"})
    assert [(one["id"], one["declared"], one["filled"]) for one in found] == [("default", True, 0), ("gone", False, 1)]
    assert found[0]["json"] == ""
    assert '"schemaId": "gone"' in found[1]["json"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        (True, "yes"),
        (False, "no"),
        (39.5, "39.5"),
        (["a", 1], "a · 1"),
        ([], "[]"),
        ([True], "[true]"),
        ({"a": "é"}, '{"a": "é"}'),
        (None, "null"),
    ],
)
def test_values_as_text(value: Any, text: str) -> None:
    assert profiles.text(value) == text
