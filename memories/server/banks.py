"""Banks: kept, changed, and taken away with everything in them."""

import json

from django.db import connection, transaction

from memories.server import clock, profiles, records
from memories.server.masks import snake
from memories.server.models import Bank, Memory, Operation
from memories.wire.errors import FailedPrecondition, InvalidArgument, NotFound
from memories.wire.names import BankName
from memories.wire.resources import ReasoningEngine

ANY = "-"
_EXTRA = ("labels", "encryption_spec", "spec", "traffic_config", "revision_garbage_collection_strategy")
_FIELDS = {"display_name", "description", "context_spec", *_EXTRA}


def find(name: BankName) -> Bank:
    """A bank by location and id; a project may be an id or a number, so it is not compared."""
    found = Bank.objects.filter(pk=name.id).first()
    if found is None or name.location not in (found.location, ANY):
        raise NotFound(f"Memory bank '{name}' was not found.")
    return found


def create(project: str, location: str, engine: ReasoningEngine) -> Bank:
    now = clock.now()
    bank = Bank(id=clock.new_id(), project=project, location=location, create_time=now, update_time=now)
    _fill(bank, engine, _FIELDS)
    bank.save(force_insert=True)
    return bank


def update(name: BankName, engine: ReasoningEngine, *, mask: str) -> Bank:
    """Without a mask, what was sent is changed and settings are merged by their first level."""
    with transaction.atomic():
        bank = find(name)
        if mask:
            fields = {snake(part.strip()).split(".")[0] for part in mask.split(",")}
            unknown = fields - _FIELDS - {"*"}
            if unknown:
                raise InvalidArgument.at("updateMask", f"{sorted(unknown)[0]!r} is not a field that can be changed.")
            fields = _FIELDS if "*" in fields else fields
        else:
            fields = {field for field in _FIELDS if getattr(engine, field) is not None}
        _fill(bank, engine, fields, merge=not mask)
        bank.update_time = max(clock.now(), bank.update_time + 1)
        bank.save()
    return bank


def _fill(bank: Bank, engine: ReasoningEngine, fields: set[str], *, merge: bool = False) -> None:
    if "display_name" in fields:
        bank.display_name = engine.display_name or ""
    if "description" in fields:
        bank.description = engine.description or ""
    profiles.check_config(engine.config)
    sent = engine.config.wire()
    # SDKs send empty settings along with a new display name: that must not wipe what there is.
    if "context_spec" in fields and sent:
        bank.config = json.dumps((json.loads(bank.config) if merge else {}) | sent, ensure_ascii=False)
    extra = json.loads(bank.extra)
    wire = engine.wire()
    for field in _EXTRA:
        if field in fields:
            key = "".join(part.title() if index else part for index, part in enumerate(field.split("_")))
            extra.pop(key, None)
            if key in wire:
                extra[key] = wire[key]
    bank.extra = json.dumps(extra, ensure_ascii=False)


def delete(name: BankName, *, force: bool) -> Bank:
    with transaction.atomic():
        bank = find(name)
        if not force and Memory.objects.filter(bank=bank).exists():
            raise FailedPrecondition(
                f"The memory bank '{records.bank_name(bank)}' holds memories; delete them first, or delete with force."
            )
        # Their answers hold text of memories.
        Operation.objects.filter(bank_id=bank.pk).delete()
        with connection.cursor() as cursor:
            within = "memory_id IN (SELECT id FROM server_memory WHERE bank_id = %s)"
            cursor.execute(f"DELETE FROM server_vector WHERE {within}", [bank.pk])
            streams = "stream_id IN (SELECT id FROM server_stream WHERE bank_id = %s)"
            cursor.execute(f"DELETE FROM server_event WHERE {streams}", [bank.pk])
            of_scopes = "scope_id IN (SELECT id FROM server_scope WHERE bank_id = %s)"
            cursor.execute(f"DELETE FROM server_facet WHERE {of_scopes}", [bank.pk])
            for table in ("stream", "pending", "pair", "memory", "scope", "revision", "tombstone"):
                cursor.execute(f"DELETE FROM server_{table} WHERE bank_id = %s", [bank.pk])
        Bank.objects.filter(pk=bank.pk).delete()
    return bank
