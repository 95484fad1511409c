"""How one scope differs from another that was meant: in case, spaces, Unicode form, a key, or the end of a value."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memories.wire.filters import fold
from memories.wire.scopes import Scope

SPELLINGS = ("case", "spaces", "unicode form", "spelling")
KINDS = (*SPELLINGS, "fewer keys", "more keys", "key name", "prefix", "other value")
"""How a scope may differ as a whole, the nearest first."""

_ENDS = re.compile(r"^[\s:;,.'\"]+|[\s:;,.'\"]+$")
_JOINTS = re.compile(r"[\s_.:-]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which the scope that was found differs from the one that was asked for.

    `kind` is one of `SPELLINGS` or `prefix` or `value` (of the value of `key`), `key` (of the spelling of the key, or
    its name), `missing` (the one found lacks the key) or `extra` (it has one more).
    """

    kind: str
    key: str
    asked: str = ""
    found: str = ""


def loose(text: str) -> str:
    """What is left where case, Unicode form, signs without a shape, and spaces or stops at the ends do not count."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    shaped = "".join(sign for sign in plain if sign.isprintable() or sign.isspace())
    return " ".join(_ENDS.sub("", shaped).split()) or fold(text)


def loose_key(key: str) -> str:
    """Likewise of a key, in which `user_id`, `user-id` and `userId` are the same."""
    return _JOINTS.sub("", loose(key)) or loose(key)


def loosened(scope: Scope) -> dict[str, str]:
    return {loose_key(key): loose(value) for key, value in scope.items()}


def differences(asked: Scope, found: Scope) -> list[Difference]:
    """Empty where they are the same."""
    left = {key: value for key, value in asked.items() if found.get(key) != value}
    right = {key: value for key, value in found.items() if asked.get(key) != value}
    said: list[Difference] = []
    for key, other in _matched(left, right):
        value, its = left.pop(key), right.pop(other)
        if key != other:
            said.append(Difference("key", other, key, other))
        if value != its:
            said.append(Difference(_way(value, its), other, value, its))
    said += [Difference("missing", key, value) for key, value in left.items()]
    said += [Difference("extra", key, found=value) for key, value in right.items()]
    return said


def _matched(left: Mapping[str, str], right: Mapping[str, str]) -> list[tuple[str, str]]:
    """The keys that mean the same pair: by name, else by a name spelled alike, else by the value."""
    found: dict[str, str] = {}
    free = list(right)
    for same in (
        lambda key, other: key == other,
        lambda key, other: loose_key(key) == loose_key(other),
        lambda key, other: loose(left[key]) == loose(right[other]),
    ):
        for key in left:
            match = next((other for other in free if key not in found and same(key, other)), None)
            if match is not None:
                found[key] = match
                free.remove(match)
    return list(found.items())


def _way(asked: str, found: str) -> str:
    if loose(asked) == loose(found):
        return spelling(asked, found)
    return "prefix" if loose(found).startswith(loose(asked)) else "value"


def spelling(one: str, other: str) -> str:
    """In what two texts differ that are the same loosely."""
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "unicode form"
    if "".join(one.split()) == "".join(other.split()):
        return "spaces"
    if one.casefold() == other.casefold():
        return "case"
    return "spelling"


def kind(asked: Scope, found: Scope, said: Sequence[Difference] | None = None) -> str:
    """The difference as a whole, one of `KINDS`; empty where they are the same or have too little in common."""
    said = differences(asked, found) if said is None else said
    ways = {one.kind for one in said}
    names = [one for one in said if one.kind == "key" and loose_key(one.asked) != loose_key(one.found)]
    if ways <= {*SPELLINGS, "key"} and not names:
        if not said:
            return ""
        # A key spelled otherwise is told as what it is spelled with.
        spelled = {spelling(one.asked, one.found) if one.kind == "key" else one.kind for one in said}
        return spelled.pop() if len(spelled) == 1 else "spelling"
    rest = ways - {*SPELLINGS, "key"}
    shared = len(found) - sum(one.kind in ("extra", "value", "prefix") for one in said)
    if rest == {"missing"} and shared and not names:
        return "fewer keys"
    if rest == {"extra"} and shared and not names:
        return "more keys"
    if not rest:
        return "key name"
    if rest == {"prefix"} and sum(one.kind == "prefix" for one in said) == 1 and not names:
        return "prefix"
    if rest == {"value"} and sum(one.kind == "value" for one in said) == 1 and shared and not names:
        return "other value"
    return ""
