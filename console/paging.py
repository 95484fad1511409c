"""The pager below a list, the same for every list whose state is in the URL."""

from typing import Any, Protocol

from memories.wire.resources import ListMemoriesResponse, ListScopesResponse

SIZES = (20, 50, 100)
DEFAULT_SIZE = 50


class Paged(Protocol):
    """The state of a list, and the addresses of its other pages."""

    @property
    def size(self) -> int: ...
    @property
    def first(self) -> str: ...
    def at(self, token: str | None) -> str: ...
    def sized(self, size: int) -> str: ...


def size_of(text: str) -> int:
    """The page size asked for, if it is one of those offered."""
    return int(text) if text in map(str, SIZES) else DEFAULT_SIZE


def pager(listing: Paged, answer: ListMemoriesResponse | ListScopesResponse, *, shown: int) -> dict[str, Any]:
    """What ui.html#pager draws; `shown` rows are on the page. A total is said only where it was counted."""
    first = None if answer.start_index is None else answer.start_index + 1
    return {
        "shown": shown,
        "first": first,
        "last": None if first is None else first + shown - 1,
        "total": answer.total_size,
        "capped": bool(answer.total_size_capped),
        "first_url": listing.first if answer.previous_page_token else "",
        "previous_url": listing.at(answer.previous_page_token),
        "next_url": listing.at(answer.next_page_token),
        "last_url": listing.at(answer.last_page_token),
        "size_urls": [(size, listing.sized(size), size == listing.size) for size in SIZES],
    }
