"""The server as the contract tests see it: in this process, or in a process of its own over HTTP."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.module_loading import import_string

from memories.access import checks, tokens
from memories.access.models import Binding, Entry, Token
from memories.client.bank import Service
from memories.wire.resources import Memory

ROOT = Path(__file__).parents[2]
PROJECT, LOCATION = "contract", "us-central1"
PARENT = f"projects/{PROJECT}/locations/{LOCATION}"
ROLES = {
    "admin": "roles/console.admin",
    "user": "roles/aiplatform.memoryUser",
    "viewer": "roles/aiplatform.memoryViewer",
    "owner": "roles/aiplatform.user",
    "nobody": "",
    "emea": "roles/aiplatform.memoryUser",
    "revoked": "roles/console.admin",
    "expired": "roles/console.admin",
    "inactive": "roles/console.admin",
}
"""Who calls. Three hold a token that must not work; `emea` may touch only what is of that tenant."""
PAIRS = {"emea": [["tenant", "emea"]]}

START_WITHIN = 60.0


def make_people() -> dict[str, str]:
    """One person for each of ROLES, with a token; the secrets by name."""
    secrets = {}
    for name, role in ROLES.items():
        user = User.objects.create_user(name)
        if role:
            Binding.objects.create(role=role, user=user, pairs=PAIRS.get(name, []))
        token, secrets[name] = tokens.create(user, name="contract")
        if name == "revoked":
            tokens.revoke(token)
        if name == "expired":
            Token.objects.filter(pk=token.pk).update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
        if name == "inactive":
            User.objects.filter(pk=user.pk).update(is_active=False)
    return secrets


class World:
    """One of the two: the client as any person, raw HTTP as any token, and the audit trail."""

    secrets: dict[str, str]
    live: bool

    def service(self, person: str = "admin") -> Service:
        raise NotImplementedError

    def http(self) -> httpx.Client:
        """Without credentials."""
        raise NotImplementedError

    def trail(self, resource: str) -> list[dict[str, Any]]:
        """The rows about a resource, oldest first."""
        raise NotImplementedError

    def call(
        self, method: str, path: str, *, person: str = "admin", body: Any = None, **options: Any
    ) -> httpx.Response:
        """Raw HTTP with a person's token; `body` is sent as JSON."""
        headers = {"Authorization": f"Bearer {self.secrets[person]}"} if person else {}
        if body is not None:
            options["json"] = body
        headers |= options.pop("headers", {})
        return self.http().request(method, path, headers=headers, **options)


@dataclass
class Local(World):
    secrets: dict[str, str]
    live: bool = False

    def __post_init__(self) -> None:
        self.app = import_string(settings.MEMORY_BANK_SERVER)
        self.client = httpx.Client(transport=httpx.WSGITransport(self.app), base_url="http://in-process")

    def service(self, person: str = "admin") -> Service:
        principal = checks.principal(User.objects.get(username=person))
        return Service.in_process(self.app, principal=principal, project=PROJECT, location=LOCATION)

    def http(self) -> httpx.Client:
        return self.client

    def trail(self, resource: str) -> list[dict[str, Any]]:
        return [dict(row) for row in Entry.objects.filter(resource=resource).order_by("id").values()]


@dataclass
class Live(World):
    url: str
    secrets: dict[str, str]
    query: Callable[[str, str], list[dict[str, Any]]]
    live: bool = True
    client: httpx.Client = field(init=False)
    services: dict[str, Service] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=30, trust_env=False)

    def service(self, person: str = "admin") -> Service:
        if person not in self.services:
            token = self.secrets[person]
            self.services[person] = Service.at(self.url, token=token, project=PROJECT, location=LOCATION, admin=True)
        return self.services[person]

    def close(self) -> None:
        self.client.close()
        for service in self.services.values():
            service.close()

    def http(self) -> httpx.Client:
        return self.client

    def trail(self, resource: str) -> list[dict[str, Any]]:
        return self.query("SELECT * FROM access_entry WHERE resource = ? ORDER BY id", resource)


PREPARE = """
import json, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.contract.world import make_people
print(json.dumps(make_people()))
"""


@contextmanager
def running(environment: dict[str, str]) -> Iterator[str]:
    """`manage.py serve` in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        while line and not line.startswith("url: "):
            line = process.stdout.readline()
        assert line, f"the server ended with status {process.wait(5)}"
        yield line.removeprefix("url: ").strip()
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        if process.stdout is not None:
            process.stdout.close()


def rows(database: str) -> Callable[[str, str], list[dict[str, Any]]]:
    """Reads the live server's own database, beside it."""
    if not database.startswith("sqlite"):
        import psycopg
        from psycopg.rows import dict_row

        def read_postgres(sql: str, value: str) -> list[dict[str, Any]]:
            with psycopg.connect(database, row_factory=dict_row) as connection:
                return connection.execute(sql.replace("?", "%s").encode(), [value]).fetchall()

        return read_postgres

    import sqlite3

    def read_sqlite(sql: str, value: str) -> list[dict[str, Any]]:
        connection = sqlite3.connect(database.removeprefix("sqlite:///"))
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, [value])]
        finally:
            connection.close()

    return read_sqlite


SCOPE = {"user_id": "u-0001"}


def id_of(memory: Memory) -> str:
    return (memory.name or "").rpartition("/")[2]


def error_of(response: httpx.Response) -> dict[str, Any]:
    """The error of an answer, which must be Google's envelope and nothing else."""
    body = response.json()
    assert set(body) == {"error"}, body
    error: dict[str, Any] = body["error"]
    assert error["code"] == response.status_code
    assert error["message"]
    assert response.headers["Content-Type"].startswith("application/json")
    return error


def fails(response: httpx.Response, status: int, canonical: str) -> dict[str, Any]:
    assert response.status_code == status, response.text[:500]
    error = error_of(response)
    assert error["status"] == canonical
    return error


def done(response: httpx.Response) -> dict[str, Any]:
    """The body of a success: always 200, always a JSON object."""
    assert response.status_code == 200, response.text[:500]
    body: dict[str, Any] = response.json()
    assert isinstance(body, dict)
    return body
