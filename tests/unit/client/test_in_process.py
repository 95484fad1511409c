"""The transport within the process: who calls goes along, and nothing else changes."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memories.client.bank import Service
from memories.wire import errors
from memories.wire.names import BankName
from memories.wire.resources import Memory

NAME = BankName("p", "us-central1", "1")


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers with the caller as the fact."""
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"fact": environ["memories.principal"], "displayName": environ["PATH_INFO"]}).encode()]


def broken(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("503 Service Unavailable", [("Retry-After", "1")])
    return [b'{"error":{"code":503,"message":"asleep","status":"UNAVAILABLE"}}']


def test_the_principal_goes_along() -> None:
    memory = Service.in_process(echo, principal="ann").bank(NAME).get_memory("m1")
    assert memory.fact == "ann"
    assert memory.display_name == f"/v1beta1/{NAME}/memories/m1"


def test_threads_that_share_the_client_keep_their_callers_apart() -> None:
    def ask(number: int) -> bool:
        bank = Service.in_process(echo, principal=f"person {number}").bank(NAME)
        return all(bank.get_memory("m1").fact == f"person {number}" for _ in range(20))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(40)))


def test_no_header_can_set_it() -> None:
    seen: dict[str, Any] = {}

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        seen.update(environ)
        return echo(environ, start_response)

    wire = Service.in_process(app, principal="ann").wire
    headers = {"memories.principal": "bob", "memories-principal": "bob"}
    assert wire.call("GET", "/v1beta1/x", Memory, headers=headers).fact == "ann"
    assert seen["memories.principal"] == "ann"


def test_nothing_is_waited_for_or_repeated() -> None:
    with pytest.raises(errors.Unavailable, match="asleep") as caught:
        Service.in_process(broken, principal="ann").bank(NAME).get_memory("m1")
    assert caught.value.retry_after == 1


def test_the_admin_api_is_offered_unless_the_server_is_strict() -> None:
    assert Service.in_process(echo, principal="ann").bank(NAME).offers("batch_create")
    assert not Service.in_process(echo, principal="ann", admin=False).bank(NAME).offers("batch_create")
