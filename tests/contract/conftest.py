"""The same server twice: in this process, and in a process of its own over HTTP. Each case makes its own bank."""

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator

import pytest

from memories.client.bank import Bank
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import PREPARE, ROOT, SCOPE, START_WITHIN, Live, Local, World, make_people, rows, running


@pytest.fixture(scope="session")
def environment() -> Iterator[dict[str, str]]:
    """What a live server needs, with a DATA_DIR of its own and the database that DATABASE_URL names, if any."""
    with tempfile.TemporaryDirectory(prefix="memory-bank-live-") as folder:
        given = {key: value for key, value in os.environ.items() if key not in ("PYTEST_CURRENT_TEST", "HOST")}
        yield given | {
            "DATA_DIR": folder,
            "PORT": "0",
            "DEMO": "0",
            "DJANGO_SETTINGS_MODULE": "console.settings",
            "DATABASE_URL": os.environ.get("DATABASE_URL") or f"sqlite:///{folder}/memories.sqlite3",
            "NO_PROXY": "127.0.0.1,localhost",
        }


@pytest.fixture(scope="session")
def server(environment: dict[str, str]) -> Iterator[Live]:
    """The live server, one for the whole run."""
    prepared = subprocess.run(
        [sys.executable, "-c", PREPARE], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=START_WITHIN
    )
    assert prepared.returncode == 0, prepared.stderr
    secrets = json.loads(prepared.stdout.splitlines()[-1])
    os.environ.setdefault("NO_PROXY", "127.0.0.1,localhost")  # for this process's own clients
    with running(environment) as url:
        live = Live(url, secrets, rows(environment["DATABASE_URL"]))
        yield live
        live.close()


@pytest.fixture(params=["in process", "over HTTP"])
def world(request: pytest.FixtureRequest, db: None) -> World:
    if request.param == "over HTTP":
        found: World = request.getfixturevalue("server")
        return found
    return Local(make_people())


@pytest.fixture
def bank(world: World) -> Bank:
    """An empty bank of the test's own, as admin."""
    service = world.service()
    made = service.create_bank(ReasoningEngine(display_name=f"case {uuid.uuid4()}"))
    return service.bank(BankName.parse(made.name or ""))


@pytest.fixture
def memory(bank: Bank) -> Memory:
    """One memory of that bank."""
    return bank.create_memory(Memory(fact="I live in Rome.", scope=SCOPE))
