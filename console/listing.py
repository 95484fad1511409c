"""The state of the list: filter, order, page size and page, all of it in the URL."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from console import query, rows, zones
from console.paging import DEFAULT_SIZE, size_of
from memories.wire import filters

ORDERS = {
    "-created": "create_time desc",
    "created": "create_time",
    "-updated": "update_time desc",
    "updated": "update_time",
}
DEFAULT_ORDER = "-created"


@dataclass(frozen=True)
class Listing:
    """`advanced` is a filter expression written by hand, in place of the bar's tokens."""

    path: str
    query: query.Query
    faults: tuple[tuple[str, str], ...] = ()
    """(text of a token that cannot be used, what to do)"""
    typed: str = ""
    """What stands in the box: faulty tokens, or one taken back for editing."""
    order: str = DEFAULT_ORDER
    size: int = DEFAULT_SIZE
    page: str = ""
    advanced: str | None = None
    expression_fault: filters.FilterError | None = None

    @classmethod
    def read(cls, path: str, data: QueryDict) -> "Listing":
        texts = data.get("q", ""), data.get("add", "")
        tokens: list[query.Token] = []
        faults: list[tuple[str, str]] = []
        for text in texts:
            found, wrong = query.parse(text)
            tokens += found.tokens
            faults += [(text[fault.start : fault.end], fault.message) for fault in wrong]
        order, size = data.get("sort", ""), data.get("size", "")
        advanced = data.get("filter")
        return cls(
            path,
            query.Query(tuple(dict.fromkeys(tokens))),
            tuple(faults),
            " ".join(text for text, _message in faults) or data.get("edit", ""),
            order if order in ORDERS else DEFAULT_ORDER,
            size_of(size),
            data.get("page", ""),
            advanced,
            _fault(advanced or ""),
        )

    @property
    def valid(self) -> bool:
        return not self.faults and not self.expression_fault

    @property
    def filtered(self) -> bool:
        return bool(self.query.tokens or self.advanced)

    def expression(self, zone: tzinfo) -> str:
        return self.query.expression(zone) if self.advanced is None else self.advanced.strip()

    @property
    def order_by(self) -> str:
        return ORDERS[self.order]

    # --- addresses ---

    def url(self, **extra: str) -> str:
        """The address of this state; only what differs from the default is in it."""
        parts: dict[str, str] = {}
        if self.advanced is not None:
            parts["filter"] = self.advanced
        elif self.query.tokens:
            parts["q"] = self.query.text
        if self.order != DEFAULT_ORDER:
            parts["sort"] = self.order
        if self.size != DEFAULT_SIZE:
            parts["size"] = str(self.size)
        if self.page:
            parts["page"] = self.page
        parts |= extra
        return f"{self.path}?{urlencode(parts)}" if parts else self.path

    def at(self, token: str | None) -> str:
        """The address of another page; empty for None."""
        return replace(self, page=token).url() if token else ""

    @property
    def first(self) -> str:
        return replace(self, page="").url()

    @property
    def cleared(self) -> str:
        return replace(self, query=query.Query(()), advanced=None, page="").url()

    def without(self, index: int, **extra: str) -> str:
        return replace(self, query=self.query.without(index), page="").url(**extra)

    def sorted_by(self, column: str) -> str:
        """Newest first at the first click, turned round at the next."""
        order = column if self.order == f"-{column}" else f"-{column}"
        return replace(self, order=order, page="").url()

    def sized(self, size: int) -> str:
        return replace(self, size=size, page="").url()

    def hand_written(self, zone: tzinfo) -> str:
        """The same conditions as an expression to edit."""
        return replace(self, advanced=self.expression(zone), query=query.Query(()), page="").url()

    def linker(self) -> Callable[[str, str], str]:
        """Gives the address of the list with one more scope pair; empty where it has it. Called for each chip."""
        held = {(token.key, token.value) for token in self.query.tokens if token.kind == "scope"}
        more = replace(self, query=query.Query(()), advanced=None, page="").url().partition("?")[2]
        tail = f"&{more}" if more else ""
        if self.advanced is None:
            head = f"{self.path}?q={quote_plus(self.query.text + ' ')}" if self.query.tokens else f"{self.path}?q="
            return lambda key, value: (
                "" if (key, value) in held else f"{head}{quote_plus(query.pair(key, value).text)}{tail}"
            )
        before = f"({self.advanced.strip()}) AND " if self.advanced.strip() else ""

        def narrow(key: str, value: str) -> str:
            term = filters.text(filters.Restriction(("scope", key), "=", value))
            return f"{self.path}?filter={quote_plus(before + term)}{tail}"

        return narrow

    # --- words ---

    def pills(self) -> list[dict[str, object]]:
        """The conditions as the bar and the sentence draw them."""
        found: list[dict[str, object]] = []
        for index, token in enumerate(self.query.tokens):
            words = query.phrase(token, shown=_shown(token))
            found.append(
                {
                    "text": rows.visible(token.text),
                    "before": words.before,
                    "value": rows.visible(words.value),
                    "name": words.name,
                    "remove": self.without(index),
                    "edit": self.without(index, edit=token.text),
                    "key": rows.visible(token.key) if token.kind == "scope" else token.key or token.kind,
                    "op": {">=": "≥", "<=": "≤"}.get(token.op, token.op),
                    "shown": rows.visible(token.value),
                }
            )
        return found

    def columns(self) -> list[dict[str, str]]:
        titles = {"created": _("Created"), "updated": _("Updated")}
        return [
            {
                "title": title,
                "href": self.sorted_by(column),
                "sort": {column: "ascending", f"-{column}": "descending"}.get(self.order, ""),
            }
            for column, title in titles.items()
        ]


def _fault(expression: str) -> filters.FilterError | None:
    if not expression.strip():
        return None
    try:
        filters.check(filters.parse(expression))
    except filters.FilterError as error:
        return error
    return None


def _shown(token: query.Token) -> str:
    if token.kind == "topic":
        return str(rows.TOPICS.get(token.value, ""))
    if token.kind == "time" and "T" not in token.value:
        moment = query.moment(token.value)
        return f"{zones.day(moment)} ({zones.label(timezone.make_aware(moment))})"
    return ""
