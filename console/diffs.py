"""Differences between two texts, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# A word, or one sign of a script that writes no spaces, or white space, or one other sign.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_PIECE = re.compile(rf"{_UNSPACED}|(?:(?!{_UNSPACED})[^\W_])+|\s+|.", re.DOTALL)
MAX_PIECES = 800  # of both texts between what they share at their ends; comparing more takes seconds


@dataclass(frozen=True, slots=True)
class Part:
    kind: Literal["same", "removed", "added"]
    text: str


def words(before: str, after: str) -> list[Part]:
    """The parts of `before` and `after` in reading order; joined, "same" and "removed" give `before`, "same" and
    "added" give `after`. What is too long to compare is one removal and one addition.
    """
    if before == after:
        return [Part("same", after)] if after else []
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    head, tail = "".join(old[:start]), "".join(old[len(old) - end :])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    parts = [Part("same", head), *_compared(old, new), Part("same", tail)]
    return _joined([part for part in parts if part.text])


def _shared(old: list[str], new: list[str]) -> int:
    """With how many of the same pieces both begin."""
    return next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _compared(old: list[str], new: list[str]) -> list[Part]:
    if len(old) + len(new) > MAX_PIECES:
        return [Part("removed", "".join(old)), Part("added", "".join(new))]
    parts: list[Part] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(Part("same", "".join(old[a:b])))
            continue
        if b > a:
            parts.append(Part("removed", "".join(old[a:b])))
        if d > c:
            parts.append(Part("added", "".join(new[c:d])))
    return parts


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
