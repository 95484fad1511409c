"""A live server of its own for the browser, and what the tests put into it through the API."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memories.client.bank import Bank, Service
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine

ROOT = Path(__file__).parents[2]
READY_WITHIN = 60.0
_OURS = ("HOST", "HTTPS", "DATABASE_URL", "SECRET_KEY", "AUDIT_KEY", "ALLOWED_HOSTS", "PYTEST_CURRENT_TEST")
_SIGN_IN = re.compile(r"sign in: (\S+) / (\S+) \((.*)\)")


@dataclass(frozen=True)
class Site:
    url: str
    service: Service
    """As administrator, over HTTP."""
    passwords: dict[str, str]
    """By name: the demo people."""

    def bank(self, title: str, **fields: Any) -> "Shelf":
        """A new bank."""
        made = self.service.create_bank(ReasoningEngine.model_validate({"displayName": title} | fields))
        return Shelf(self.url, self.service.bank(BankName.parse(made.name or "")))


@dataclass(frozen=True)
class Shelf:
    """A bank and the addresses of its pages."""

    site: str
    bank: Bank

    @property
    def url(self) -> str:
        return f"{self.site}/banks/{self.bank.name.location}/{self.bank.name.id}/memories"

    def add(self, *facts: str, scope: dict[str, str] | None = None, **fields: Any) -> str:
        """A memory with these facts, one after the other; its id."""
        body = Memory.model_validate({"fact": facts[0], "scope": scope or {"user_id": "u-1"}} | fields)
        made = (self.bank.create_memory(body).name or "").rpartition("/")[2]
        for fact in facts[1:]:
            self.bank.update_memory(made, Memory(fact=fact), mask=["fact"])
        return made

    def page(self, memory: str) -> str:
        return f"{self.url}/{memory}"


def environment(folder: str, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in _OURS}
    return kept | {"DATA_DIR": folder, "PORT": "0", "DEMO": "1", "DJANGO_SETTINGS_MODULE": "console.settings"} | more


@contextmanager
def serving(folder: str, **more: str) -> Iterator[Site]:
    """`manage.py serve` in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment(folder, **more),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url, token, passwords = "", "", {}
        for line in process.stdout:
            if line.startswith("url: "):
                url = line.removeprefix("url: ").strip()
            if line.startswith("token: "):
                token = line.removeprefix("token: ").strip()
            found = _SIGN_IN.match(line)
            if found:
                passwords[found[1]] = found[2]
            if len(passwords) == 3:
                break
        assert url, f"the server ended with status {process.wait(5)}"
        service = Service.at(url, token=token, admin=True)
        yield Site(url, service, passwords)
        service.wire.http.close()
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)
        if process.stdout is not None:
            process.stdout.close()
