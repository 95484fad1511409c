#!/usr/bin/env python3
"""Mixed reads and writes over HTTP from many clients: no error, no lost write, no stale read after one's own write.

    .venv/bin/python benchmarks/load.py [--seconds 60] [--clients 32]

starts a server of its own in a temporary folder. Each client has a scope of its own and one that all share; after each
write it reads what it wrote by get, list, plain retrieval and similarity search.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
SHARED = {"team": "all"}


@dataclass
class Outcome:
    done: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0


class Client(threading.Thread):
    """Writes and reads until the time is over, and knows what must be there."""

    def __init__(self, number: int, bank: str, http: httpx.Client, until: float) -> None:
        super().__init__(name=f"client {number}")
        self.scope = {"user_id": f"u-{number}"}
        self.bank, self.http, self.until = bank, http, until
        self.random = random.Random(number)
        self.facts: dict[str, str] = {}
        self.shared: set[str] = set()
        self.count = 0
        self.outcome = Outcome()

    def call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        began = time.monotonic()
        answer = self.http.request(method, f"/v1beta1/{path}", **options)
        self.outcome.slowest = max(self.outcome.slowest, time.monotonic() - began)
        if answer.status_code != 200:
            raise AssertionError(f"{method} {path.rpartition('/')[2]}: HTTP {answer.status_code} {answer.text[:200]}")
        found: dict[str, Any] = answer.json()
        return found

    def run(self) -> None:
        steps = [self.create, self.create, self.update, self.delete, self.read, self.read, self.search]
        while time.monotonic() < self.until:
            step = self.random.choice(steps)
            try:
                step()
                self.outcome.done[step.__name__] += 1
            except (AssertionError, httpx.HTTPError) as error:
                self.outcome.faults.append(f"{self.name}, {step.__name__}: {type(error).__name__} {error}")

    def fact(self) -> str:
        self.count += 1
        return f"{self.name} remembers number {self.count}"

    def create(self) -> None:
        fact, scope = self.fact(), self.random.choice([self.scope, self.scope, SHARED])
        made = self.call("POST", f"{self.bank}/memories", json={"fact": fact, "scope": scope})["response"]
        if scope is SHARED:
            self.shared.add(made["name"])
        else:
            self.facts[made["name"]] = fact
        self.check(made["name"], fact)

    def update(self) -> None:
        if self.facts:
            name, fact = self.random.choice(list(self.facts)), self.fact()
            self.call("PATCH", name, params={"updateMask": "fact"}, json={"fact": fact})
            self.facts[name] = fact
            self.check(name, fact)

    def delete(self) -> None:
        if self.facts:
            name = self.random.choice(list(self.facts))
            self.call("DELETE", name)
            del self.facts[name]
            gone = self.http.get(f"/v1beta1/{name}")
            assert gone.status_code == 404, f"a deleted memory answers HTTP {gone.status_code}"
            self.read()

    def check(self, name: str, fact: str) -> None:
        found = self.call("GET", name)["fact"]
        assert found == fact, f"read {found!r} after writing {fact!r}"

    def read(self) -> None:
        """Everything of the scope, by list and by retrieval."""
        listed: dict[str, str] = {}
        token = ""
        while True:
            filter = f'scope.user_id="{self.scope["user_id"]}"'
            page = self.call("GET", f"{self.bank}/memories", params={"filter": filter, "pageToken": token})
            listed |= {one["name"]: one["fact"] for one in page["memories"]}
            token = page.get("nextPageToken", "")
            if not token:
                break
        assert listed == self.facts, f"listed {len(listed)} where {len(self.facts)} were written"
        found = self.call("POST", f"{self.bank}/memories:retrieve", json={"scope": self.scope})["retrievedMemories"]
        assert len(found) == min(len(self.facts), 100), f"retrieved {len(found)} of {len(self.facts)}"
        assert all(self.facts[one["memory"]["name"]] == one["memory"]["fact"] for one in found), "an old fact"

    def search(self) -> None:
        if self.facts:
            name, fact = self.random.choice(list(self.facts.items()))
            asked = {"scope": self.scope, "similaritySearchParams": {"searchQuery": fact, "topK": 100}}
            found = self.call("POST", f"{self.bank}/memories:retrieve", json=asked)["retrievedMemories"]
            names = {one["memory"]["name"]: one["memory"]["fact"] for one in found}
            assert len(names) == min(len(self.facts), 100), f"found {len(names)} of {len(self.facts)}"
            assert len(self.facts) > 100 or names[name] == fact, "an old fact"


def run(url: str, token: str, *, project: str, location: str, seconds: float, clients: int = 32) -> Outcome:
    """What was done, and every fault. The bank that it makes is deleted at the end."""
    headers = {"Authorization": f"Bearer {token}"}
    limits = httpx.Limits(max_connections=clients + 1)
    with httpx.Client(base_url=url, headers=headers, timeout=60, limits=limits, trust_env=False) as http:
        place = f"/v1beta1/projects/{project}/locations/{location}/reasoningEngines"
        bank = http.post(place, json={"displayName": "load"}).json()["response"]["name"]
        threads = [Client(n, bank, http, time.monotonic() + seconds) for n in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total = Outcome()
        for thread in threads:
            total.done += thread.outcome.done
            total.faults += thread.outcome.faults
            total.slowest = max(total.slowest, thread.outcome.slowest)
        wanted = {name for thread in threads for name in (*thread.facts, *thread.shared)}
        found, page = set(), ""
        while True:
            answer = http.get(f"/v1beta1/{bank}/memories", params={"pageSize": 1000, "pageToken": page}).json()
            found |= {one["name"] for one in answer["memories"]}
            page = answer.get("nextPageToken", "")
            if not page:
                break
        if found != wanted:
            total.faults.append(f"{len(wanted - found)} writes were lost, {len(found - wanted)} came back")
        http.request("DELETE", f"/v1beta1/{bank}", params={"force": "true"})
    return total


@contextmanager
def served() -> Iterator[tuple[str, str]]:
    """A server in a temporary folder: its address and a token."""
    with tempfile.TemporaryDirectory(prefix="memory-bank-load-") as folder:
        environment = os.environ | {"DATA_DIR": folder, "PORT": "0", "HOST": "127.0.0.1", "DEMO": "1"}
        command = [sys.executable, "manage.py", "serve"]
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            said: dict[str, str] = {}
            for line in process.stdout or ():
                key, _, value = line.partition(": ")
                said[key] = value.strip()
                if {"url", "token"} <= said.keys():
                    break
            yield said["url"], said["token"]
        finally:
            process.terminate()
            process.wait(20)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=32)
    options = parser.parse_args()
    with served() as (url, token):
        found = run(
            url,
            token,
            project="local-project",
            location="us-central1",
            seconds=options.seconds,
            clients=options.clients,
        )
    print(", ".join(f"{name} {count}" for name, count in found.done.most_common()))
    print(f"{found.done.total() / options.seconds:.0f} steps a second, the slowest call {found.slowest:.2f} s")
    print(f"{len(found.faults)} faults", *found.faults[:20], sep="\n")
    return bool(found.faults)


if __name__ == "__main__":
    sys.exit(main())
