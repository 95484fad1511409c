"""Texts within facts: the trigram index and how the databases search, and the literal that a pattern needs.

SQLite has an FTS5 table over `server_memory.folded`, kept by triggers; PostgreSQL a pg_trgm index, where it is offered.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from memories.wire.filters import fold

ONE_BY_ONE = 1000  # entries of the index that are always deleted each for itself
MIN = 3  # characters; a shorter text has no trigram

_SQLITE = (
    """CREATE VIRTUAL TABLE server_text USING fts5(
        folded, content='server_memory', content_rowid='id', tokenize='trigram', detail='none')""",
    """CREATE TRIGGER server_text_insert AFTER INSERT ON server_memory BEGIN
        INSERT INTO server_text(rowid, folded) VALUES (new.id, new.folded); END""",
    """CREATE TRIGGER server_text_delete AFTER DELETE ON server_memory BEGIN
        INSERT INTO server_text(server_text, rowid, folded) VALUES ('delete', old.id, old.folded); END""",
    """CREATE TRIGGER server_text_update AFTER UPDATE OF folded ON server_memory WHEN old.folded <> new.folded BEGIN
        INSERT INTO server_text(server_text, rowid, folded) VALUES ('delete', old.id, old.folded);
        INSERT INTO server_text(rowid, folded) VALUES (new.id, new.folded); END""",
)
_POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX server_text ON server_memory USING gin (folded gin_trgm_ops)",
)


def create(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    for statement in _statements(editor):
        editor.execute(statement)


def _statements(editor: BaseDatabaseSchemaEditor) -> Sequence[str]:
    if editor.connection.vendor != "postgresql":
        return _SQLITE
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'")
        # Without it the same LIKE is answered by a scan.
        return _POSTGRESQL if cursor.fetchone() else ()


def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP INDEX IF EXISTS server_text")
        return
    for trigger in ("insert", "delete", "update"):
        editor.execute(f"DROP TRIGGER server_text_{trigger}")
    editor.execute("DROP TABLE server_text")


@contextmanager
def fewer(doomed: int) -> Iterator[None]:
    """Around the deletion of so many memories: where they are most of the index, it is made anew from the rest."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite" and doomed >= ONE_BY_ONE:
            cursor.execute("SELECT count(*) FROM server_memory")
            if 2 * doomed > cursor.fetchone()[0]:
                cursor.execute("DROP TRIGGER server_text_delete")
                yield
                cursor.execute("INSERT INTO server_text(server_text) VALUES ('rebuild')")
                cursor.execute(_SQLITE[2])
                return
        yield


def contains(texts: Sequence[str]) -> str:
    """SQL for "the folded fact of `m` holds one of the texts", which are its parameters, folded."""
    place = "strpos" if connection.vendor == "postgresql" else "instr"
    return " OR ".join([f"{place}(m.folded, %s) > 0"] * len(texts))


def holding(texts: Sequence[str]) -> tuple[str, str, list[str | int]]:
    """FROM, condition and parameters for the memories `m` that may hold one of the folded texts, from the index."""
    if connection.vendor == "postgresql":
        found = " OR ".join(["m.folded LIKE %s"] * len(texts))
        return "server_memory m", f"({found})", ["%" + re.sub(r"([\\%_])", r"\\\1", text) + "%" for text in texts]
    # FTS5 serves LIKE only alone and without ESCAPE; a wildcard in the text just lets more through.
    found = " UNION ".join(["SELECT rowid AS id FROM server_text WHERE folded LIKE %s"] * len(texts))
    return f"({found}) t CROSS JOIN server_memory m", "m.id = t.id", [f"%{text}%" for text in texts]


# --- the literal that a pattern needs ---------------------------------------------------------------------------------

_FLAGS = re.compile(r"\(\?[a-zA-Z-]+\)")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d*,?\d*\})+")
_CLASS_NAME = re.compile(r"\[:.*?:\]", re.DOTALL)

# The last letters (folded) that folding may join with a mark behind them, though as written they were two: J and a
# caron become ǰ. With what they become, where that is a short list.
_JOINS = {"h": "ẖ", "j": "ǰ", "t": "ẗ", "w": "ẘ", "y": "ẙ", "s": "śŝšṣșş"} | dict.fromkeys("ĥȟḣḧṡαεηιρυωϊϋо", "")


def needed(pattern: str) -> tuple[str, ...]:
    """Folded texts of which the folded value of every full match of an RE2 pattern holds one; none if none is certain.

    All have the same length.
    """
    literal = literal_of(pattern)
    while literal and unicodedata.combining(literal[0]):  # may be joined with the letter before it
        literal = literal[1:]
    while literal and (unicodedata.combining(literal[-1]) or len(literal[-1].casefold()) > 1):
        literal = literal[:-1]
    text = fold(literal)
    if not text or text[-1] not in _JOINS:
        return (text,) if text else ()
    if len(text) == MIN and _JOINS[text[-1]]:
        return (text, *(text[:-1] + joined for joined in _JOINS[text[-1]]))
    return (text[:-1],) if text[:-1] else ()


def literal_of(pattern: str) -> str:
    """The longest text that every match of an RE2 pattern must hold, in some case; "" if none is certain.

    Only what stands at the top level counts; groups, classes and alternation end a run. When in doubt: nothing.
    """
    pattern = unicodedata.normalize("NFC", pattern)
    runs = [""]
    at = 0
    while at < len(pattern):
        if flags := _FLAGS.match(pattern, at):
            at = flags.end()
            continue
        literal, at = _atom(pattern, at)
        if at < 0:
            return ""
        while flags := _FLAGS.match(pattern, at):  # a quantifier behind them is still about what stands before them
            at = flags.end()
        if quantifier := _QUANTIFIER.match(pattern, at):
            literal, at = "", quantifier.end()
        if literal:
            runs[-1] += literal
        else:
            runs.append("")
    return max(runs, key=len)


def _atom(pattern: str, at: int) -> tuple[str, int]:
    """What stands at `at`: the letter, "" for anything else, and where it ends; -1 where it is not clear."""
    sign = pattern[at]
    if sign == "|":
        return "", -1
    if sign == "(":
        return "", _group_end(pattern, at)
    if sign == "[":
        return "", _class_end(pattern, at)
    if sign == "\\":
        escaped = pattern[at + 1 : at + 2]
        if not escaped or escaped in "QCpPx" or escaped.isdigit():
            return "", -1
        return "" if escaped.isalnum() else escaped, at + 2
    return "" if sign in ".^$" else sign, at + 1


def _group_end(pattern: str, at: int) -> int:
    depth = 0
    while 0 <= at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            if pattern[at + 1 : at + 2] == "Q":
                return -1
            at += 2
            continue
        if sign == "[":
            at = _class_end(pattern, at)
            continue
        depth += (sign == "(") - (sign == ")")
        at += 1
        if not depth:
            return at
    return -1


def _class_end(pattern: str, at: int) -> int:
    at += 1
    if pattern[at : at + 1] == "^":
        at += 1
    first = at
    while at < len(pattern):
        if pattern[at] == "]" and at > first:  # as the first it stands for itself
            return at + 1
        if name := _CLASS_NAME.match(pattern, at):
            at = name.end()
        else:
            at += 2 if pattern[at] == "\\" else 1
    return -1
