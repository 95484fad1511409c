"""The profiles of a scope as panels: the fields of a schema in its order, each value with the memory it comes from."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.utils.translation import gettext as _

from console import rows
from memories.wire import schemas
from memories.wire.resources import Memory, MemoryBankConfig, MemoryProfile
from memories.wire.schemas import Schema
from memories.wire.scopes import Scope


class Source(TypedDict):
    """A memory that holds a value of a field."""

    id: str
    url: str
    value: str
    updated: rows.Time | None
    expires: rows.Badge | None


class Field(TypedDict):
    name: str
    title: str
    description: str
    type: str
    required: bool
    declared: bool
    missing: bool
    value: str
    source: Source | None
    older: list[Source]
    """Of other memories with this field, which were updated earlier and do not count."""


class Panel(TypedDict):
    id: str
    title: str
    description: str
    declared: bool
    filled: int
    fields: list[Field]
    json: str


def panels(
    profiles: Mapping[str, MemoryProfile],
    memories: Sequence[Memory],
    *,
    config: MemoryBankConfig,
    scope: Scope,
    url: str,
    now: datetime,
) -> list[Panel]:
    """One of each schema that the scope has or its profiles name; `url` is the address of the bank's memories."""
    known = schemas.schemas_of(config, scope)
    sources = _sources(memories, url, now)
    ids = [*known, *(id for id in profiles if id not in known)]
    return [_panel(id, known.get(id), profiles.get(id), sources) for id in ids]


def _panel(
    id: str, schema: Schema | None, profile: MemoryProfile | None, sources: Mapping[tuple[str, str], list[Source]]
) -> Panel:
    data = profile.profile if profile else {}
    declared = schemas.fields(schema or {})
    required = set((schema or {}).get("required") or ())
    names = [*declared, *(name for name in data if name not in declared)]
    return {
        "id": id,
        "title": _word(schema, "title"),
        "description": _word(schema, "description"),
        "declared": schema is not None,
        "filled": sum(name in data for name in names),
        "fields": [
            _field(name, declared.get(name), data, sources.get((id, name), []), required=name in required)
            for name in names
        ],
        "json": json.dumps(profile.wire(), ensure_ascii=False, indent=2) if profile else "",
    }


def _field(
    name: str, schema: Schema | None, data: Mapping[str, Any], sources: list[Source], *, required: bool
) -> Field:
    missing = name not in data
    value = "" if missing else text(data[name])
    # The profile is the bank's answer; a memory is named as the source only where it says the same.
    current = next((one for one in sources if one["value"] == value), None)
    return {
        "name": name,
        "title": _word(schema, "title"),
        "description": _word(schema, "description"),
        "type": type_words(schema) if schema is not None else "",
        "required": required,
        "declared": schema is not None,
        "missing": missing,
        "value": value,
        "source": current,
        "older": [one for one in sources if one is not current],
    }


def _sources(memories: Sequence[Memory], url: str, now: datetime) -> dict[tuple[str, str], list[Source]]:
    """The memories by schema and field, as they are ordered."""
    found: dict[tuple[str, str], list[Source]] = {}
    for memory in memories:
        content, id = memory.structured_content, (memory.name or "").rpartition("/")[2]
        for name, value in content.data.items() if content else ():
            found.setdefault((content.schema_id if content else "", name), []).append(
                {
                    "id": id,
                    "url": f"{url}/{id}",
                    "value": text(value),
                    "updated": rows.time(memory.update_time, now),
                    "expires": rows.badge(memory.expire_time, now),
                }
            )
    return found


def text(value: Any) -> str:
    match value:
        case str():
            return value
        case list() if value and all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in value):
            return " · ".join(map(str, value))
        case bool():
            return _("yes") if value else _("no")
        case _:
            return json.dumps(value, ensure_ascii=False)


def type_words(schema: Schema) -> str:
    """The type as the schema has it, with what it may be."""
    kind = schemas.type_of(schema).lower()
    items = schema.get("items")
    if kind == "array" and isinstance(items, dict) and schemas.type_of(items):
        kind = f"array of {schemas.type_of(items).lower()}"
    choices = schema.get("enum")
    if isinstance(choices, list):
        kind = f"{kind}: {' | '.join(map(str, choices))}"
    return kind


def _word(schema: Schema | None, name: str) -> str:
    found = (schema or {}).get(name)
    return found if isinstance(found, str) else ""
