"""A large bank of made-up memories: the same for the same seed, written as fast as the database takes rows.

It goes round the store's objects, which take twice as long; what a memory consists of (row, pairs, revision, count of
its scope) is the same.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import batched

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Max, Model

from memories.server import facets
from memories.server.management.progress import Progress
from memories.server.models import Bank, Facet, Memory, Pair, Revision, Scope
from memories.server.policy import NATURAL, REVISION_LIFE
from memories.wire import scopes
from memories.wire.filters import fold

DAY = 86_400_000_000  # microseconds
SPAN = 400 * DAY
BATCH = 2_000

type Row = tuple[int | str | None, ...]
_FIRST_ID = 2_000_000_000_000_000_000

_SUBJECTS = ("I", "My partner", "My daughter", "My boss", "Our team", "My neighbour", "My brother", "My doctor")
_VERBS = (
    *("likes", "cannot stand", "is allergic to", "collects", "is learning about", "always asks for"),
    *("used to work with", "is saving up for", "dreams of", "recommended", "wants to avoid", "talks about"),
)
_THINGS = (
    *("peanuts", "black coffee", "night trains", "old maps", "window seats", "jazz records", "mountain huts", "chess"),
    *(
        "green tea",
        "long walks",
        "early flights",
        "spicy food",
        "detective novels",
        "cold swims",
        "city bikes",
        "opera",
    ),
    *(
        "קפה שחור",
        "i treni di notte",
        "kopi tubruk",
        "el mar en invierno",
        "pão de queijo",
        "日本の温泉",
        "fresh bread 🥖",
    ),
)
_WHEN = (
    "since last spring",
    "on weekdays",
    "when travelling",
    "at home",
    "for the first time",
    "more than ever",
    "in {city}",
)
_CITIES = (
    "Turin",
    "Haifa",
    "Porto",
    "Bandung",
    "Valencia",
    "Leeds",
    "Recife",
    "Jakarta",
    "Naples",
    "Lima",
    "Ghent",
    "Oslo",
)
_APPS = ("concierge", "shop", "support-desk", "fitness", "notes")
_APP_WEIGHTS = (60, 20, 10, 9, 1)
_TOPICS = ("USER_PREFERENCES", "USER_PERSONAL_INFO", "KEY_CONVERSATION_DETAILS")


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of the bank by number: their pairs, and their rows' keys."""

    maps: list[dict[str, str]]
    keys: list[int]


def fill(bank: Bank, count: int, *, seed: int, now: int, shown: Progress) -> int:
    """Writes `count` memories to an empty bank in the transaction that is open; how many scopes they are in."""
    chance = random.Random(seed)  # noqa: S311  # repeatable on purpose
    numbers = _numbers(chance, count)
    times = sorted(now - int(SPAN * chance.random() ** 1.5) for _ in range(count))
    made = _scopes(bank, chance, numbers, times)
    memory_pk, pair_pk, revision_pk = (_next(model) for model in (Memory, Pair, Revision))
    rows = zip(numbers, times, strict=True)
    done = told = 0
    for some in batched(rows, BATCH):
        memories, pairs, revisions = [], [], []
        for number, created in some:
            done += 1
            memory_id = str(_FIRST_ID + done * 1_048_576 + chance.randrange(1_048_576))
            fact, topic, metadata = _fact(chance), _topic(chance), _metadata(chance)
            updated = min(now, created + int(chance.expovariate(1 / DAY))) if chance.random() < 0.1 else created
            memories.append(
                (
                    memory_pk,
                    bank.pk,
                    memory_id,
                    made.keys[number],
                    fact,
                    fold(fact),
                    NATURAL,
                    topic,
                    metadata,
                    created,
                    updated,
                )
            )
            for key, value in made.maps[number].items():
                pairs.append((pair_pk, bank.pk, memory_pk, f"scope.{key}", value, created, updated))
                pair_pk += 1
            if topic:
                label = json.loads(topic)[0]["managedMemoryTopic"]
                pairs.append((pair_pk, bank.pk, memory_pk, "topics.managed_memory_topic", label, created, updated))
                pair_pk += 1
            for at, text in [(created, _fact(chance))] * (updated > created) + [(updated, fact)]:
                id = str(_FIRST_ID + told * 1_048_576 + chance.randrange(1_048_576))
                revisions.append((revision_pk, bank.pk, memory_id, id, at, now + REVISION_LIFE, text))
                revision_pk, told = revision_pk + 1, told + 1
            memory_pk += 1
        _write(Memory, _MEMORY, memories)
        _write(Pair, _PAIR, pairs)
        _write(Revision, _REVISION, revisions)
        shown.advance(done)
    _reset()
    return len(made.maps)


_MEMORY = (
    *("id", "bank_id", "memory_id", "scope_id", "fact", "folded", "memory_type", "topics", "metadata"),
    *("create_time", "update_time"),
)
_PAIR = ("id", "bank_id", "memory_id", "key", "value", "create_time", "update_time")
_REVISION = ("id", "bank_id", "memory_id", "revision_id", "create_time", "expire_time", "fact")
_SCOPE = ("id", "bank_id", "digest", "canonical", "text", "count", "first_write", "last_write", "version")


def _numbers(chance: random.Random, count: int) -> list[int]:
    """The scope of each memory: a tenth as many scopes, each used, a few of them by very many memories."""
    many = max(1, count // 10)
    numbers = [*range(many), *(int(many * chance.random() ** 3) for _ in range(count - many))]
    chance.shuffle(numbers)
    return numbers


def _scopes(bank: Bank, chance: random.Random, numbers: list[int], times: list[int]) -> Scopes:
    counted: dict[int, tuple[int, int, int]] = {}
    for number, at in zip(numbers, times, strict=True):
        count, first, _last = counted.get(number, (0, at, at))
        counted[number] = (count + 1, first, at)
    start = _next(Scope)
    maps = [_scope(chance, number) for number in range(len(counted))]
    rows: list[Row] = []
    for number, scope in enumerate(maps):
        count, first, last = counted[number]
        digest, text = scopes.digest(scope), scopes.canonical(scope)
        rows.append((start + number, bank.pk, digest, text, facets.text(scope), count, first, last, count))
    for some in batched(rows, BATCH):
        _write(Scope, _SCOPE, list(some))
    facets_ = ((number, start + index) for index, scope in enumerate(maps) for number in facets.of(bank.pk, scope))
    for more in batched(((id, *row) for id, row in enumerate(facets_, _next(Facet))), BATCH):
        _write(Facet, ("id", "number", "scope_id"), list(more))
    return Scopes(maps, list(range(start, start + len(maps))))


def _scope(chance: random.Random, number: int) -> dict[str, str]:
    user = f"user-{number:06}"
    kind = chance.random()
    if kind < 0.2:
        return {"user_id": user}
    app = chance.choices(_APPS, _APP_WEIGHTS)[0]
    if kind < 0.9:
        return {"app_name": app, "user_id": user}
    return {"app_name": app, "tenant": f"tenant-{number % 7}", "user_id": user}


def _fact(chance: random.Random) -> str:
    when = chance.choice(_WHEN).format(city=chance.choice(_CITIES))
    number = chance.randrange(10_000)
    subject, verb, thing = chance.choice(_SUBJECTS), chance.choice(_VERBS), chance.choice(_THINGS)
    return f"{subject} {verb} {thing} {when}; noted in conversation {number} about {chance.choice(_CITIES)}."


def _topic(chance: random.Random) -> str:
    if chance.random() < 0.4:
        return ""
    return f'[{{"managedMemoryTopic":"{chance.choice(_TOPICS)}"}}]'


def _metadata(chance: random.Random) -> str:
    if chance.random() < 0.8:
        return ""
    session, score = chance.randrange(100_000), chance.random()
    return f'{{"session":{{"stringValue":"s-{session}"}},"score":{{"doubleValue":{score:.3f}}}}}'


def _next(model: type[Model]) -> int:
    return (model._default_manager.aggregate(most=Max("pk"))["most"] or 0) + 1


def _write(model: type[Model], columns: tuple[str, ...], rows: Sequence[Row]) -> None:
    """Columns left out get the default of their field, which is an empty text or NULL."""
    fields = {str(field.column): field for field in model._meta.concrete_fields if field.column not in columns}
    names = [*columns, *fields]
    rest = tuple(field.get_default() for field in fields.values())
    marks = ", ".join(["%s"] * len(names))
    quoted = ", ".join(connection.ops.quote_name(name) for name in names)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {model._meta.db_table} ({quoted}) VALUES ({marks})",  # names of our own
            [row + rest for row in rows],
        )


def _reset() -> None:
    """Lets a database with sequences go on after the keys given here."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Scope, Facet, Memory, Pair, Revision]):
            cursor.execute(statement)
