"""The scopes that are nearly a given one: what was written under them is not found under it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from memories.access.checks import Condition
from memories.server import facets, limits, scope_listing
from memories.server.models import Scope
from memories.wire import likeness, scopes
from memories.wire.filters import fold

MOST = 10
SECONDS = 0.5  # for what no index tells
_OF_EACH = 20  # scopes with a facet, before they are looked at
_SHOWN = 3  # that look like one of a list


@dataclass(frozen=True)
class Near:
    scope: Scope
    kind: str
    """One of `likeness.KINDS`."""


def near(bank: str, asked: scopes.Scope, *, condition: Condition) -> list[Near]:
    """The nearest first, and of equally near ones that with the most memories."""
    looks = likeness.loosened(asked)
    parts = facets.parts(looks)
    numbers = [
        *(facets.alike(bank, part) for part in (looks, *facets.subsets(looks))),
        *(facets.less(bank, part) for part in (looks, *parts)),
        facets.values(bank, looks),
        *(facets.pair(bank, key, value) for key, value in asked.items()),
    ]
    rows = {row for _number, row in _holding(numbers, _OF_EACH)} | set(_beginning(bank, asked))
    found = []
    for scope in Scope.objects.filter(pk__in=rows, bank_id=bank):
        kind = likeness.kind(asked, scope.pairs)
        if kind and condition.covers(scope.pairs):
            found.append(Near(scope, kind))
    return sorted(found, key=lambda one: (likeness.KINDS.index(one.kind), -one.scope.count, one.scope.pk))[:MOST]


def look_alikes(bank: str, some: Sequence[Scope], *, condition: Condition) -> dict[int, list[Near]]:
    """By row, the scopes that look like each: spelled otherwise, or with one pair more or less. A few of each."""
    wanted: dict[int, set[int]] = {}
    for scope in some:
        looks = likeness.loosened(scope.pairs)
        own = [facets.alike(bank, part) for part in (looks, *facets.parts(looks))]
        for number in (*own, facets.less(bank, looks)):
            wanted.setdefault(number, set()).add(scope.pk)
    pairs = {(row, other) for number, other in _holding(wanted, _SHOWN + 1) for row in wanted[number] if row != other}
    rows = Scope.objects.filter(bank_id=bank).in_bulk({other for _row, other in pairs})
    found: dict[int, list[Near]] = {}
    for scope in some:
        others = [rows[other] for row, other in pairs if row == scope.pk and other in rows]
        kinds = [Near(other, likeness.kind(scope.pairs, other.pairs)) for other in others]
        seen = [one for one in kinds if one.kind and condition.covers(one.scope.pairs)]
        seen.sort(key=lambda one: (likeness.KINDS.index(one.kind), -one.scope.count, one.scope.pk))
        if seen:
            found[scope.pk] = seen[:_SHOWN]
    return found


def _holding(numbers: Iterable[int], each: int) -> list[tuple[int, int]]:
    """(facet, row of a scope that has it), some of each facet."""
    found: list[tuple[int, int]] = []
    distinct = list(dict.fromkeys(numbers))
    part = (
        "SELECT * FROM (SELECT number, scope_id FROM server_facet WHERE number = %s ORDER BY scope_id LIMIT {}) AS f{}"
    )
    with connection.cursor() as cursor:
        for start in range(0, len(distinct), 200):
            asked = distinct[start : start + 200]
            cursor.execute(" UNION ALL ".join(part.format(each, index) for index in range(len(asked))), asked)
            found += cursor.fetchall()
    return found


def _beginning(bank: str, asked: scopes.Scope) -> list[int]:
    """Scopes with a value that begins with one of these; none where that takes long, since it is only a hint."""
    place = "strpos" if connection.vendor == "postgresql" else "instr"
    found: list[int] = []
    try:
        with limits.within(SECONDS) as check, connection.cursor() as cursor:
            of_bank = scope_listing.bank_of("s", bank)
            for value in asked.values():
                cursor.execute(
                    f"SELECT s.id FROM server_scope s WHERE {of_bank} AND {place}(s.text, %s) > 0 LIMIT %s",
                    [bank, f":{fold(value)}", _OF_EACH],
                )
                found += [row for (row,) in cursor.fetchall()]
                check()
    except limits.TimedOut:
        pass
    return found
