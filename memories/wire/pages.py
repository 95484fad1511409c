"""Page tokens: opaque, signed, and bound to the query they continue.

A token holds a keyset anchor (the times of the order in microseconds, and a row number) and a direction, never text of
a memory.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Literal

from memories.wire.errors import InvalidArgument

_STALE = "The page token belongs to another query or was changed; start again from the first page."


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins. `anchor` None with direction "previous" means the last page."""

    anchor: tuple[int, ...] | None
    direction: Literal["next", "previous"] = "next"


def _sign(payload: bytes, query: str, key: bytes) -> bytes:
    return hmac.digest(key, payload + b"\0" + hashlib.sha256(query.encode()).digest(), "sha256")[:12]


def encode(cursor: Cursor, *, query: str, key: bytes) -> str:
    """`query` is everything that must stay the same while paging; `key` is the server's secret."""
    payload = json.dumps([cursor.direction == "next", cursor.anchor], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_sign(payload, query, key) + payload).rstrip(b"=").decode()


def decode(token: str, *, query: str, key: bytes, field: str = "pageToken") -> Cursor:
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except ValueError:  # also UnicodeEncodeError
        raise InvalidArgument.at(field, _STALE) from None
    signature, payload = raw[:12], raw[12:]
    if not hmac.compare_digest(signature, _sign(payload, query, key)):
        raise InvalidArgument.at(field, _STALE)
    forward, anchor = json.loads(payload)
    return Cursor(None if anchor is None else tuple(anchor), "next" if forward else "previous")
