"""The state of the list of scopes, all of it in the URL, and its rows."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from console import differences, rows
from console.links import Links
from console.paging import DEFAULT_SIZE, size_of
from memories.wire.resources import ListedScope

ORDERS = {
    "-written": "last_write_time desc",
    "written": "last_write_time",
    "-begun": "first_write_time desc",
    "begun": "first_write_time",
    "-count": "memory_count desc",
    "count": "memory_count",
}
DEFAULT_ORDER = "-written"
MAX_SEARCH = 500


@dataclass(frozen=True)
class ScopeList:
    path: str
    search: str = ""
    order: str = DEFAULT_ORDER
    size: int = DEFAULT_SIZE
    page: str = ""

    @classmethod
    def read(cls, path: str, data: QueryDict) -> "ScopeList":
        order, size = data.get("sort", ""), data.get("size", "")
        return cls(
            path,
            data.get("search", "")[:MAX_SEARCH].strip(),
            order if order in ORDERS else DEFAULT_ORDER,
            size_of(size),
            data.get("page", ""),
        )

    @property
    def order_by(self) -> str:
        return ORDERS[self.order]

    def url(self) -> str:
        """The address of this state; only what differs from the default is in it."""
        parts = {
            "search": self.search,
            "sort": "" if self.order == DEFAULT_ORDER else self.order,
            "size": "" if self.size == DEFAULT_SIZE else str(self.size),
            "page": self.page,
        }
        kept = {name: value for name, value in parts.items() if value}
        return f"{self.path}?{urlencode(kept)}" if kept else self.path

    def at(self, token: str | None) -> str:
        """The address of another page; empty for None."""
        return replace(self, page=token).url() if token else ""

    @property
    def first(self) -> str:
        return replace(self, page="").url()

    @property
    def cleared(self) -> str:
        return replace(self, search="", page="").url()

    def columns(self) -> list[dict[str, str]]:
        titles = {"count": _("Memories"), "begun": _("First write"), "written": _("Last write")}
        return [
            {
                "name": column,
                "title": title,
                "href": replace(self, order=column if self.order == f"-{column}" else f"-{column}", page="").url(),
                "sort": {column: "ascending", f"-{column}": "descending"}.get(self.order, ""),
            }
            for column, title in titles.items()
        ]

    def sized(self, size: int) -> str:
        return replace(self, size=size, page="").url()


class Row(TypedDict):
    chips: SafeString
    count: int
    begun: rows.Time | None
    written: rows.Time | None
    alike: list[differences.Near]
    memories: str
    structured: str
    retrieve: str


def row(one: ListedScope, links: Links, *, now: datetime) -> Row:
    return {
        "chips": rows.chips(one.scope, links.pair),
        "count": one.memory_count,
        "begun": rows.time(one.first_write_time, now),
        "written": rows.time(one.last_write_time, now),
        "alike": [differences.near(other, one.scope, links, now=now) for other in one.look_alikes or ()],
        "memories": links.memories(one.scope),
        "structured": links.structured(one.scope),
        "retrieve": links.retrieve(one.scope),
    }
