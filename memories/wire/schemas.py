"""Schemas of structured memories: OpenAPI's, as a bank's settings hold them, and what a value must be to follow one.

Types in upper or lower case, names in either spelling. `format`, `title` and `example` describe and are not checked.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import re2

from memories.wire.resources import (
    MemoryBankConfig,
    MemoryBankCustomizationConfig,
    StructuredMemoryConfig,
    StructuredMemorySchemaConfig,
)
from memories.wire.scopes import Scope

MAX_DEPTH = 32

type Schema = Mapping[str, Any]
type Faults = Iterator[tuple[str, str]]
"""Path within the value (empty for the whole) and what is wrong there."""

_TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "TYPE_UNSPECIFIED"})
_KEYWORDS = {
    "any_of": "anyOf",
    "one_of": "oneOf",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "additional_properties": "additionalProperties",
    "property_ordering": "propertyOrdering",
    "$ref": "ref",
    "$defs": "defs",
    "definitions": "defs",
}


def _of(schema: Schema, keyword: str) -> Any:
    """A keyword in whichever spelling."""
    found = schema.get(keyword)
    if found is None:
        found = next((schema[name] for name, known in _KEYWORDS.items() if known == keyword and name in schema), None)
    return found


def type_of(schema: Schema) -> str:
    """In upper case; empty where it is not said."""
    found = schema.get("type")
    return found.upper() if isinstance(found, str) and found.upper() != "TYPE_UNSPECIFIED" else ""


def applying[C: (StructuredMemoryConfig, MemoryBankCustomizationConfig)](
    configs: Sequence[C] | None, scope: Scope
) -> C | None:
    """The config whose scopeKeys fit the scope: the most keys, all of which the scope has; else the default one."""
    fitting = [one for one in configs or () if set(one.scope_keys or ()) <= set(scope)]
    return max(fitting, key=lambda one: len(set(one.scope_keys or ())), default=None)


def schema_of(one: StructuredMemorySchemaConfig) -> Schema:
    found = one.memory_schema if one.memory_schema is not None else one.json_schema
    return found if isinstance(found, dict) else {}


def schemas_of(config: MemoryBankConfig, scope: Scope) -> dict[str, Schema]:
    found = applying(config.structured_memory_configs, scope)
    return {one.id: schema_of(one) for one in (found and found.schema_configs) or ()}


def fields(schema: Schema) -> dict[str, Schema]:
    """The properties in the order in which they are shown."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    first = [name for name in _of(schema, "propertyOrdering") or () if name in properties]
    return {name: properties[name] for name in dict.fromkeys([*first, *properties])}


def faults(schema: object, *, at: str = "", depth: int = 0) -> Faults:
    """What is wrong with a schema itself."""
    if not isinstance(schema, dict):
        yield at, "must be an object"
        return
    if depth > MAX_DEPTH:
        yield at, f"is nested more than {MAX_DEPTH} deep"
        return
    kind = schema.get("type")
    if isinstance(kind, str) and kind.upper() not in _TYPES:
        yield f"{at}.type" if at else "type", f"{kind[:40]!r} is not one of {', '.join(sorted(_TYPES))}"
    pattern = schema.get("pattern")
    if pattern is not None and not _is_pattern(pattern):
        yield f"{at}.pattern" if at else "pattern", "is not a regular expression of RE2"
    for name in ("properties", "defs"):
        within = _of(schema, name)
        for key, one in within.items() if isinstance(within, dict) else ():
            yield from faults(one, at=f"{at}.{name}.{key}" if at else f"{name}.{key}", depth=depth + 1)
    if "items" in schema:
        yield from faults(schema["items"], at=f"{at}.items" if at else "items", depth=depth + 1)
    for name in ("anyOf", "oneOf"):
        some = _of(schema, name)
        for index, one in enumerate(some if isinstance(some, list) else ()):
            yield from faults(one, at=f"{at}.{name}[{index}]" if at else f"{name}[{index}]", depth=depth + 1)


def _is_pattern(text: object) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(str(text), options=options)
    except re2.error:
        return False
    return isinstance(text, str)


def profile_faults(schema: Schema, data: Mapping[str, Any]) -> Faults:
    """What is wrong with some fields of a profile. Not all need be there, since each is a memory of its own."""
    known = fields(schema)
    open_ = _of(schema, "additionalProperties")
    for name, value in data.items():
        if name in known:
            yield from value_faults(known[name], value, root=schema, at=name)
        elif isinstance(open_, dict):
            yield from value_faults(open_, value, root=schema, at=name)
        elif known and not open_:
            yield name, f"is not a field of the schema; it has {', '.join(known)}"


def value_faults(schema: Schema, value: Any, *, root: Schema, at: str = "", depth: int = 0) -> Faults:
    if depth > MAX_DEPTH:
        yield at, f"is nested more than {MAX_DEPTH} deep"
        return
    schema = _resolved(schema, root)
    if value is None:
        if (
            not schema.get("nullable")
            and type_of(schema) not in ("", "NULL")
            and not _among(schema, value, root, depth)
        ):
            yield at, "must not be null"
        return
    some = _of(schema, "anyOf") or _of(schema, "oneOf")
    if isinstance(some, list) and not _among(schema, value, root, depth):
        yield at, "fits none of the alternatives of the schema"
        return
    kind = type_of(schema)
    if kind and not _is(value, kind):
        yield at, f"must be of type {kind}"
        return
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        yield at, f"must be one of {', '.join(map(str, choices))[:200]}"
    yield from _sizes(schema, value, at)
    if isinstance(value, dict):
        yield from _members(schema, value, root, at, depth)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for index, item in enumerate(value):
            yield from value_faults(schema["items"], item, root=root, at=f"{at}[{index}]", depth=depth + 1)


def _resolved(schema: Schema, root: Schema) -> Schema:
    for _step in range(MAX_DEPTH):
        ref = _of(schema, "ref")
        if not isinstance(ref, str):
            break
        found = (_of(root, "defs") or {}).get(ref.rpartition("/")[2])
        if not isinstance(found, dict):
            break
        schema = found
    return schema


def _among(schema: Schema, value: Any, root: Schema, depth: int) -> bool:
    some = _of(schema, "anyOf") or _of(schema, "oneOf")
    return isinstance(some, list) and any(
        next(value_faults(one, value, root=root, depth=depth + 1), None) is None
        for one in some
        if isinstance(one, dict)
    )


def _is(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "STRING":
            return isinstance(value, str)
        case "NUMBER":
            return number
        case "INTEGER":
            return number and float(value).is_integer()
        case "BOOLEAN":
            return isinstance(value, bool)
        case "ARRAY":
            return isinstance(value, list)
        case "OBJECT":
            return isinstance(value, dict)
        case _:
            return value is None


def _sizes(schema: Schema, value: Any, at: str) -> Faults:
    match value:
        case bool():
            return
        case int() | float():
            least, most, size, unit = "minimum", "maximum", float(value), ""
        case str():
            least, most, size, unit = "minLength", "maxLength", len(value), " characters"
        case list():
            least, most, size, unit = "minItems", "maxItems", len(value), " items"
        case dict():
            least, most, size, unit = "minProperties", "maxProperties", len(value), " fields"
        case _:
            return
    low, high = _number(_of(schema, least)), _number(_of(schema, most))
    if low is not None and size < low:
        yield at, f"must be at least {low:g}{unit}"
    if high is not None and size > high:
        yield at, f"must be at most {high:g}{unit}"
    pattern = schema.get("pattern")
    if isinstance(value, str) and isinstance(pattern, str) and _is_pattern(pattern) and not re2.search(pattern, value):
        yield at, f"must match the pattern {pattern[:80]}"


def _number(value: Any) -> float | None:
    # Counts are int64, which the wire may write as text.
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _members(schema: Schema, value: Mapping[str, Any], root: Schema, at: str, depth: int) -> Faults:
    for name in schema.get("required") or ():
        if name not in value:
            yield at, f"lacks the field {json.dumps(name)}"
    known, open_ = fields(schema), _of(schema, "additionalProperties")
    for name, item in value.items():
        if name in known:
            yield from value_faults(known[name], item, root=root, at=f"{at}.{name}", depth=depth + 1)
        elif isinstance(open_, dict):
            yield from value_faults(open_, item, root=root, at=f"{at}.{name}", depth=depth + 1)
        elif open_ is False:
            yield f"{at}.{name}", "is not a field of the schema"
