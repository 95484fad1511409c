"""The filter language of ListMemories, RetrieveMemories, PurgeMemories and ListMemoryRevisions.

AIP-160 with `=~` (RE2, the whole value, `.` matches line breaks). OR binds tighter than AND.

    expression  = sequence {"AND" sequence}
    sequence    = factor {factor}                     side by side means AND
    factor      = term {"OR" term}
    term        = ["NOT" | "-"] simple
    simple      = restriction | "(" expression ")"
    restriction = field comparator value
    field       = name {"." (name | string)}
    comparator  = "<=" | "<" | ">=" | ">" | "!=" | "=~" | "=" | ":"
    value       = string | text without spaces, quotes and parentheses
    string      = '"' {character | '\\"' | '\\\\'} '"'

`parse` gives the tree as written, `check` the tree with known fields and typed values, `text` the way back,
`predicate` the exact test of one record.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from dataclasses import field as attribute
from enum import Enum

import re2

from memories.wire import scopes
from memories.wire.errors import InvalidArgument
from memories.wire.times import Timestamp, to_micros

MAX_LENGTH = 8192  # characters
MAX_DEPTH = 16
MAX_RESTRICTIONS = 100

_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # microseconds: the years 1 to 9999

MEMORY_TYPES = ("NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE")
MANAGED_TOPICS = ("USER_PERSONAL_INFO", "USER_PREFERENCES", "KEY_CONVERSATION_DETAILS", "EXPLICIT_INSTRUCTIONS")

type Path = tuple[str, ...]
type Node = Restriction | And | Or | Not
type Value = str | int | Collection[str] | None
type Record = Callable[[Path], Value]


class FilterError(InvalidArgument):
    """A filter that cannot be used. `column` counts characters from 1; `length` is how many are at fault."""

    column: int = 1
    length: int = 1
    expected: str = ""

    @classmethod
    def point(cls, column: int, expected: str, *, length: int = 1) -> "FilterError":
        error = cls.at("filter", f"column {column}: {expected}")
        error.column, error.length, error.expected = column, max(length, 1), expected
        return error


@dataclass(frozen=True, slots=True)
class Restriction:
    """`value` is text, or after `check` microseconds since the epoch for a time."""

    field: Path
    op: str
    value: str | int
    column: int = attribute(default=1, compare=False)
    length: int = attribute(default=1, compare=False)
    value_column: int = attribute(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


# --- text to tree -----------------------------------------------------------------------------------------------------

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_COMPARATOR = re.compile(r"<=|>=|!=|=~|<|>|=|:")
_BARE = re.compile(r'[^\s()"]+')
_ESCAPE = re.compile(r"\\([\"\\])")
_META = re.compile(r"[.^$*+?()\[\]{}|\\]")
_SEGMENT = re.compile(r"[\w-]+")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_WORDS = ("AND", "OR", "NOT")


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.count = 0
        self.skip()

    def skip(self) -> None:
        self.at = _SPACE.match(self.source, self.at).end()  # type: ignore[union-attr]  # matches always

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def found(self) -> str:
        rest = self.source[self.at :].split(maxsplit=1)
        return f"found {rest[0][:40]!r}" if rest else "found the end"

    def fail(self, expected: str, *, at: int | None = None, length: int = 1) -> FilterError:
        return FilterError.point((self.at if at is None else at) + 1, expected, length=length)

    def word(self) -> str | None:
        """AND, OR or NOT if it stands here as a word of its own."""
        for word in _WORDS:
            after = self.source[self.at + len(word) : self.at + len(word) + 1]
            if self.source.startswith(word, self.at) and (not after or after in "()" or after.isspace()):
                return word
        return None

    def take(self, length: int) -> None:
        self.at += length
        self.skip()

    def expression(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail(f"parentheses may nest at most {MAX_DEPTH} deep.")
        parts = [self.factor(depth)]
        while self.peek() not in ("", ")"):
            word = self.word()
            if word == "OR":
                raise self.fail("expected a condition before OR.", length=2)
            if word == "AND":
                self.take(3)
            parts.append(self.factor(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def factor(self, depth: int) -> Node:
        parts = [self.term(depth)]
        while self.word() == "OR":
            self.take(2)
            parts.append(self.term(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def term(self, depth: int) -> Node:
        if self.word() == "NOT":
            self.take(3)
            return Not(self.simple(depth))
        if self.peek() == "-":
            self.take(1)
            return Not(self.simple(depth))
        return self.simple(depth)

    def simple(self, depth: int) -> Node:
        if self.peek() == "(":
            opened = self.at
            self.take(1)
            inner = self.expression(depth + 1)
            if self.peek() != ")":
                raise self.fail("this parenthesis is never closed; add ')'.", at=opened)
            self.take(1)
            return inner
        return self.restriction()

    def restriction(self) -> Restriction:
        start = self.at
        self.count += 1
        if self.count > MAX_RESTRICTIONS:
            raise self.fail(f"a filter holds at most {MAX_RESTRICTIONS} conditions.")
        if self.peek() == "'":
            raise self.fail("strings take double quotes; write \"…\" instead of '…'.")
        word = self.word()
        name = _NAME.match(self.source, self.at)
        if word or not name:
            raise self.fail(f'expected a condition such as fact="…"; {self.found()}.', length=len(word or "x"))
        path = [name[0]]
        self.at = name.end()
        while self.peek() == ".":
            self.at += 1
            path.append(self.segment())
        self.skip()
        op = _COMPARATOR.match(self.source, self.at)
        if not op:
            raise self.fail(f"expected a comparison (= != =~ : < <= > >=) after {'.'.join(path)!r}; {self.found()}.")
        self.take(len(op[0]))
        value_at = self.at
        value = self.value(op[0])
        return Restriction(tuple(path), op[0], value, start + 1, self.end - start, value_at + 1)

    def segment(self) -> str:
        if self.peek() == '"':
            return self.string()
        name = _SEGMENT.match(self.source, self.at)
        if not name:
            raise self.fail(f"expected a key after the dot; {self.found()}.")
        self.at = name.end()
        return name[0]

    def string(self) -> str:
        found = _STRING.match(self.source, self.at)
        if not found:
            raise self.fail("this string is never closed; add '\"'.", length=len(self.source) - self.at)
        self.at = found.end()
        return _ESCAPE.sub(r"\1", found[1])

    def value(self, op: str) -> str:
        if self.peek() == '"':
            value = self.string()
        else:
            found = _BARE.match(self.source, self.at)
            if not found or self.word():
                raise self.fail(f"expected a value after {op!r}; {self.found()}.")
            if found[0][0] == "'":
                raise self.fail("strings take double quotes; write \"…\" instead of '…'.", length=len(found[0]))
            if _COMPARATOR.match(found[0]):
                raise self.fail(f"expected a value after {op!r}; {self.found()}. Quote the value if it begins so.")
            value = found[0]
            self.at = found.end()
        self.end = self.at
        after = self.peek()
        if after and after not in "()" and not after.isspace():
            raise self.fail("expected a space before the next condition.")
        self.skip()
        return value


def parse(source: str) -> Node:
    """The tree of a filter; FilterError with the column of the fault. An empty filter is a fault here."""
    if len(source) > MAX_LENGTH:
        raise FilterError.point(MAX_LENGTH + 1, f"a filter has at most {MAX_LENGTH} characters.")
    if half := _HALF_PAIR.search(source):
        raise FilterError.point(half.start() + 1, "half of a surrogate pair is not a character.")
    parser = _Parser(source)
    tree = parser.expression(0)
    if parser.peek():
        raise parser.fail("this parenthesis was never opened; remove ')'.")
    return tree


# --- tree to text -----------------------------------------------------------------------------------------------------


def quote(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def containing(words: str) -> str:
    """The pattern of `=~` for "contains these words, ignoring case"; every sign stands for itself."""
    return f"(?is).*{_META.sub(r'\\\g<0>', words)}.*"


def path_text(path: Path) -> str:
    return ".".join(part if index == 0 or _SEGMENT.fullmatch(part) else quote(part) for index, part in enumerate(path))


def text(node: Node) -> str:
    """The filter of a tree; everything that could be read in two ways is in parentheses."""
    match node:
        case Restriction(path, op, value):
            return f"{path_text(path)}{op}{quote(str(Timestamp.of_micros(value)) if isinstance(value, int) else value)}"
        case Not(part):
            return f"NOT {text(part)}" if isinstance(part, Restriction) else f"NOT ({text(part)})"
        case And(parts):
            return " AND ".join(f"({text(p)})" if isinstance(p, And | Or) else text(p) for p in parts)
        case Or(parts):
            return " OR ".join(f"({text(p)})" if isinstance(p, And | Or) else text(p) for p in parts)


def restrictions(node: Node) -> Iterator[Restriction]:
    match node:
        case Restriction():
            yield node
        case Not(part):
            yield from restrictions(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from restrictions(part)


def conjuncts(node: Node) -> tuple[Node, ...]:
    """The conditions that must all hold, `(node,)` where it is not an AND."""
    if not isinstance(node, And):
        return (node,)
    return tuple(deep for part in node.parts for deep in conjuncts(part))


# --- known fields -----------------------------------------------------------------------------------------------------


class Kind(Enum):
    TEXT = "text"  # one text: = != : =~
    LABEL = "label"  # one text compared whole: = !=
    TIME = "time"
    TOPIC = "topic"  # some topic is: : = !=
    SCOPE = "scope"  # the whole scope, a JSON object as a string: = !=
    TYPE = "type"


_OPS = {
    Kind.TEXT: ("=", "!=", ":", "=~"),
    Kind.LABEL: ("=", "!="),
    Kind.TIME: ("=", "!=", "<", "<=", ">", ">="),
    Kind.TOPIC: (":", "=", "!="),
    Kind.SCOPE: ("=", "!="),
    Kind.TYPE: ("=", "!=", ":"),
}

# "*" stands for any key.
MEMORY_FIELDS: dict[Path, Kind] = {
    ("fact",): Kind.TEXT,
    ("display_name",): Kind.TEXT,
    ("create_time",): Kind.TIME,
    ("update_time",): Kind.TIME,
    ("expire_time",): Kind.TIME,
    ("topics", "managed_memory_topic"): Kind.TOPIC,
    ("topics", "custom_memory_topic_label"): Kind.TOPIC,
    ("scope",): Kind.SCOPE,
    ("scope", "*"): Kind.TEXT,
    ("memory_type",): Kind.TYPE,
}
REVISION_FIELDS: dict[Path, Kind] = {("labels", "*"): Kind.LABEL}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda m: "_" + m[1].lower(), name)


def _kind(path: Path, fields: dict[Path, Kind]) -> tuple[Path, Kind] | None:
    snake = tuple(map(_snake, path))
    if snake in fields:
        return snake, fields[snake]
    if len(path) == 2 and (snake[0], "*") in fields:  # a key is data: kept as written
        return (snake[0], path[1]), fields[(snake[0], "*")]
    return None


def check(node: Node, fields: dict[Path, Kind] = MEMORY_FIELDS) -> Node:
    """The tree with field names in snake_case, times as microseconds and scopes in canonical form.

    FilterError for an unknown field, a comparison that the field does not take, or a value of the wrong kind.
    """
    match node:
        case Restriction():
            return _check(node, fields)
        case Not(part):
            return Not(check(part, fields))
        case And(parts):
            return And(tuple(check(part, fields) for part in parts))
        case Or(parts):
            return Or(tuple(check(part, fields) for part in parts))


def _check(node: Restriction, fields: dict[Path, Kind]) -> Restriction:
    known = _kind(node.field, fields)
    written = path_text(node.field)
    if known is None:
        names = ", ".join(path_text(p).replace('"*"', "KEY") for p in fields)
        raise FilterError.point(node.column, f"unknown field {written!r}; use {names}.", length=len(written))
    path, kind = known
    if node.op not in _OPS[kind]:
        raise FilterError.point(
            node.column, f"{written} does not take {node.op!r}; use {' '.join(_OPS[kind])}.", length=node.length
        )
    try:
        value = _typed(node, kind, path)
    except InvalidArgument as error:
        raise FilterError.point(node.value_column, (error.violations or [("", error.message)])[0][1]) from None
    except ValueError as error:
        raise FilterError.point(
            node.value_column, f"{written}: {error}; found {str(node.value)[:40]!r}.", length=len(str(node.value))
        ) from None
    return Restriction(path, node.op, value, node.column, node.length, node.value_column)


def _micros(digits: str) -> int:
    if len(digits) > 18 or not _FIRST <= int(digits) <= _LAST:
        raise ValueError("expected microseconds since 1970, between the years 1 and 9999")
    return int(digits)


def _typed(node: Restriction, kind: Kind, path: Path) -> str | int:
    value = node.value
    if isinstance(value, int):
        return value
    if node.op == "=~":
        pattern(value)
    elif kind is Kind.TIME:
        if re.fullmatch(r"-?\d+", value, re.ASCII):
            return _micros(value)
        return to_micros(Timestamp.parse(value).datetime)
    elif kind is Kind.SCOPE:
        return scopes.canonical(scopes.parse(value))
    elif kind is Kind.TYPE and value not in MEMORY_TYPES:
        raise ValueError(f"expected one of {', '.join(MEMORY_TYPES)}")
    elif path[-1] == "managed_memory_topic" and value not in MANAGED_TOPICS:
        raise ValueError(f"expected one of {', '.join(MANAGED_TOPICS)}")
    elif path[0] == "scope" and node.op == "=" and not value:
        raise ValueError('the value is empty; no scope value is empty, write scope.KEY="…"')
    return value


# --- the exact test ---------------------------------------------------------------------------------------------------


def fold(value: str) -> str:
    """The form in which "contains" compares: NFC, without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


def pattern(source: str) -> Callable[[str], bool]:
    """The test of `=~`: RE2 over the whole value, `.` matching line breaks, both sides in NFC."""
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    options.max_mem = 4 << 20
    try:
        compiled = re2.compile(unicodedata.normalize("NFC", source), options=options)
    except re2.error as error:
        detail = error.args[0] if error.args else "not a pattern"
        reason = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise ValueError(f"not a regular expression of RE2 ({reason})") from None
    return lambda value: compiled.fullmatch(unicodedata.normalize("NFC", value)) is not None


def _test(node: Restriction) -> Callable[[Value], bool]:
    """The test of a value; a missing value (None, or no topic) matches nothing but `!=`."""
    want = node.value
    if node.op == "=~":
        matches = pattern(str(want))
        return lambda value: isinstance(value, str) and matches(value)
    if isinstance(want, int):
        return lambda value: isinstance(value, int) and _compare(value, node.op, want)
    if node.op == ":" and (node.field in (("fact",), ("display_name",)) or node.field[0] == "scope"):
        folded = fold(want)
        return lambda value: isinstance(value, str) and folded in fold(value)
    return lambda value: value == want if isinstance(value, str) or value is None else want in _texts(value)


def _texts(value: int | Collection[str]) -> Collection[str]:
    return () if isinstance(value, int) else value


def _compare(value: int, op: str, want: int) -> bool:
    match op:
        case "<":
            return value < want
        case "<=":
            return value <= want
        case ">":
            return value > want
        case ">=":
            return value >= want
        case _:
            return value == want


def predicate(node: Node) -> Callable[[Record], bool]:
    """The exact test of a checked tree. A record is a function from a field's path to its value.

    Values: text, microseconds, a collection of texts (topics), the canonical text for `scope`, or None where missing.
    """
    match node:
        case Restriction():
            test, path = _test(node), node.field
            if node.op == "!=":
                same = _test(Restriction(path, "=", node.value))
                return lambda record: not same(record(path))
            return lambda record: test(record(path))
        case Not(part):
            inner = predicate(part)
            return lambda record: not inner(record)
        case And(parts):
            every = [predicate(part) for part in parts]
            return lambda record: all(one(record) for one in every)
        case Or(parts):
            some = [predicate(part) for part in parts]
            return lambda record: any(one(record) for one in some)
