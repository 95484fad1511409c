"""Differences between two texts, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# A word, or one sign of a script that writes no spaces, or white space, or one other sign.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_PIECE = re.compile(rf"{_UNSPACED}|(?:(?!{_UNSPACED})[^\W_])+|\s+|.", re.DOTALL)
MAX_PIECES = 4000


@dataclass(frozen=True, slots=True)
class Part:
    kind: Literal["same", "removed", "added"]
    text: str


def words(before: str, after: str) -> list[Part]:
    """The parts of `before` and `after` in reading order; joined, "same" and "removed" give `before`, "same" and
    "added" give `after`. Texts too long to compare are one removal and one addition.
    """
    if before == after:
        return [Part("same", after)] if after else []
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if len(old) + len(new) > MAX_PIECES:
        return [part for part in (Part("removed", before), Part("added", after)) if part.text]
    parts: list[Part] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(Part("same", "".join(old[a:b])))
            continue
        if b > a:
            parts.append(Part("removed", "".join(old[a:b])))
        if d > c:
            parts.append(Part("added", "".join(new[c:d])))
    return _joined(parts)


def _joined(parts: list[Part]) -> list[Part]:
    """A single space between two changes is drawn into both, so that a phrase reads as one change."""
    joined: list[Part] = []
    removed = added = ""

    def flush() -> None:
        nonlocal removed, added
        joined.extend(p for p in (Part("removed", removed), Part("added", added)) if p.text)
        removed = added = ""

    for index, part in enumerate(parts):
        between = part.kind == "same" and part.text.isspace() and 0 < index < len(parts) - 1
        if part.kind == "removed":
            removed += part.text
        elif part.kind == "added":
            added += part.text
        elif between and removed and added:
            removed += part.text
            added += part.text
        else:
            flush()
            joined.append(part)
    flush()
    return joined
