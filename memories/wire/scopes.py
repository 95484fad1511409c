"""Scopes: maps of strings that say whose memory it is. Two are the same when they hold the same pairs, in any order."""

import hashlib
import json
import re
from collections.abc import Mapping

from memories.wire.errors import InvalidArgument

MAX_PAIRS = 5
# Not stated by the API; bounded so that every pair fits an index entry of any database we use.
MAX_KEY_BYTES = 256
MAX_VALUE_BYTES = 1024

Scope = Mapping[str, str]

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def ordered(scope: Scope) -> dict[str, str]:
    """The pairs in the one order in which they are shown and stored (by key)."""
    return dict(sorted(scope.items()))


def canonical(scope: Scope) -> str:
    """The text that equal scopes share: JSON, keys sorted, no white space, nothing escaped that need not be."""
    return json.dumps(ordered(scope), ensure_ascii=False, separators=(",", ":"))


def digest(scope: Scope) -> str:
    """32 hexadecimal digits that stand for the canonical form."""
    return hashlib.sha256(canonical(scope).encode()).hexdigest()[:32]


def validate(scope: Scope, *, field: str = "scope") -> dict[str, str]:
    """The scope in canonical order; InvalidArgument with the path of the fault otherwise."""
    if not scope:
        raise InvalidArgument.at(field, 'A scope needs at least one pair, such as {"user_id": "123"}.')
    if len(scope) > MAX_PAIRS:
        raise InvalidArgument.at(field, f"A scope holds at most {MAX_PAIRS} pairs; this one has {len(scope)}.")
    for key, value in scope.items():
        at = f"{field}.{key}"
        if not key:
            raise InvalidArgument.at(field, "A key is empty; give each pair a key.")
        if not value:
            raise InvalidArgument.at(at, "The value is empty; give it a value or leave the pair out.")
        if "*" in value:
            raise InvalidArgument.at(at, "A scope value must not contain '*'.")
        if _HALF_PAIR.search(key) or _HALF_PAIR.search(value):
            raise InvalidArgument.at(field, "Half of a surrogate pair is not a character.")
        if len(key.encode()) > MAX_KEY_BYTES:
            raise InvalidArgument.at(field, f"A key is longer than {MAX_KEY_BYTES} bytes.")
        if len(value.encode()) > MAX_VALUE_BYTES:
            raise InvalidArgument.at(at, f"The value is longer than {MAX_VALUE_BYTES} bytes.")
    return ordered(scope)


def parse(text: str, *, field: str = "scope") -> dict[str, str]:
    """A scope written as a JSON object, validated."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise InvalidArgument.at(field, 'Expected a JSON object of strings, such as "{\\"user_id\\": \\"123\\"}".')
    return validate(value, field=field)
