"""Applications to name in MEMORY_BANK_SERVER: one that counts its calls, and some that are broken."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from memories.server.wsgi import application

type Start = Callable[..., Any]

HOSTILE = "<img src=x onerror=alert(1)>"

calls: list[str] = []
"""The calls that `counting` was sent, as `GET /path`."""


def counting(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    calls.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
    return application(environ, start_response)


def _json(start_response: Start, status: str, body: object, *headers: tuple[str, str]) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "application/json"), *headers])
    return [json.dumps(body).encode()]


def bad_gateway(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """A proxy whose server is gone."""
    start_response("502 Bad Gateway", [("Content-Type", "text/html")])
    return [f"<html><body>{HOSTILE}</body></html>".encode()]


def unavailable(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    error = {"code": 503, "message": f"asleep {HOSTILE}", "status": "UNAVAILABLE"}
    return _json(start_response, "503 Service Unavailable", {"error": error}, ("Retry-After", "7"))


def garbage(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/html")])
    return [f"{HOSTILE} welcome to the wifi".encode()]


def nonsense(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """JSON, but not of this API."""
    body = {"reasoningEngines": [HOSTILE], "memories": {"a": 1}, "memoryRevisions": 7, "fact": [], "name": {}}
    return _json(start_response, "200 OK", body)


def exhausted(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    error = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}
    return _json(start_response, "429 Too Many Requests", {"error": error}, ("Retry-After", "30"))


def late(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    error = {"code": 504, "message": "too slow", "status": "DEADLINE_EXCEEDED"}
    return _json(start_response, "504 Gateway Timeout", {"error": error})


def reads_alone(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """Reads work; every change fails."""
    if environ["REQUEST_METHOD"] == "GET":
        return application(environ, start_response)
    return unavailable(environ, start_response)


BROKEN = {
    "bad_gateway": 503,
    "unavailable": 503,
    "garbage": 502,
    "nonsense": 502,
    "exhausted": 429,
    "late": 504,
}
"""Those that do not work, and the status of a page that needs them."""


def named(name: str) -> str:
    return f"{__name__}.{name}"
