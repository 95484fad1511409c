"""The vectors of a scope: made where they are missing, and kept in memory as one matrix while the scope stays as it is.

A write bumps the scope's version, so the next retrieval in any process reads the scope again.
"""

import functools
import hashlib
import json
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connection, transaction

from memories.server import embeddings
from memories.server.models import Bank, Scope
from memories.wire.errors import FailedPrecondition, Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PROMPT = 500  # characters of a text for whose vector a write waits
CACHE_BYTES = 256 << 20
EMBED_SECONDS = 20.0  # of making vectors within one retrieval; what was made is kept
FOREVER = sys.maxsize


@dataclass(frozen=True)
class Loaded:
    """The memories of a scope: row numbers, whose text is natural language, when they expire, and their vectors."""

    version: tuple[int, int, int]
    embedder: str
    rows: "NDArray[np.int64]"
    natural: "NDArray[np.bool_]"
    expires: "NDArray[np.int64]"
    matrix: "NDArray[np.float32]"


class Cache:
    """The scopes asked for last, within a bound of bytes."""

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self.most = most
        self.held = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Loaded] = OrderedDict()

    def get(self, key: tuple[str, str], version: tuple[int, int, int], embedder: str) -> Loaded | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.version != version or found.embedder != embedder:
                return None
            self._kept.move_to_end(key)
            return found

    def put(self, key: tuple[str, str], loaded: Loaded) -> None:
        size = loaded.matrix.nbytes
        with self._lock:
            old = self._kept.pop(key, None)
            self.held -= old.matrix.nbytes if old else 0
            if size > self.most:
                return
            self._kept[key] = loaded
            self.held += size
            while self.held > self.most:
                _key, gone = self._kept.popitem(last=False)
                self.held -= gone.matrix.nbytes


_cache = Cache()
_making = [threading.Lock() for _stripe in range(64)]


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    text: str
    natural: bool
    expires: int
    digest: str
    embedder: str
    vector: bytes

    @property
    def ready(self) -> bool:
        """Whether the vector belongs to the text as it is now."""
        return self.digest == digest(self.text)


_SELECT = (
    "SELECT m.id, m.fact, m.data, m.expire_time, v.digest, v.embedder, v.vector FROM server_memory m"
    " LEFT JOIN server_vector v ON v.memory_id = m.id"
)


def _read(where: str, params: Sequence[str | int]) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_SELECT} WHERE {where}", params)
        return [
            _Row(id, fact or text_of(data), bool(fact), FOREVER if end is None else end, mark or "", by or "", vector)
            for id, fact, data, end, mark, by, vector in cursor.fetchall()
        ]


def text_of(data: str) -> str:
    """A structured memory as text."""
    found: dict[str, object] = json.loads(data or "{}")
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in found.items()
    )


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def of(scope: Scope) -> Loaded:
    """Every memory of the scope with its vector. FailedPrecondition where another model made some of them."""
    import numpy as np

    embedder = embeddings.current()
    key, version = (str(scope.bank_id), scope.digest), (scope.pk, scope.version, scope.last_write)
    found = _cache.get(key, version, embedder.id)
    if found is not None:
        return found
    rows = _complete(scope, embedder)
    width = len(rows[0].vector) // 4 if rows else 1
    loaded = Loaded(
        version,
        embedder.id,
        np.array([row.id for row in rows], np.int64),
        np.array([row.natural for row in rows], np.bool_),
        np.array([row.expires for row in rows], np.int64),
        np.frombuffer(b"".join(row.vector for row in rows), np.dtype("<f4")).reshape(-1, width),
    )
    _cache.put(key, loaded)
    return loaded


def _complete(scope: Scope, embedder: embeddings.Embedder) -> list[_Row]:
    rows = _checked(_read("m.scope_id = %s", [scope.pk]), embedder)
    if all(row.ready for row in rows):
        return rows
    with _making[scope.pk % len(_making)]:  # two retrievals in one scope would do the same work
        until = time.monotonic() + EMBED_SECONDS
        rows = _checked(_read("m.scope_id = %s", [scope.pk]), embedder)
        missing = [row for row in rows if not row.ready]
        for start in range(0, len(missing), embedder.batch):
            if time.monotonic() > until:
                raise Unavailable(
                    f"{len(missing) - start} of the {len(rows)} memories of this scope have no vector yet; the others"
                    " are kept. Ask again, or run `manage.py reembed`.",
                    retry_after=1,
                )
            make(missing[start : start + embedder.batch], embedder)
        # What was deleted meanwhile is not there any more, and what was changed is not ready: then once more.
        rows = _checked(_read("m.scope_id = %s", [scope.pk]), embedder)
    late = [row for row in rows if not row.ready]
    if late:
        raise Unavailable("Memories of this scope are being changed; ask again.", retry_after=1)
    return rows


def _checked(rows: list[_Row], embedder: embeddings.Embedder) -> list[_Row]:
    others = {row.embedder for row in rows if row.ready and row.embedder != embedder.id}
    if others:
        raise FailedPrecondition(
            f"Memories of this scope were embedded by another model ({', '.join(sorted(others))}) than the one in use"
            f" ({embedder.id}), and the two cannot be compared. Run `manage.py reembed`, or set EMBEDDER back."
        )
    return rows


def make(rows: Sequence[_Row], embedder: embeddings.Embedder) -> None:
    """Makes and keeps the vectors of some memories; what the database no longer has is left out."""
    matrix = embedder.embed([row.text for row in rows], role="document")
    insert = (
        "INSERT INTO server_vector (memory_id, embedder, digest, vector) SELECT m.id, %s, %s, %s FROM server_memory m"
        f" WHERE m.id = %s {'FOR KEY SHARE' if connection.vendor == 'postgresql' else ''} ON CONFLICT (memory_id)"
        " DO UPDATE SET embedder = excluded.embedder, digest = excluded.digest, vector = excluded.vector"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(
            insert,
            [
                (embedder.id, digest(row.text), vector.astype("<f4").tobytes(), row.id)
                for row, vector in zip(rows, matrix, strict=True)
            ],
        )


def soon(bank: Bank, memory_id: str) -> None:
    """Makes the vector of a memory just written once it is committed, where the embedder is at hand.

    Where it is not, or fails, the write stands and the next retrieval makes the vector. For calls of the API alone:
    a command that prepares the server must not load the embedder, since the workers are forked from it.
    """
    if embeddings.current().prompt:
        transaction.on_commit(functools.partial(_make_one, bank.pk, memory_id), robust=True)


def _make_one(bank: str, memory_id: str) -> None:
    missing = [found for found in _read("m.bank_id = %s AND m.memory_id = %s", [bank, memory_id]) if not found.ready]
    if missing and len(missing[0].text) <= PROMPT:
        make(missing, embeddings.current())


def lacking(embedder: embeddings.Embedder, *, after: int, limit: int) -> tuple[list[_Row], int | None, int]:
    """In a stretch of the table, the memories whose vector is missing, of an old text or another model's.

    With where the next stretch begins, if there is one, and how many memories this one has.
    """
    rows = _read("m.id > %s ORDER BY m.id LIMIT %s", [after, limit])
    lacking = [row for row in rows if not row.ready or row.embedder != embedder.id]
    return lacking, rows[-1].id if len(rows) == limit else None, len(rows)
