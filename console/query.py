"""The filter bar: text of tokens to conditions, conditions to a filter expression of the API and to a sentence.

    token     = pair | fact | topic | type | time | words
    pair      = key ":" value | "scope." key ":" value        key quoted, or `scope.` before it: always a scope pair
    fact      = "fact:" value                                 the fact contains it, ignoring case
    topic     = "topic:" value                                a managed topic's name, or else a custom label
    type      = "type:" ("natural" | "structured")
    time      = ("created" | "updated" | "expires") (":" | ">=" | "<=" | ">" | "<" | "=") day or day "T" time
    words     = anything else, or a wholly quoted token       the fact contains it
    value     = '"' … '"' (with \\" and \\\\ inside) or text without spaces

Tokens are joined by AND. A day is a day in the zone in which times are shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from memories.wire import filters
from memories.wire.times import Timestamp

MAX_LENGTH = 2000

TIMES = {"created": "create_time", "updated": "update_time", "expires": "expire_time"}
TYPES = {"natural": "NATURAL_LANGUAGE_COLLECTION", "structured": "STRUCTURED_PROFILE"}
RESERVED = ("fact", "topic", "type", *TIMES)

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_TIME_TOKEN = re.compile(r"(created|updated|expires)(>=|<=|>|<|=|:)(\S*)", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NEXT_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Token:
    """One condition. `kind` is scope, fact, topic, type or time; `key` a scope key or a time field of the bar."""

    kind: str
    key: str
    op: str
    value: str

    @property
    def text(self) -> str:
        """The token as the bar writes it."""
        match self.kind:
            case "scope":
                return f"{_key_text(self.key)}:{_value_text(self.value)}"
            case "time":
                return f"{self.key}{self.op}{self.value}"
            case "fact":
                return f"fact:{_value_text(self.value)}"
            case _:
                return f"{self.kind}:{_value_text(self.value)}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A token that cannot be used: where it stands in the text, and what to do."""

    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Query:
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    def without(self, index: int) -> "Query":
        return Query(self.tokens[:index] + self.tokens[index + 1 :])

    def having(self, token: Token) -> "Query":
        """The query with one more condition; the same one where it already has it."""
        return self if token in self.tokens else Query((*self.tokens, token))

    def expression(self, zone: tzinfo) -> str:
        """The filter of the API; empty for no condition."""
        parts: list[filters.Node] = [part for token in self.tokens for part in _restrictions(token, zone)]
        if not parts:
            return ""
        return filters.text(parts[0] if len(parts) == 1 else filters.And(tuple(parts)))

    @property
    def scope(self) -> dict[str, str]:
        """The scope pairs that are asked for."""
        return {token.key: token.value for token in self.tokens if token.kind == "scope"}


def pair(key: str, value: str) -> Token:
    return Token("scope", key, ":", value)


def of_scope(scope: Mapping[str, str]) -> Query:
    """The pairs of a scope, in their one order."""
    return Query(tuple(pair(key, value) for key, value in sorted(scope.items())))


def _key_text(key: str) -> str:
    if key.lower() in RESERVED or key.startswith("scope."):
        return f"scope.{key}" if re.fullmatch(r"\w+", key) else filters.quote(key)
    return key if re.fullmatch(r"[\w.@/+-]+", key) else filters.quote(key)


def _value_text(value: str) -> str:
    return value if re.fullmatch(r'[^\s"][^\s]*', value) else filters.quote(value)


# --- text to tokens ---------------------------------------------------------------------------------------------------


def parse(text: str) -> tuple[Query, list[Fault]]:
    """The conditions of the text, and a fault for each token that is not one. Never raises."""
    if len(text) > MAX_LENGTH:
        message = _("The filter is longer than %(limit)d characters; shorten it.") % {"limit": MAX_LENGTH}
        return Query(()), [Fault(0, len(text), message)]
    tokens: list[Token] = []
    faults: list[Fault] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            return Query(tuple(dict.fromkeys(tokens))), faults
        end, found = _token(text, at)
        if isinstance(found, Token):
            tokens.append(found)
        else:
            faults.append(Fault(at, end, found))
        at = end


def _bare_end(text: str, at: int) -> int:
    while at < len(text) and not text[at].isspace():
        at += 1
    return at


def _ends(text: str, at: int) -> bool:
    return at >= len(text) or text[at].isspace()


def _token(text: str, at: int) -> tuple[int, Token | str]:
    """The end of the token that begins at `at`, and the token or what is wrong with it."""
    quoted = _QUOTED.match(text, at)
    if quoted and _ends(text, quoted.end()):
        return quoted.end(), _words(_unquote(quoted[1]))
    if quoted and text[quoted.end()] == ":":
        return _pair(text, quoted.end() + 1, _unquote(quoted[1]))
    time = _TIME_TOKEN.match(text, at)
    if time:
        return time.end(), _time(time[1].lower(), time[2], time[3])
    end = _bare_end(text, at)
    if text.startswith('scope."', at):
        quoted = _QUOTED.match(text, at + len("scope."))
        if quoted and text[quoted.end() : quoted.end() + 1] == ":":
            return _pair(text, quoted.end() + 1, _unquote(quoted[1]))
    key, colon, _rest = text[at:end].partition(":")
    if not colon or not key or '"' in key:
        return end, _words(text[at:end])
    value_at = at + len(key) + 1
    if key.startswith("scope.") and len(key) > len("scope."):
        return _pair(text, value_at, key.removeprefix("scope."))
    if key.lower() not in ("fact", "topic", "type"):
        return _pair(text, value_at, key)
    end, value = _value(text, value_at)
    if value is None:
        return end, _('This quote is never closed; add “"”.')
    if not value:
        return end, _("The value is missing; write %(example)s.") % {"example": f"{key.lower()}:words"}
    if key.lower() == "type" and value not in TYPES:
        return end, _("A type is natural or structured; write type:natural or type:structured.")
    return end, Token(key.lower(), "", ":", value)


def _value(text: str, at: int) -> tuple[int, str | None]:
    """The end of a value and its text; None where a quote is never closed."""
    if text[at : at + 1] != '"':
        end = _bare_end(text, at)
        return end, text[at:end]
    quoted = _QUOTED.match(text, at)
    if not quoted:
        return len(text), None
    end = _bare_end(text, quoted.end())
    return end, _unquote(quoted[1]) + text[quoted.end() : end]


def _pair(text: str, at: int, key: str) -> tuple[int, Token | str]:
    end, value = _value(text, at)
    if value is None:
        return end, _('This quote is never closed; add “"”.')
    if not value:
        return end, _("The value is missing; write %(example)s.") % {"example": f"{_key_text(key)}:123"}
    if not key:
        return end, _("The key is missing; write key:value.")
    return end, pair(key, value)


def _words(text: str) -> Token | str:
    return Token("fact", "", ":", text) if text else _("Between these quotes is nothing; write the words to look for.")


def _unquote(text: str) -> str:
    return re.sub(r"\\([\"\\])", r"\1", text)


def _time(key: str, op: str, value: str) -> Token | str:
    value = value.strip('"')
    example = f"{key}>=2026-01-31"
    if not value:
        return _("The day is missing; write %(example)s.") % {"example": example}
    try:
        moment(value)
    except ValueError:
        return _("“%(value)s” is not a day that exists; write %(example)s or %(longer)s.") % {
            "value": value,
            "example": example,
            "longer": f"{example}T09:30",
        }
    return Token("time", key, ":" if op == "=" else op, value.upper())


# --- tokens to a filter -----------------------------------------------------------------------------------------------


def moment(value: str) -> datetime:
    """The moment as written; without a zone unless one is written. ValueError where it does not exist."""
    if not _DAY.match(value):
        raise ValueError("a day begins it")  # fromisoformat also takes weeks, and days without hyphens
    zoned = value.upper().endswith("Z") or re.search(r"T.*[+-]\d\d:?\d\d$", value.upper())
    found = Timestamp.parse(value).datetime if zoned else datetime.fromisoformat(value)
    if not 1970 <= found.year <= 9998:
        raise ValueError("out of range")
    return found


def _restrictions(token: Token, zone: tzinfo) -> Sequence[filters.Node]:
    match token.kind:
        case "scope":
            return [filters.Restriction(("scope", token.key), "=", token.value)]
        case "fact":
            return [filters.Restriction(("fact",), "=~", filters.containing(token.value))]
        case "topic":
            managed = token.value in filters.MANAGED_TOPICS
            field = "managed_memory_topic" if managed else "custom_memory_topic_label"
            return [filters.Restriction(("topics", field), ":", token.value)]
        case "type":
            return [filters.Restriction(("memory_type",), "=", TYPES[token.value])]
        case _:
            return _time_restrictions(token, zone)


def _time_restrictions(token: Token, zone: tzinfo) -> list[filters.Node]:
    field = (TIMES[token.key],)
    start = moment(token.value)

    def bound(op: str, at: datetime) -> filters.Restriction:
        return filters.Restriction(field, op, Timestamp.of(at.replace(tzinfo=zone) if at.tzinfo is None else at))

    if not _DAY.fullmatch(token.value):
        later = start + timedelta(minutes=1)  # a minute is what people write
        return [bound(">=", start), bound("<", later)] if token.op == ":" else [bound(token.op, start)]
    match token.op:
        case ":":
            return [bound(">=", start), bound("<", start + _NEXT_DAY)]
        case ">":
            return [bound(">=", start + _NEXT_DAY)]
        case "<=":
            return [bound("<", start + _NEXT_DAY)]
        case op:
            return [bound(op, start)]


# --- tokens to words --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phrase:
    """A condition in words: what comes before the value, the value, and whether the value is a name (left to right)."""

    before: str
    value: str
    name: bool


def phrase(token: Token, *, shown: str = "") -> Phrase:
    """`shown` replaces the value where a friendlier form exists (a topic's title, a date of the locale)."""
    value = shown or token.value
    match token.kind:
        case "scope":
            return Phrase(_("scope has"), f"{token.key}:{value}", True)
        case "fact":
            return Phrase(_("fact contains"), value, False)
        case "topic":
            return Phrase(_("topic is"), value, False)
        case "type":
            kinds = {"natural": pgettext("memory type", "natural language"), "structured": _("structured")}
            return Phrase(_("type is"), kinds[token.value], False)
        case _:
            return Phrase(_time_words(token), value, False)


def _time_words(token: Token) -> str:
    words = {
        ("created", ":"): _("created on"),
        ("created", ">="): _("created since"),
        ("created", ">"): _("created after"),
        ("created", "<"): _("created before"),
        ("created", "<="): _("created up to"),
        ("updated", ":"): _("updated on"),
        ("updated", ">="): _("updated since"),
        ("updated", ">"): _("updated after"),
        ("updated", "<"): _("updated before"),
        ("updated", "<="): _("updated up to"),
        ("expires", ":"): _("expiring on"),
        ("expires", ">="): _("expiring from"),
        ("expires", ">"): _("expiring after"),
        ("expires", "<"): _("expiring before"),
        ("expires", "<="): _("expiring up to"),
    }
    return words[(token.key, token.op)]
