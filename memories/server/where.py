"""Filters as SQL on `server_memory m`.

`superset` gives a condition that holds for every memory the filter matches, and says whether it holds for no other;
where it may, `memories.wire.filters.predicate` is the exact test.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from memories.access.checks import Condition
from memories.server import trigrams
from memories.wire import scopes
from memories.wire.filters import And, Node, Not, Or, Restriction, Value, conjuncts, fold, path_text

TRUE, FALSE = "1=1", "1=0"
_COMPARE = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True, slots=True)
class Sql:
    text: str
    params: list[str | int] = field(default_factory=list)
    exact: bool = True


def under(tree: Node | None, condition: Condition) -> Node | None:
    """The filter narrowed to what the condition allows. A condition that allows nothing is the caller's to refuse."""
    if condition.everything:
        return tree
    allowed: list[Node] = [
        _all([Restriction(("scope", key), "=", value) for key, value in pairs]) for pairs in condition.alternatives
    ]
    narrow = allowed[0] if len(allowed) == 1 else Or(tuple(allowed))
    return narrow if tree is None else And((narrow, tree))


def _all(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def is_pair(node: Node) -> TypeGuard[Restriction]:
    """Whether it is one equality that the pair index answers."""
    if not isinstance(node, Restriction):
        return False
    return (len(node.field) == 2 and node.field[0] == "scope" and node.op == "=") or (
        node.field[0] == "topics" and node.op in (":", "=")
    )


def pairs_of(node: Node) -> list[Restriction]:
    """Pairs of which every match of an OR has one, as far as each of its parts demands one; none otherwise."""
    found = []
    for part in node.parts if isinstance(node, Or) else ():
        pair = next((one for one in conjuncts(part) if is_pair(one)), None)
        if pair is None:
            return []
        found.append(pair)
    return found


def is_scope(node: Node) -> bool:
    return isinstance(node, Restriction) and node.field == ("scope",) and node.op == "="


def is_bound(node: Node, column: str) -> TypeGuard[Restriction]:
    """Whether it is a range of that time."""
    return isinstance(node, Restriction) and node.field == (column,) and node.op != "!="


def texts(parts: Sequence[Node]) -> tuple[str, ...]:
    """Folded texts of which the fact of every match of all the parts holds one, for the trigram index; the longest."""
    found: list[tuple[str, ...]] = [()]
    for part in parts:
        if isinstance(part, Restriction) and part.field == ("fact",) and part.op in ("=~", ":", "="):
            value = str(part.value)
            some = trigrams.needed(value) if part.op == "=~" else (fold(value),)
            if some and len(some[0]) >= trigrams.MIN:
                found.append(some)
    return max(found, key=lambda some: len(some[0]) if some else 0)


def superset(node: Node, bank: str) -> Sql:
    match node:
        case Restriction():
            return _restriction(node, bank)
        case Not(part):
            inner = superset(part, bank)
            return Sql(f"NOT ({inner.text})", inner.params) if inner.exact else Sql(TRUE, exact=False)
        case And(parts):
            return every([superset(part, bank) for part in parts])
        case Or(parts):
            return _join(" OR ", [superset(part, bank) for part in parts])


def every(parts: Sequence[Sql]) -> Sql:
    return _join(" AND ", parts) if parts else Sql(TRUE)


def _join(word: str, parts: Sequence[Sql]) -> Sql:
    if len(parts) == 1:
        return parts[0]
    text = word.join(f"({part.text})" for part in parts)
    return Sql(text, [value for part in parts for value in part.params], all(part.exact for part in parts))


def _restriction(node: Restriction, bank: str) -> Sql:
    """Every condition is true or false, never NULL, so that NOT turns it round."""
    name, op, value = node.field[0], node.op, node.value
    if op == "!=":
        same = _restriction(Restriction(node.field, "=", value), bank)
        return Sql(f"NOT ({same.text})", same.params)
    if name == "topics" or (len(node.field) == 2 and op == "="):
        return _has_pair(node)
    if len(node.field) == 2:
        text = "EXISTS (SELECT 1 FROM server_pair x WHERE x.memory_id = m.id AND x.key = %s)"
        return Sql(text, [_key(node)], exact=False)
    if name == "scope":
        digest = scopes.digest(json.loads(str(value)))
        text = "m.scope_id IN (SELECT s.id FROM server_scope s WHERE s.bank_id = %s AND s.digest = %s)"
        return Sql(text, [bank, digest])
    if name == "expire_time":
        return Sql(f"(m.expire_time IS NOT NULL AND m.expire_time {_COMPARE[op]} %s)", [value])
    if name in ("create_time", "update_time"):
        return bound(node, "m")
    if name == "memory_type":
        return Sql("m.memory_type = %s", [value])
    # An empty fact or display name is none, and only `!=` is true of it.
    if op == "=":
        return Sql(f"m.{name} = %s", [value]) if value else Sql(FALSE)
    present = Sql(f"m.{name} <> ''", exact=False)
    if name != "fact":
        return present
    if op == "=~":
        some = trigrams.needed(str(value))
        return Sql(trigrams.contains(some), [*some], exact=False) if some else present
    return Sql(trigrams.contains([""]), [fold(str(value))]) if value else Sql(present.text)


def bound(node: Restriction, alias: str) -> Sql:
    """What `is_bound` said yes to, of memories `m` or their pairs `p`."""
    return Sql(f"{alias}.{node.field[0]} {_COMPARE[node.op]} %s", [node.value])


def pair(node: Restriction, bank: str) -> Sql:
    """What `is_pair` said yes to, of the pairs `p`."""
    return Sql("p.bank_id = %s AND p.key = %s AND p.value = %s", [bank, _key(node), node.value])


def _has_pair(node: Restriction) -> Sql:
    text = "EXISTS (SELECT 1 FROM server_pair x WHERE x.memory_id = m.id AND x.key = %s AND x.value = %s)"
    return Sql(text, [_key(node), node.value])


def _key(node: Restriction) -> str:
    """The key under which the pair index has the field."""
    return f"scope.{node.field[1]}" if node.field[0] == "scope" else path_text(node.field)


# --- records for the exact test ---------------------------------------------------------------------------------------


class Record:
    """A row of `columns` as the predicate reads it."""

    columns = (
        "m.id, m.memory_id, m.fact, m.display_name, m.memory_type, m.topics, m.create_time, m.update_time,"
        " m.expire_time, s.canonical, m.description, m.context, m.schema_id, m.data, m.metadata"
    )
    # The same as far as Query.anchor reads it, for where the rest is not wanted.
    keys = "m.id, 0, 0, 0, 0, 0, m.create_time, m.update_time"
    __slots__ = ("row",)

    def __init__(self, row: Sequence[object]) -> None:
        self.row = row

    def __call__(self, path: tuple[str, ...]) -> Value:
        index = _COLUMN.get(path)
        if index is not None:
            found = self.row[index]
            return found if isinstance(found, int) else str(found or "") or None
        if path[0] == "scope":
            scope: dict[str, str] = json.loads(str(self.row[9]))
            return scope.get(path[1])
        key = {"managed_memory_topic": "managedMemoryTopic", "custom_memory_topic_label": "customMemoryTopicLabel"}
        topics: list[dict[str, str]] = json.loads(str(self.row[5]) or "[]")
        return {topic[key[path[1]]] for topic in topics if key[path[1]] in topic}


_COLUMN: dict[tuple[str, ...], int] = {
    ("fact",): 2,
    ("display_name",): 3,
    ("memory_type",): 4,
    ("create_time",): 6,
    ("update_time",): 7,
    ("expire_time",): 8,
    ("scope",): 9,
}
