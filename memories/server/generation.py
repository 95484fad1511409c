"""GenerateMemories from facts that the caller has: created, or where the scope holds the same fact, updated.

The same is the same normalised text. Not likeness of vectors: "likes tea" and "does not like tea" lie closer to each
other than many a paraphrase, and taking one for the other would change what is remembered into its opposite.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import connection, transaction
from django.db.models import Q

from memories.access.checks import EVERYTHING
from memories.server import clock, policy, records, store
from memories.server.models import Bank, Memory, Revision
from memories.wire import resources, schemas, scopes
from memories.wire.errors import FailedPrecondition, InvalidArgument
from memories.wire.filters import fold
from memories.wire.names import MemoryName, RevisionName
from memories.wire.resources import DirectMemory, GenerateMemoriesRequest, Generation, MemoryMetadataValue

MAX_FACTS = 5


@dataclass(frozen=True, slots=True)
class Generated:
    memory_id: str
    action: Literal["CREATED", "UPDATED"]
    previous_revision: str = ""
    """The id of the revision before, where one is kept."""

    def wire(self, bank: Bank) -> records.JsonObject:
        name = MemoryName(records.bank_name(bank), self.memory_id)
        found: records.JsonObject = {"memory": {"name": str(name)}, "action": self.action}
        if self.previous_revision:
            found["previousRevision"] = str(RevisionName(name, self.previous_revision))
        return found


def normalised(fact: str) -> str:
    """What two facts that say the same word for word share: case, white space and the full stop are left out."""
    return fold(" ".join(fact.split())).rstrip(" .")


def check(asked: GenerateMemoriesRequest) -> Sequence[DirectMemory]:
    """The facts to remember, or InvalidArgument with the field's path."""
    facts = asked.direct_memories_source.direct_memories if asked.direct_memories_source else []
    at = "directMemoriesSource.directMemories"
    if not 0 < len(facts) <= MAX_FACTS:
        raise InvalidArgument.at(at, f"expected 1 to {MAX_FACTS} facts; found {len(facts)}.")
    allowed = {topic.label for topic in asked.allowed_topics or ()}
    for index, one in enumerate(facts):
        try:
            policy.check(_memory(one, asked), policy.NATURAL)
        except InvalidArgument as error:
            own = ("fact", "topics")
            raise InvalidArgument.of(
                [(f"{at}[{index}].{path}" if path.startswith(own) else path, text) for path, text in error.violations]
            ) from None
        for number, topic in enumerate(one.topics or ()):
            if allowed and topic.label not in allowed:
                raise InvalidArgument.at(f"{at}[{index}].topics[{number}]", "is not one of allowedTopics.")
    return facts


def check_settings(asked: Generation) -> None:
    """What is to hold for every memory that is made: InvalidArgument with the field's path."""
    memory = _memory(DirectMemory(fact="any"), asked)
    policy.check(memory, policy.NATURAL)
    policy.revision_expiry(memory, resources.MemoryBankConfig(), now=clock.now())


def _memory(one: DirectMemory, asked: Generation) -> resources.Memory:
    return resources.Memory(
        fact=one.fact,
        scope=asked.scope,
        topics=one.topics,
        metadata=asked.metadata,
        revision_labels=asked.revision_labels,
        revision_expire_time=asked.revision_expire_time,
        revision_ttl=asked.revision_ttl,
        disable_memory_revisions=asked.disable_memory_revisions,
    )


def remember(bank: Bank, asked: GenerateMemoriesRequest, scope: scopes.Scope) -> list[Generated]:
    """All of the facts or none."""
    facts = check(asked)
    custom = schemas.applying(store.config_of(bank).customization_configs, scope)
    if custom is not None and custom.disable_natural_language_memories:
        raise FailedPrecondition(
            "The bank's settings for this scope have disableNaturalLanguageMemories, so no fact is made a memory."
        )
    with transaction.atomic():
        if asked.disable_consolidation:
            return [_create(bank, one, asked) for one in facts]
        _alone(bank, scope)
        known = _known(bank, scope, asked)
        # A fact said twice in one request is one fact.
        once = {normalised(one.fact): one for one in facts}
        return [
            _update(bank, known[text], one, asked) if text in known else _create(bank, one, asked)
            for text, one in once.items()
        ]


def _alone(bank: Bank, scope: scopes.Scope) -> None:
    """Until the end of the transaction nobody else consolidates in this scope, which may not exist yet."""
    if connection.vendor == "postgresql":  # SQLite has one writer at a time
        key = int.from_bytes(hashlib.sha256(f"{bank.pk} {scopes.digest(scope)}".encode()).digest()[:8], signed=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def _known(bank: Bank, scope: scopes.Scope, asked: GenerateMemoriesRequest) -> dict[str, Memory]:
    """The live memories of the scope by normalised text, the newest of equal ones."""
    rows = Memory.objects.filter(bank=bank, scope__digest=scopes.digest(scope), memory_type=policy.NATURAL)
    rows = rows.filter(Q(expire_time=None) | Q(expire_time__gt=clock.now())).order_by("create_time", "id")
    exact = asked.metadata_merge_strategy == "REQUIRE_EXACT_MATCH"
    wanted = _wire(asked.metadata)
    return {
        normalised(row.fact): row
        for row in rows.only("id", "memory_id", "fact", "metadata", "bank_id")
        if not exact or json.loads(row.metadata or "{}") == wanted
    }


def _wire(metadata: dict[str, MemoryMetadataValue] | None) -> records.JsonObject:
    return {key: value.wire() for key, value in (metadata or {}).items()}


def _create(bank: Bank, one: DirectMemory, asked: GenerateMemoriesRequest) -> Generated:
    ((row, revision),) = store.insert(bank, [("", _memory(one, asked))], timed=False, cause="generate_created")
    _came_from(bank, row.memory_id, revision, one)
    return Generated(row.memory_id, "CREATED")


def _update(bank: Bank, row: Memory, one: DirectMemory, asked: GenerateMemoriesRequest) -> Generated:
    before = Revision.objects.filter(bank=bank, memory_id=row.memory_id, expire_time__gt=clock.now())
    previous = before.order_by("-id").values_list("revision_id", flat=True).first()
    memory = _memory(one, asked)
    mask = {"fact"}
    if one.topics is not None:
        mask.add("topics")
    if asked.metadata_merge_strategy == "OVERWRITE":
        mask.add("metadata")
    elif asked.metadata:
        old = {key: MemoryMetadataValue.receive(value) for key, value in json.loads(row.metadata or "{}").items()}
        memory.metadata = old | asked.metadata
        mask.add("metadata")
    made = store.update(
        bank, row.memory_id, memory, mask=mask, if_match="", condition=EVERYTHING, cause="generate_updated"
    )
    _came_from(bank, row.memory_id, made.revision, one)
    return Generated(row.memory_id, "UPDATED", previous or "")


def _came_from(bank: Bank, memory_id: str, revision: str, one: DirectMemory) -> None:
    if revision:
        Revision.objects.filter(bank=bank, memory_id=memory_id, revision_id=revision).update(
            extracted=records.dump([{"fact": one.fact}])
        )
