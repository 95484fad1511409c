"""Structured memories: which schemas a scope has, whether data follows them, and the profile that the memories make."""

import json
from collections.abc import Callable, Sequence

from django.db import connection

from memories.server import clock, policy, records
from memories.server.models import Bank
from memories.wire import schemas, scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryBankConfig


def check(memory: Memory, config: MemoryBankConfig, scope: scopes.Scope) -> None:
    """InvalidArgument where the data does not follow its schema. A bank without schemas takes any."""
    content = memory.structured_content
    if content is None or not config.structured_memory_configs:
        return
    known = schemas.schemas_of(config, scope)
    schema = known.get(content.schema_id)
    if schema is None:
        names = f"they have {', '.join(known)}" if known else "they have none"
        keys = ", ".join(scope)
        raise InvalidArgument.at(
            "structuredContent.schemaId",
            f"{content.schema_id[:80]!r} is no schema of scopes with the keys {keys}; {names}.",
        )
    found = list(schemas.profile_faults(schema, content.data))
    if found:
        raise InvalidArgument.of([(f"structuredContent.data.{path}", f"{text}.") for path, text in found[:20]])


def check_config(config: MemoryBankConfig) -> None:
    """The settings of a bank, or InvalidArgument with the path of what cannot be used."""
    at = "contextSpec.memoryBankConfig"
    structured = config.structured_memory_configs or []
    _distinct([one.scope_keys for one in structured], f"{at}.structuredMemoryConfigs")
    _distinct([one.scope_keys for one in config.customization_configs or []], f"{at}.customizationConfigs")
    for index, one in enumerate(structured):
        ids: set[str] = set()
        for number, schema in enumerate(one.schema_configs or ()):
            here = f"{at}.structuredMemoryConfigs[{index}].schemaConfigs[{number}]"
            if schema.id in ids:
                raise InvalidArgument.at(f"{here}.id", f"{schema.id!r} stands twice.")
            ids.add(schema.id)
            if schema.memory_schema is None and schema.json_schema is None:
                raise InvalidArgument.at(f"{here}.schema", "is required.")
            found = [(f"{here}.schema.{path}", f"{text}.") for path, text in schemas.faults(schemas.schema_of(schema))]
            if found:
                raise InvalidArgument.of(found[:20])
            if schemas.type_of(schemas.schema_of(schema)) == "ARRAY":
                raise InvalidArgument.at(f"{here}.schema.type", "of a STRUCTURED_PROFILE must not be ARRAY.")
    policy.check_durations(config, at)


def _distinct(keys: Sequence[Sequence[str] | None], at: str) -> None:
    seen: set[frozenset[str]] = set()
    for index, one in enumerate(keys):
        key = frozenset(one or ())
        if key in seen:
            text = "is a second one for the same scope keys." if key else "is a second default; only one has no keys."
            raise InvalidArgument.at(f"{at}[{index}].scopeKeys", text)
        seen.add(key)


def of(bank: Bank, scope: scopes.Scope, *, config: MemoryBankConfig) -> records.JsonObject:
    """The profiles of a scope by schema; of two memories with one field the one updated last counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.schema_id, m.data FROM server_memory m JOIN server_scope s ON s.id = m.scope_id"
            " WHERE s.bank_id = %s AND s.digest = %s AND m.memory_type = %s"
            " AND (m.expire_time IS NULL OR m.expire_time > %s) ORDER BY m.update_time, m.id",
            [bank.pk, scopes.digest(scope), policy.STRUCTURED, clock.now()],
        )
        rows: list[tuple[str, str]] = cursor.fetchall()
    merged: dict[str, dict[str, object]] = {}
    for schema_id, data in rows:
        merged.setdefault(schema_id, {}).update(json.loads(data or "{}"))
    known = schemas.schemas_of(config, scope)
    return {
        schema_id: {"schemaId": schema_id, "profile": dict(sorted(data.items(), key=_order(known.get(schema_id, {}))))}
        for schema_id, data in sorted(merged.items())
    }


def _order(schema: schemas.Schema) -> Callable[[tuple[str, object]], tuple[int, str]]:
    """The schema's order, then what it does not name by name."""
    place = {name: index for index, name in enumerate(schemas.fields(schema))}
    return lambda item: (place.get(item[0], len(place)), item[0])
