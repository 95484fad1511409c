"""Memories from JSON lines: each line becomes one new memory, or is refused with its number and the reason.

A line is a JSON object. Without a mapping it holds a memory as the API writes it (`fact`, `scope`, `metadata`,
`createTime`, …, both spellings); a mapping says which of its fields are what.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic_core import from_json

from memories.wire import names, scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryMetadataValue, NewMemory
from memories.wire.times import Timestamp

MAX_LINE_BYTES = 1 << 20
_PAIR = re.compile(r"(?P<key>.+?)(?P<constant>:?)=(?P<source>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of the scope: the value of a field, or the same text for every line."""

    key: str
    source: str
    constant: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """`KEY=FIELD` or `KEY:=TEXT`; ValueError otherwise."""
        found = _PAIR.fullmatch(text)
        if not found or not found["source"]:
            raise ValueError(f"{text!r} is not a pair; write KEY=FIELD, or KEY:=TEXT for the same text on every line")
        return cls(found["key"], found["source"], bool(found["constant"]))

    def value(self, record: Mapping[str, Any]) -> str:
        if self.constant:
            return self.source
        value = _field(record, self.source)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise InvalidArgument.at(self.source, f"a scope value must be text; found {_kind(value)}")


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which fields of a line are what.

    With `fact` only the fields named here are read and all others ignored; without it a line is a memory as the API
    writes it, save for the fields named here.
    """

    fact: str = ""
    scope: tuple[Pair, ...] = ()
    metadata: tuple[str, ...] = ()
    create_time: str = ""
    id: str = ""

    def read(self, record: Mapping[str, Any]) -> NewMemory:
        """InvalidArgument, naming the field, for what cannot be a memory."""
        body: dict[str, Any] = {"fact": _text(record, self.fact)} if self.fact else self._as_written(record)
        if self.scope:
            body["scope"] = {pair.key: pair.value(record) for pair in self.scope}
        if self.metadata:
            given = {name: _field(record, name) for name in self.metadata}
            body["metadata"] = {name: _metadata(name, value) for name, value in given.items() if value is not None}
        if self.create_time:
            body["createTime"] = _time(record, self.create_time)
        memory = Memory.read(body)
        scope = scopes.validate(memory.scope or {})
        created, updated = memory.create_time, memory.update_time or memory.create_time
        if updated is not None and updated.micros < (created or updated).micros:
            raise InvalidArgument.at("updateTime", "lies before the creation time")
        memory = memory.model_copy(update={"scope": scope, "update_time": updated})
        return NewMemory(memory_id=self._id(record), memory=memory)

    def _as_written(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Without the name, which belongs to another bank."""
        sources = {pair.source for pair in self.scope if not pair.constant}
        named = {"name", self.id, self.create_time, *self.metadata, *sources}
        return {key: value for key, value in record.items() if key not in named}

    def _id(self, record: Mapping[str, Any]) -> str | None:
        return names.check_memory_id(_text(record, self.id)) if self.id else None


@dataclass(frozen=True, slots=True)
class Refused:
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """`number` counts from 1; `end` is how many bytes of the file were read up to and with this line."""

    number: int
    end: int
    outcome: NewMemory | Refused | None
    """None for a blank line."""


def read_lines(lines: Iterable[bytes], mapped: Mapped) -> Iterator[Line]:
    """Reads one line at a time. An id that an earlier line has is refused."""
    end = 0
    seen: dict[str, int] = {}
    for number, raw in enumerate(lines, 1):
        end += len(raw)
        outcome = _line(number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, mapped)
        if isinstance(outcome, NewMemory) and outcome.memory_id is not None:
            first = seen.setdefault(outcome.memory_id, number)
            if first != number:
                outcome = Refused(number, f"the id {outcome.memory_id!r} is already that of line {first}")
        yield Line(number, end, outcome)


def _line(number: int, raw: bytes, mapped: Mapped) -> NewMemory | Refused | None:
    if not raw.strip():
        return None
    if len(raw) > MAX_LINE_BYTES:
        return Refused(number, f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        # Unlike json.loads it refuses half of a surrogate pair, and nesting of any depth does it no harm.
        record = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        return Refused(number, f"not JSON: {error}".replace(" at line 1 column", " at column"))
    if not isinstance(record, dict):
        return Refused(number, f"expected a JSON object; found {_kind(record)}")
    try:
        return mapped.read(record)
    except InvalidArgument as error:
        return Refused(number, error.message.rstrip("."))


def _field(record: Mapping[str, Any], name: str) -> Any:
    if name not in record:
        raise InvalidArgument.at(name, "the line has no such field")
    return record[name]


def _text(record: Mapping[str, Any], name: str) -> str:
    value = _field(record, name)
    if not isinstance(value, str):
        raise InvalidArgument.at(name, f"expected text; found {_kind(value)}")
    return value


def _time(record: Mapping[str, Any], name: str) -> Timestamp:
    try:
        return Timestamp.parse(_text(record, name))
    except ValueError as error:
        raise InvalidArgument.at(name, str(error)) from None


def _metadata(name: str, value: object) -> MemoryMetadataValue:
    match value:
        case bool():
            return MemoryMetadataValue(bool_value=value)
        case int() | float():
            return MemoryMetadataValue(double_value=value)
        case str():
            return MemoryMetadataValue(string_value=value)
        case _:
            raise InvalidArgument.at(name, f"metadata holds text, numbers and true or false; found {_kind(value)}")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
