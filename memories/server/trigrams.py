"""What differs between the databases: the trigram index of facts.

SQLite has an FTS5 table over `server_memory.folded`, kept by triggers; PostgreSQL a pg_trgm index. Both serve a LIKE.
"""

import re

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from memories.wire.filters import fold

MIN = 3  # characters; a shorter literal has no trigram

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
    for statement in _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE:
        editor.execute(statement)


def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP INDEX server_text")
        return
    for trigger in ("insert", "delete", "update"):
        editor.execute(f"DROP TRIGGER server_text_{trigger}")
    editor.execute("DROP TABLE server_text")


def holding(literal: str) -> tuple[str, list[str]]:
    """SQL on `m` for "the folded fact may hold the literal", through the index; a superset of what does."""
    if connection.vendor == "postgresql":
        escaped = re.sub(r"([\\%_])", r"\\\1", fold(literal))
        return "m.folded LIKE %s", [f"%{escaped}%"]
    # FTS5 serves LIKE only without ESCAPE; a wildcard in the literal just lets more through.
    return "m.id IN (SELECT rowid FROM server_text WHERE folded LIKE %s)", [f"%{fold(literal)}%"]


# --- the literal that a pattern needs ---------------------------------------------------------------------------------

_FLAGS = re.compile(r"\(\?[a-zA-Z-]+\)")
_CLASS_ESCAPES = frozenset("dDsSwWbBAzpPCQEGXx0123456789")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d*,?\d*\})[?+]?")


def literal_of(pattern: str) -> str:
    """The longest text that every match of an RE2 pattern must contain (compared folded), or "" if none is certain.

    Only what stands at the top level counts; groups, classes and alternation end a run. When in doubt: nothing.
    """
    runs: list[str] = [""]
    at = 0
    if "\\Q" in pattern or _verbose(pattern):
        return ""
    while at < len(pattern):
        sign = pattern[at]
        flags = _FLAGS.match(pattern, at)
        if flags:
            at = flags.end()
            runs.append("")
            continue
        if sign == "|":
            return ""
        if sign in "([":
            at = _skip(pattern, at)
            if at < 0:
                return ""
            runs.append("")
            continue
        literal, width = sign, 1
        if sign == "\\":
            if at + 1 >= len(pattern):
                return ""
            literal, width = pattern[at + 1], 2
            if literal in _CLASS_ESCAPES or literal.isalnum():
                if literal in "pPxQC0123456789":
                    return ""
                literal = ""
        elif sign in ".^$":
            literal = ""
        at += width
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier:
            at = quantifier.end()
            runs.append("")
            continue
        if literal:
            runs[-1] += literal
        else:
            runs.append("")
    longest = max(runs, key=len)
    return longest if len(fold(longest)) >= MIN else ""


def _verbose(pattern: str) -> bool:
    return any("x" in found[0] for found in _FLAGS.finditer(pattern))


def _skip(pattern: str, at: int) -> int:
    """The end of the group or class that opens at `at`; -1 where it is not clear."""
    depth = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 2
            continue
        if sign == "[":
            at += 2 if pattern[at + 1 : at + 2] == "^" else 1
            end = pattern.find("]", at + 1)
            inside = pattern[at:end] if end >= 0 else ""
            if end < 0 or "\\" in inside or "[" in inside:
                return -1
            at = end + 1
            if not depth:
                return at
            continue
        depth += (sign == "(") - (sign == ")")
        at += 1
        if not depth:
            return at
    return -1
