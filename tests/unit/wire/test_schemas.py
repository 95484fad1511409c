"""Values against schemas, one keyword each."""

from typing import Any

import pytest

from memories.wire import schemas

NAME = {"$defs": {"name": {"type": "string", "minLength": 2}}, "properties": {"name": {"$ref": "#/$defs/name"}}}

CASES: list[tuple[dict[str, Any], Any, Any]] = [
    # schema, a value that follows it, one that does not
    ({"type": "STRING"}, "a", 1),
    ({"type": "string"}, "", None),
    ({"type": "STRING", "nullable": True}, None, 1),
    ({"type": "NUMBER"}, 1.5, "1.5"),
    ({"type": "NUMBER"}, 1, True),
    ({"type": "INTEGER"}, 2.0, 2.5),
    ({"type": "BOOLEAN"}, False, 0),
    ({"type": "NULL"}, None, 0),
    ({"type": "ARRAY", "items": {"type": "STRING"}}, ["a"], ["a", 1]),
    ({"type": "ARRAY", "minItems": "1", "max_items": 2}, [1], []),
    ({"type": "OBJECT", "required": ["a"]}, {"a": 1, "b": 2}, {"b": 2}),
    ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "additionalProperties": False}, {"a": ""}, {"b": 1}),
    ({"type": "OBJECT", "additional_properties": {"type": "NUMBER"}}, {"a": 1}, {"a": ""}),
    ({"type": "OBJECT", "maxProperties": 1}, {"a": 1}, {"a": 1, "b": 2}),
    ({"enum": ["a", "b"]}, "a", "c"),
    ({"minimum": 1, "maximum": 3}, 3, 3.5),
    ({"min_length": 2, "maxLength": 3}, "abc", "a"),
    ({"type": "STRING", "pattern": "^[a-z]+$"}, "abc", "ABC"),
    ({"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}, 1, True),
    ({"any_of": [{"type": "STRING"}, {"type": "NULL"}]}, None, 1),
    (
        {"type": "OBJECT", "properties": {"a": {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}}}},
        {"a": {"b": ""}},
        {"a": {"b": 1}},
    ),
    ({"type": "TYPE_UNSPECIFIED", "format": "email", "title": "t", "example": 1}, {"any": "thing"}, None),
]


@pytest.mark.parametrize(("schema", "good", "bad"), CASES)
def test_a_value_follows_or_not(schema: dict[str, Any], good: Any, bad: Any) -> None:
    assert list(schemas.faults(schema)) == []
    assert list(schemas.value_faults(schema, good, root=schema)) == []
    if bad is not None or "TYPE_UNSPECIFIED" not in schema.get("type", ""):
        assert list(schemas.value_faults(schema, bad, root=schema))


def test_references() -> None:
    assert list(schemas.profile_faults(NAME, {"name": "Kim"})) == []
    assert [path for path, _text in schemas.profile_faults(NAME, {"name": "K"})] == ["name"]


def test_a_schema_that_refers_to_itself_ends() -> None:
    loop = {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}
    list(schemas.profile_faults(loop, {"x": 1}))
    tree = {"defs": {"t": {"type": "OBJECT", "additionalProperties": {"ref": "t"}}}, "properties": {"x": {"ref": "t"}}}
    deep: dict[str, Any] = {}
    for _level in range(60):
        deep = {"y": deep}
    assert list(schemas.profile_faults(tree, {"x": deep}))


def test_paths_say_where() -> None:
    schema = {"properties": {"a": {"type": "ARRAY", "items": {"properties": {"b": {"type": "STRING"}}}}}}
    assert [path for path, _text in schemas.profile_faults(schema, {"a": [{"b": "x"}, {"b": 1}]})] == ["a[1].b"]
    wrong = {"properties": {"a": {"anyOf": [{"type": "X"}]}, "b": 3}}
    assert [path for path, _text in schemas.faults(wrong)] == ["properties.a.anyOf[0].type", "properties.b"]


def test_fields_stand_in_their_order() -> None:
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "property_ordering": ["c", "x", "a"]}
    assert list(schemas.fields(schema)) == ["c", "a", "b"]
