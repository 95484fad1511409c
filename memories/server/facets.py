"""By what a scope can be found besides its own digest: its pairs, and how it looks when spelling does not count.

Each facet is a number of 63 bits that stands for a bank, a kind and a text, so that a look-up is one index range.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping

from memories.server.models import Facet, Scope
from memories.wire import likeness, scopes
from memories.wire.filters import fold

_BATCH = 2000


def of(bank: str, scope: scopes.Scope) -> set[int]:
    """All facets of a scope."""
    looks = likeness.loosened(scope)
    return {
        alike(bank, looks),
        values(bank, looks),
        *(less(bank, part) for part in parts(looks)),
        *(pair(bank, key, value) for key, value in scope.items()),
    }


def alike(bank: str, looks: Mapping[str, str]) -> int:
    """Of the scopes that look so; `looks` is `likeness.loosened`."""
    return _number(bank, "alike", sorted(looks.items()))


def less(bank: str, looks: Mapping[str, str]) -> int:
    """Of the scopes that look so but for one pair more."""
    return _number(bank, "less", sorted(looks.items()))


def values(bank: str, looks: Mapping[str, str]) -> int:
    """Of the scopes that hold these values under whatever keys."""
    return _number(bank, "values", sorted(looks.values()))


def pair(bank: str, key: str, value: str) -> int:
    """Of the scopes that hold exactly this pair."""
    return _number(bank, "pair", [key, value])


def parts(looks: Mapping[str, str]) -> list[dict[str, str]]:
    """Without one of the pairs each; none of a single pair."""
    return [dict(part) for part in itertools.combinations(sorted(looks.items()), len(looks) - 1) if part]


def subsets(looks: Mapping[str, str]) -> list[dict[str, str]]:
    """Every choice of some but not all pairs."""
    pairs = sorted(looks.items())
    return [dict(part) for size in range(len(pairs) - 1, 0, -1) for part in itertools.combinations(pairs, size)]


def _number(bank: str, kind: str, content: object) -> int:
    text = json.dumps([bank, kind, content], ensure_ascii=False, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def text(scope: scopes.Scope) -> str:
    """What a search looks at: `key:value` of each pair, folded, a line each."""
    return fold("\n".join(f"{key}:{value}" for key, value in sorted(scope.items())))


def add(found: Iterable[Scope]) -> None:
    """For scopes that are new."""
    rows = (Facet(number=number, scope=one) for one in found for number in sorted(of(one.bank_id, one.pairs)))
    for some in itertools.batched(rows, _BATCH):
        Facet.objects.bulk_create(some)
