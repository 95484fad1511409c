"""A bank, memories in it, and an embedder over HTTP that answers as the test says."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pytest_django import Settings

from memories.server import store
from memories.server.models import Bank, Memory
from memories.wire import resources

type Put = Callable[..., list[Memory]]

SCOPE = {"user_id": "u-1"}


@pytest.fixture
def bank(db: None) -> Bank:
    return Bank.objects.create(id="77", project="p", location="us-central1", create_time=1, update_time=1)


@pytest.fixture
def put(bank: Bank) -> Put:
    """Memories with those facts, in `SCOPE` unless `scope` says otherwise."""

    def put(facts: list[str], **fields: object) -> list[Memory]:
        new = [resources.Memory.receive({"fact": fact, "scope": SCOPE} | fields) for fact in facts]
        return [row for row, _revision in store.insert(bank, [("", one) for one in new], timed=True)]

    return put


@dataclass
class Answers:
    """An endpoint of the OpenAI-compatible form. `script` holds what to answer instead of vectors, oldest first."""

    url: str
    script: list[tuple[int, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    dimensions: int = 4

    def vectors(self, texts: list[str]) -> dict[str, Any]:
        """Not of unit length, and in another order than asked."""
        data = [
            {"index": index, "embedding": [len(text), 1.0, *([0.0] * (self.dimensions - 2))]}
            for index, text in enumerate(texts)
        ]
        return {"object": "list", "data": data[::-1]}


@pytest.fixture
def endpoint() -> Iterator[Answers]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answers.requests.append(asked)
            answers.keys.append(self.headers.get("Authorization", ""))
            status, body = answers.script.pop(0) if answers.script else (200, answers.vectors(asked["input"]))
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answers = Answers(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield answers
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def by_endpoint(endpoint: Answers, settings: Settings) -> Answers:
    settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_MODEL = "openai", endpoint.url, "made-up"
    return endpoint
