"""Memories written and read one by one. Each change is one transaction, with its revision and its indexes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import IntegrityError, connection, transaction
from django.db.models import F

from memories.access.checks import Condition
from memories.server import clock, facets, policy, profiles, records
from memories.server.masks import EXPIRY, MUTABLE
from memories.server.models import Bank, Memory, Pair, Revision, Scope, Tombstone
from memories.wire import names, resources, scopes
from memories.wire.errors import Aborted, AlreadyExists, FailedPrecondition, InvalidArgument, NotFound
from memories.wire.filters import fold
from memories.wire.resources import MemoryBankConfig
from memories.wire.times import Timestamp


@dataclass(frozen=True, slots=True)
class Written:
    """A change as it was made: the memory on the wire (empty when deleted), and its revision's id, if one is kept."""

    memory: records.JsonObject
    memory_id: str
    revision: str
    scope: dict[str, str]


def config_of(bank: Bank) -> MemoryBankConfig:
    return MemoryBankConfig.receive(json.loads(bank.config or "{}"))


# --- reading ----------------------------------------------------------------------------------------------------------


def find(bank: Bank, memory_id: str, condition: Condition, *, lock: bool = False) -> Memory:
    """The live memory. NotFound for one that does not exist, was deleted, or has expired."""
    rows = Memory.objects.select_related("scope").filter(bank=bank, memory_id=memory_id)
    if lock and connection.vendor == "postgresql":
        rows = rows.select_for_update(of=("self",))
    found = rows.first()
    gone = found is None or (found.expire_time is not None and found.expire_time <= clock.now())
    if found is None or gone:
        raise NotFound(f"Memory '{records.bank_name(bank)}/memories/{memory_id}' was not found.")
    visible(condition, json.loads(found.scope.canonical), found.memory_id)
    return found


def visible(condition: Condition, scope: dict[str, str], memory_id: str) -> None:
    # To somebody who may not touch this scope, the memory does not exist: its id would say that it does.
    if not condition.covers(scope):
        raise NotFound(f"Memory '{memory_id}' was not found.")


def tombstone(bank: Bank, memory_id: str) -> Tombstone | None:
    """The deleted memory, while it can be revived; locked, so that two callers do not both revive it."""
    oldest = clock.now() - policy.REVIVABLE
    rows = Tombstone.objects.filter(bank=bank, memory_id=memory_id, delete_time__gt=oldest)
    return (rows.select_for_update() if connection.vendor == "postgresql" else rows).first()


# --- creating ---------------------------------------------------------------------------------------------------------


def create(bank: Bank, memory: resources.Memory, *, memory_id: str = "", condition: Condition) -> Written:
    policy.check_new(memory)
    scope = scopes.ordered(memory.scope or {})
    visible(condition, scope, memory_id or "new")
    made = insert(bank, [(memory_id, memory)], timed=False)[0]
    return Written(records.memory_of(str(records.bank_name(bank)), made[0]), made[0].memory_id, made[1], scope)


def insert(
    bank: Bank, new: Sequence[tuple[str, resources.Memory]], *, timed: bool, cause: policy.Cause = "create"
) -> list[tuple[Memory, str]]:
    """Writes new memories, all or none, and gives each with its revision's id ("" where none is kept).

    They must have passed `policy.check_new`. `timed` takes createTime and updateTime as given.
    """
    with transaction.atomic():
        now, config = clock.now(), config_of(bank)
        for _memory_id, memory in new:
            profiles.check(memory, config, memory.scope or {})
        _check_ids(bank, [memory_id for memory_id, _memory in new if memory_id])
        rows = [_row(bank, memory_id or clock.new_id(), memory, config, now, timed, cause) for memory_id, memory in new]
        found = _count_in(bank, [scopes.ordered(memory.scope or {}) for _id, memory in new], rows)
        for row, (_memory_id, memory) in zip(rows, new, strict=True):
            row.scope = found[scopes.digest(memory.scope or {})]
        try:
            Memory.objects.bulk_create(rows, batch_size=500)
        except IntegrityError:  # since the check somebody else took one of the ids
            raise AlreadyExists("A memory with such an id was created meanwhile; choose another id.") from None
        pairs = [
            pair
            for row, (_id, memory) in zip(rows, new, strict=True)
            for pair in _pairs(row, memory.scope or {}, memory.topics)
        ]
        Pair.objects.bulk_create(pairs, batch_size=2000)
        revisions = [_revision(bank, row, memory, config) for row, (_id, memory) in zip(rows, new, strict=True)]
        Revision.objects.bulk_create([made for made in revisions if made], batch_size=500)
    return [(row, made.revision_id if made else "") for row, made in zip(rows, revisions, strict=True)]


def _check_ids(bank: Bank, wanted: list[str]) -> None:
    """AlreadyExists for a taken id; makes room where what took it has expired."""
    for memory_id in wanted:
        names.check_memory_id(memory_id)
    if len(set(wanted)) < len(wanted):
        raise InvalidArgument.at("memoryId", "The same id stands twice in one request.")
    now = clock.now()
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        for taken in Memory.objects.filter(bank=bank, memory_id__in=some):
            if taken.expire_time is None or taken.expire_time > now:
                raise AlreadyExists(f"A memory with the id '{taken.memory_id}' exists; choose another id.")
            forget(bank, taken)
        for buried in Tombstone.objects.filter(bank=bank, memory_id__in=some):
            if buried.delete_time > now - policy.REVIVABLE:
                until = Timestamp.of_micros(buried.delete_time + policy.REVIVABLE)
                raise AlreadyExists(
                    f"The memory '{buried.memory_id}' was deleted and can be revived by RollbackMemory until {until};"
                    " revive it, or choose another id."
                )
            Revision.objects.filter(bank=bank, memory_id=buried.memory_id).delete()
            buried.delete()


def _row(
    bank: Bank,
    memory_id: str,
    memory: resources.Memory,
    config: MemoryBankConfig,
    now: int,
    timed: bool,
    cause: policy.Cause,
) -> Memory:
    created = memory.create_time.micros if timed and memory.create_time else now
    updated = memory.update_time.micros if timed and memory.update_time else created
    if updated < created:
        raise InvalidArgument.at("updateTime", "lies before createTime.")
    row = Memory(
        bank=bank,
        memory_id=memory_id,
        memory_type=policy.STRUCTURED if memory.structured_content else policy.NATURAL,
        create_time=created,
        update_time=updated,
        expire_time=policy.expiry(memory, config, cause, now=now),
    )
    _fill(row, memory, MUTABLE)
    return row


def _fill(row: Memory, memory: resources.Memory, fields: frozenset[str] | set[str]) -> None:
    for name in ("fact", "display_name", "description", "context"):
        if name in fields:
            setattr(row, name, getattr(memory, name) or "")
    if "fact" in fields:
        row.folded = fold(row.fact)
    if "topics" in fields:
        row.topics = records.dump([topic.wire() for topic in memory.topics or ()])
    if "metadata" in fields:
        row.metadata = records.dump({key: value.wire() for key, value in (memory.metadata or {}).items()})
    if "structured_content" in fields and memory.structured_content:
        row.schema_id = memory.structured_content.schema_id
        row.data = records.dump(memory.structured_content.data)


def _pairs(row: Memory, scope: scopes.Scope, topics: Sequence[resources.MemoryTopicId] | None) -> list[Pair]:
    keyed = [(f"scope.{key}", value) for key, value in scope.items()]
    for topic in topics or ():
        kind = "managed_memory_topic" if topic.managed_memory_topic else "custom_memory_topic_label"
        keyed.append((f"topics.{kind}", topic.label))
    return [
        Pair(
            bank_id=row.bank_id,
            memory=row,
            key=key,
            value=value,
            create_time=row.create_time,
            update_time=row.update_time,
        )
        for key, value in dict.fromkeys(keyed)
    ]


def _revision(
    bank: Bank, row: Memory, memory: resources.Memory, config: MemoryBankConfig, *, deletion: bool = False
) -> Revision | None:
    if not policy.keeps_revisions(memory, config):
        return None
    return Revision(
        bank=bank,
        memory_id=row.memory_id,
        revision_id=clock.new_id(),
        create_time=row.update_time,
        expire_time=policy.revision_expiry(memory, config, now=clock.now()),
        fact="" if deletion else row.fact,
        data="" if deletion else row.data,
        labels=records.dump(memory.revision_labels),
        context="" if deletion else row.context,
    )


def _count_in(bank: Bank, found: Sequence[dict[str, str]], rows: Sequence[Memory]) -> dict[str, Scope]:
    """The scope rows by digest, made where there was none, with the new memories counted in."""
    counted: dict[str, tuple[str, int, int, int]] = {}
    for scope, row in zip(found, rows, strict=True):
        text, key = scopes.canonical(scope), scopes.digest(scope)
        _text, count, first, last = counted.get(key, (text, 0, row.create_time, row.update_time))
        counted[key] = (text, count + 1, min(first, row.create_time), max(last, row.update_time))
    less, more = ("LEAST", "GREATEST") if connection.vendor == "postgresql" else ("min", "max")
    upsert = (
        "INSERT INTO server_scope (bank_id, digest, canonical, text, count, first_write, last_write, version)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, 1) ON CONFLICT (bank_id, digest) DO UPDATE SET"
        " count = server_scope.count + excluded.count, version = server_scope.version + 1,"
        f" first_write = {less}(server_scope.first_write, excluded.first_write),"
        f" last_write = {more}(server_scope.last_write, excluded.last_write)"
    )
    with connection.cursor() as cursor:
        # In one order, so that two writers cannot wait for each other.
        cursor.executemany(
            upsert,
            [
                (bank.pk, key, text, facets.text(json.loads(text)), n, first, last)
                for key, (text, n, first, last) in sorted(counted.items())
            ],
        )
    keys = list(counted)
    kept = {
        scope.digest: scope
        for start in range(0, len(keys), 500)
        for scope in Scope.objects.filter(bank=bank, digest__in=keys[start : start + 500])
    }
    facets.add(scope for scope in kept.values() if scope.version == 1)
    return kept


# --- changing ---------------------------------------------------------------------------------------------------------


def update(
    bank: Bank,
    memory_id: str,
    memory: resources.Memory,
    *,
    mask: set[str],
    if_match: str,
    condition: Condition,
    cause: policy.Cause = "update",
) -> Written:
    with transaction.atomic():
        row = find(bank, memory_id, condition, lock=True)
        _fresh(row, if_match)
        scope: dict[str, str] = json.loads(row.scope.canonical)
        _unchanged(memory, mask, scope, row)
        config = config_of(bank)
        topics_before = row.topics
        _fill(row, memory, mask)
        after = _as_message(row, labels=memory.revision_labels)
        policy.check(after, row.memory_type)
        if "structured_content" in mask:
            profiles.check(after, config, scope)
        now = clock.now()
        row.update_time = max(now, row.update_time + 1)
        row.expire_time = _expiry_after(row, memory, mask, config, cause, now)
        row.save()
        if row.topics == topics_before:
            Pair.objects.filter(memory=row).update(update_time=row.update_time)
        else:
            Pair.objects.filter(memory=row).delete()
            Pair.objects.bulk_create(_pairs(row, scope, memory.topics))
        _touch(row)
        made = _revision(bank, row, memory, config)
        if made:
            made.save()
    wire = records.memory_of(str(records.bank_name(bank)), row)
    return Written(wire, memory_id, made.revision_id if made else "", scope)


def _fresh(row: Memory, if_match: str) -> None:
    current = Timestamp.of_micros(row.update_time)
    if if_match and if_match.removeprefix("W/").strip('"') not in (current, "*"):
        raise Aborted(f"The memory changed: its updateTime is {current}, not {if_match}. Read it again first.")


def _unchanged(memory: resources.Memory, mask: set[str], scope: dict[str, str], row: Memory) -> None:
    if "scope" in mask and memory.scope is not None and dict(memory.scope) != scope:
        raise InvalidArgument.at("scope", "cannot be changed; create the memory under the other scope instead.")
    unset = (None, "MEMORY_TYPE_UNSPECIFIED", row.memory_type)
    if "memory_type" in mask and memory.memory_type not in unset:
        raise InvalidArgument.at("memoryType", "cannot be changed.")
    content = memory.structured_content
    if "structured_content" in mask and content is not None and row.memory_type != policy.STRUCTURED:
        raise InvalidArgument.at("structuredContent", "is only for memories of type STRUCTURED_PROFILE.")
    if "structured_content" in mask and content is None and row.memory_type == policy.STRUCTURED:
        raise InvalidArgument.at("structuredContent", "cannot be cleared; delete the memory instead.")
    if "structured_content" in mask and content is not None and content.schema_id != row.schema_id:
        raise InvalidArgument.at("structuredContent.schemaId", "cannot be changed.")


def _as_message(row: Memory, *, labels: dict[str, str] | None) -> resources.Memory:
    return resources.Memory.receive(
        {
            "fact": row.fact,
            "displayName": row.display_name,
            "description": row.description,
            "context": row.context,
            "topics": json.loads(row.topics or "[]"),
            "metadata": json.loads(row.metadata or "{}"),
            "revisionLabels": labels,
            "structuredContent": {"schemaId": row.schema_id, "data": json.loads(row.data)} if row.data else None,
        }
    )


def _expiry_after(
    row: Memory, memory: resources.Memory, mask: set[str], config: MemoryBankConfig, cause: policy.Cause, now: int
) -> int | None:
    if mask & EXPIRY:
        if memory.expire_time is None and memory.ttl is None:
            return None
        return policy.expiry(memory, config, cause, now=now)
    by_bank = policy.expiry(resources.Memory(), config, cause, now=now)
    return row.expire_time if by_bank is None else by_bank


def _touch(row: Memory) -> None:
    Scope.objects.filter(pk=row.scope_id).update(version=F("version") + 1, last_write=row.update_time)


def delete(bank: Bank, memory_id: str, *, if_match: str, condition: Condition) -> Written:
    with transaction.atomic():
        row = find(bank, memory_id, condition, lock=True)
        _fresh(row, if_match)
        scope: dict[str, str] = json.loads(row.scope.canonical)
        revision = bury(bank, row, at=max(clock.now(), row.update_time + 1))
    return Written({}, memory_id, revision, scope)


def bury(bank: Bank, row: Memory, *, at: int) -> str:
    """Takes a memory out of every read and keeps it for revival. Gives its revision's id, "" where none is kept."""
    config = config_of(bank)
    kept = records.memory_of(str(records.bank_name(bank)), row)
    if not config.disable_memory_revisions:
        Tombstone.objects.create(
            bank=bank, memory_id=row.memory_id, memory=json.dumps(kept, ensure_ascii=False), delete_time=at
        )
    row.update_time = at
    made = _revision(bank, row, resources.Memory(), config, deletion=True)
    if made:
        made.save()
    _remove(row, at)
    return made.revision_id if made else ""


def forget(bank: Bank, row: Memory) -> None:
    """Takes a memory away with its revisions."""
    Revision.objects.filter(bank=bank, memory_id=row.memory_id).delete()
    _remove(row, clock.now())


def _remove(row: Memory, at: int) -> None:
    scope_id = row.scope_id
    Pair.objects.filter(memory=row).delete()
    Memory.objects.filter(pk=row.pk).delete()
    Scope.objects.filter(pk=scope_id).update(count=F("count") - 1, version=F("version") + 1, last_write=at)
    Scope.objects.filter(pk=scope_id, count__lte=0).delete()


# --- revisions --------------------------------------------------------------------------------------------------------


def roll_back(bank: Bank, memory_id: str, revision_id: str, *, if_match: str, condition: Condition) -> Written:
    """The fact and the structured data become those of the revision; a deleted memory is revived."""
    with transaction.atomic():
        buried = tombstone(bank, memory_id)
        if buried is None:
            row = find(bank, memory_id, condition, lock=True)
            _fresh(row, if_match)
        target = Revision.objects.filter(
            bank=bank, memory_id=memory_id, revision_id=revision_id, expire_time__gt=clock.now()
        ).first()
        if target is None:
            raise NotFound(f"Memory '{memory_id}' has no revision '{revision_id}'.")
        if not target.fact and not target.data:
            raise FailedPrecondition("This revision records a deletion; roll back to one that holds a fact.")
        if buried is not None:
            row = _revive(bank, buried, condition)
        config = config_of(bank)
        row.fact, row.folded = target.fact, fold(target.fact)
        row.data = target.data
        row.update_time = max(clock.now(), row.update_time + 1)
        row.save()
        Pair.objects.filter(memory=row).update(update_time=row.update_time)
        _touch(row)
        made = _revision(bank, row, resources.Memory(), config)
        if made:
            made.save()
    scope: dict[str, str] = json.loads(row.scope.canonical)
    wire = records.memory_of(str(records.bank_name(bank)), row)
    return Written(wire, memory_id, made.revision_id if made else "", scope)


def _revive(bank: Bank, buried: Tombstone, condition: Condition) -> Memory:
    kept = resources.Memory.receive(json.loads(buried.memory))
    scope = scopes.ordered(kept.scope or {})
    visible(condition, scope, buried.memory_id)
    delete_time = buried.delete_time
    buried.delete()
    now = clock.now()
    row = Memory(
        bank=bank,
        memory_id=buried.memory_id,
        memory_type=kept.memory_type or policy.NATURAL,
        create_time=kept.create_time.micros if kept.create_time else now,
        update_time=max(now, delete_time + 1),
    )
    # A life that has run out meanwhile would take the memory away again at once.
    if kept.expire_time is not None and kept.expire_time.micros > now:
        row.expire_time = kept.expire_time.micros
    _fill(row, kept, MUTABLE)
    row.scope = _count_in(bank, [scope], [row])[scopes.digest(scope)]
    row.save(force_insert=True)
    Pair.objects.bulk_create(_pairs(row, scope, kept.topics))
    return row
