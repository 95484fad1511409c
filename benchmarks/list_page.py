#!/usr/bin/env python3
"""The server time of the list page: one process, Django's test client, the whole middleware, a signed-in person.

.venv/bin/python benchmarks/list_page.py [--memories 100000] [--rounds 200] [--data-dir FOLDER]
"""

import argparse
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
ABSENT = "nobody-has-this"
ROWS = 50


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the server time of the list page.")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=200, help="requests of each kind")
    parser.add_argument("--data-dir", type=Path, help="keep the bank here, and use it again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memory-bank-benchmark-") as folder:
        os.environ |= {
            "DATA_DIR": str(options.data_dir or folder),
            "DJANGO_SETTINGS_MODULE": "console.settings",
            "HOST": "127.0.0.1",
        }
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        run(options.memories, options.rounds)


def run(memories: int, rounds: int) -> None:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.urls import reverse
    from django.utils.module_loading import import_string

    from console.management.commands.serve import collect_static
    from memories.access import checks
    from memories.access.models import Binding
    from memories.client.bank import Service
    from memories.wire.names import BankName

    call_command("migrate", verbosity=0)
    collect_static()
    user, created = User.objects.get_or_create(username="benchmark")
    if created:
        Binding.objects.create(user=user, role="roles/console.admin")
    server = import_string(settings.MEMORY_BANK_SERVER)
    service = Service.in_process(
        server,
        principal=checks.principal(user),
        project=settings.MEMORY_BANK_PROJECT,
        location=settings.MEMORY_BANK_LOCATION,
    )
    if not service.list_banks().reasoning_engines:
        began = time.perf_counter()
        call_command("seed", memories=memories)
        print(f"made {memories:,} memories in {time.perf_counter() - began:.1f} s")
    banks = [BankName.parse(engine.name or "") for engine in service.list_banks().reasoning_engines]
    name = max(banks, key=lambda bank: service.bank(bank).list_memories(page_size=1).total_size or 0)
    bank = service.bank(name)
    common, rare = scope_values(name.id)
    newest = bank.list_memories(order_by="create_time desc", page_size=ROWS)
    word = max((newest.memories[0].fact or "").split(), key=len).strip(".,;:!?")

    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    path = reverse("memories", args=[name.location, name.id])
    pages = {
        "first page": {},
        "last page": {"page": newest.last_page_token or ""},
        f"scope, common ({common[2]:,})": {"q": f'scope.{common[0]}:"{common[1]}"'},
        f"scope, rare ({rare[2]:,})": {"q": f'scope.{rare[0]}:"{rare[1]}"'},
        "scope, absent": {"q": f'scope.{rare[0]}:"{ABSENT}"'},
        f"text, {word!r}": {"q": f"fact:{word}"},
        "text, absent": {"q": f"fact:{ABSENT}"},
    }

    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}")
    database = f"SQLite {sqlite3.sqlite_version}" if connection.vendor == "sqlite" else connection.vendor
    print(f"Python {platform.python_version()}, Django {version('django')}, {database}, {rounds} requests of each kind")
    addresses = {title: f"{path}?{urlencode(query)}" if query else path for title, query in pages.items()}
    rows: dict[str, int] = {}
    for title, address in addresses.items():
        answer = client.get(address)
        assert answer.status_code == 200, (title, answer.status_code)
        rows[title] = max(answer.content.count(b"<tr") - 1, 0)
    times: dict[str, list[float]] = {title: [] for title in addresses}
    for _ in range(rounds):  # in turn, so that whatever else the machine does weighs on all alike
        for title, address in addresses.items():
            began = time.perf_counter()
            client.get(address)
            times[title].append((time.perf_counter() - began) * 1000)

    print(f"\n{'page':<32}{'rows':>6}{'median ms':>11}{'p95 ms':>9}{'ratio':>8}")
    first = statistics.median(times["first page"])
    for title, found in times.items():
        median, p95 = statistics.median(found), sorted(found)[int(len(found) * 0.95)]
        print(f"{title:<32}{rows[title]:>6}{median:>11.1f}{p95:>9.1f}{median / first:>8.2f}")


def scope_values(bank: str) -> tuple[tuple[str, str, int], tuple[str, str, int]]:
    """(key, value, memories) of the commonest scope value, and of the rarest that still fills a page."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key, value, COUNT(*) FROM server_pair"
            " WHERE bank_id = %s AND key LIKE 'scope.%%' GROUP BY key, value",
            [bank],
        )
        found = [(key.removeprefix("scope."), value, count) for key, value, count in cursor.fetchall()]
    full = [row for row in found if row[2] >= ROWS] or found
    return max(found, key=lambda row: row[2]), min(full, key=lambda row: row[2])


if __name__ == "__main__":
    main()
