"""The scopes that are nearly a given one: what was written under them is not found under it."""

import json
from collections.abc import Mapping

from django.db import connection

from memories.access.checks import Condition
from memories.server import limits
from memories.server.models import Bank, Scope
from memories.wire import scopes
from memories.wire.filters import fold

MOST = 10
SECONDS = 1.0
_LOOKED_AT = 500
_KINDS = ("case", "fewer keys", "more keys", "other value")


def near(bank: Bank, asked: scopes.Scope, *, condition: Condition) -> list[tuple[Scope, str]]:
    """The nearest first, each with how it differs; those that share a value, of the ones written last."""
    place = "strpos" if connection.vendor == "postgresql" else "instr"
    # Lower case as the database has it, which in SQLite is of ASCII alone.
    texts = [json.dumps(value, ensure_ascii=False).encode().lower().decode() for value in asked.values()]
    shares = " OR ".join([f"{place}(lower(canonical), %s) > 0"] * len(texts))
    found: list[tuple[Scope, str]] = []
    try:
        with limits.within(SECONDS):
            rows = Scope.objects.raw(
                f"SELECT * FROM server_scope WHERE bank_id = %s AND ({shares}) ORDER BY last_write DESC LIMIT %s",
                [bank.pk, *texts, _LOOKED_AT],
            )
            for row in rows:
                scope: dict[str, str] = json.loads(row.canonical)
                difference = between(asked, scope)
                if difference and condition.covers(scope):
                    found.append((row, difference))
    except limits.TimedOut:
        pass  # a hint that takes long is none
    return sorted(found, key=lambda one: (_KINDS.index(one[1]), -one[0].count))[:MOST]


def between(asked: scopes.Scope, found: scopes.Scope) -> str:
    """How the second differs from the first; empty where they are the same or have too little in common."""
    if dict(asked) == dict(found):
        return ""
    wanted, there = _folded(asked), _folded(found)
    if wanted == there:
        return "case"
    if there.items() < wanted.items():
        return "fewer keys"
    if wanted.items() < there.items():
        return "more keys"
    return "other value" if wanted.keys() == there.keys() and wanted.items() & there.items() else ""


def _folded(scope: Mapping[str, str]) -> dict[str, str]:
    return {fold(key): fold(value) for key, value in scope.items()}
