"""One call of the API: sent, retried where that is safe, and read into a message or a wire error."""

import json
import logging
import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import ValidationError
from pydantic_core import from_json

from memories.wire import errors
from memories.wire.resources import Message

TIMEOUT = httpx.Timeout(30, connect=5, pool=5)  # seconds
LOCAL = "http://in-process"

type Query = Mapping[str, str] | Mapping[str, str | int]

_log = logging.getLogger("memories.client")


class InProcess(httpx.BaseTransport):
    """Calls a WSGI application in this thread; the caller's `principal` goes into the environ, where no header can."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            environ["memories.principal"] = request.extensions["principal"]
            return self.app(environ, start_response)

        return httpx.WSGITransport(app=application).handle_request(request)


@dataclass(frozen=True, slots=True)
class Patience:
    """How reads are repeated: exponential backoff with full jitter, within a total. Times are seconds."""

    attempts: int = 4
    base: float = 0.25
    cap: float = 4.0
    total: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[float, float], float] = random.uniform

    def pause(self, attempt: int, error: errors.ApiError, started: float) -> float | None:
        """How long to wait before the next attempt (1 is the second), or None to give up."""
        if attempt >= self.attempts or not isinstance(error, errors.Unavailable | errors.ResourceExhausted):
            return None
        wait = self.jitter(0, min(self.cap, self.base * 2 ** (attempt - 1)))
        wait = max(wait, error.retry_after or 0)
        return wait if self.clock() - started + wait <= self.total else None


ONCE = Patience(attempts=1)


@dataclass(frozen=True, slots=True)
class Wire:
    http: httpx.Client
    patience: Patience = ONCE
    principal: object = None

    def call[M: Message](
        self,
        method: str,
        path: str,
        answer: type[M],
        *,
        query: Query | None = None,
        body: Message | None = None,
        headers: Mapping[str, str] | None = None,
        read: bool | None = None,
    ) -> M:
        """The answer, or one of the wire's errors. `path` must come from `path()`; empty query values are left out.

        Only reads (GET, or where `read` says so) are sent again.
        """
        read = method == "GET" if read is None else read
        started, attempt = self.patience.clock(), 1
        request = self._request(method, path, query or {}, body, headers or {})
        while True:
            try:
                return self._once(request, answer, attempt, read)
            except errors.ApiError as error:
                pause = self.patience.pause(attempt, error, started) if read else None
                if pause is None:
                    raise
            self.patience.sleep(pause)
            attempt += 1

    def _request(
        self,
        method: str,
        path: str,
        query: Query,
        body: Message | None,
        headers: Mapping[str, str],
    ) -> httpx.Request:
        content = None if body is None else json.dumps(body.wire(), ensure_ascii=False, separators=(",", ":")).encode()
        typed = {"Content-Type": "application/json"} if body is not None else {}
        return self.http.build_request(
            method,
            path,
            params={key: value for key, value in query.items() if value not in ("", 0)} or None,
            content=content,
            headers={"Accept": "application/json", **typed, **headers},
            extensions={"principal": self.principal},
        )

    def _once[M: Message](self, request: httpx.Request, answer: type[M], attempt: int, read: bool) -> M:
        began = time.perf_counter()
        outcome = "no answer"
        try:
            response = _send(self.http, request, read)
            outcome = str(response.status_code)
            return _read(response, answer)
        finally:
            # The path holds ids; the query may hold text of memories and is left out.
            spent = (time.perf_counter() - began) * 1000
            _log.info("%s %s %s %.1f ms attempt %d", request.method, request.url.path, outcome, spent, attempt)


def _send(http: httpx.Client, request: httpx.Request, read: bool) -> httpx.Response:
    host = request.url.netloc.decode("ascii", "replace")
    unknown = "" if read else " Whether the change was made is not known."
    try:
        return http.send(request)
    except httpx.ConnectTimeout:
        raise errors.Unavailable(f"{host} does not answer: no connection in time.") from None
    except httpx.TimeoutException:
        raise errors.DeadlineExceeded(f"{host} did not answer in time.{unknown}") from None
    except httpx.ConnectError as error:
        raise errors.Unavailable(f"{host} cannot be reached: {error}.") from None
    except (httpx.RequestError, httpx.StreamError) as error:
        raise errors.Unavailable(f"The connection to {host} broke: {type(error).__name__}.{unknown}") from None


def _read[M: Message](response: httpx.Response, answer: type[M]) -> M:
    status, host = response.status_code, response.request.url.netloc.decode("ascii", "replace")
    if 300 <= status < 400:
        raise errors.Internal(f"{host} answered with a redirect (HTTP {status}), which is not followed.", http=status)
    if not 200 <= status < 300:
        raise errors.from_http(status, response.content, retry_after=_retry_after(response.headers))
    try:
        # Unlike json.loads it refuses half of a surrogate pair, which no page could show.
        parsed = from_json(response.content or b"{}", allow_inf_nan=False)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        kind = response.headers.get("Content-Type", "no type")[:80]
        raise errors.Internal(
            f"{host} answered something that is not the Memory Bank API ({kind}, {len(response.content)} bytes)."
        )
    return received(parsed, answer)


def received[M: Message](parsed: object, answer: type[M]) -> M:
    """The message of an answer; Internal, naming the field at fault, where it is not what the API promises."""
    try:
        return answer.receive(parsed)
    except ValidationError as error:
        # Without the values: they may be text of memories.
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise errors.Internal(f"The bank's answer is not a {answer.__name__}: {where}: {first['type']}.") from None


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds; the header holds them or a date."""
    text = headers.get("Retry-After", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def path(*segments: str) -> str:
    """The path of segments, each percent-encoded. Refuses what could lead elsewhere: empty, dots alone, a slash."""
    for segment in segments:
        if not segment.strip(".") or "/" in segment or not segment.isprintable():
            raise errors.InvalidArgument.at("name", f"{segment[:80]!r} cannot be a part of a resource name.")
    return "/" + "/".join(quote(segment, safe=":") for segment in segments)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long an operation is waited for. Polled at once and then each `interval` seconds."""

    limit: float = 30.0
    interval: float = 0.5
    sleep: Callable[[float], None] = field(default=time.sleep)
    clock: Callable[[], float] = field(default=time.monotonic)


PATIENT = Waiting()
