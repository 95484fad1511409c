"""What the sweeper takes away, and the sweeper as a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.server import clock, operations, records, search, sweeper
from memories.server.models import Bank, Memory, Operation, Pair, Revision, Scope, Tombstone, Vector
from tests.unit.retrieval.conftest import SCOPE, Put

ROOT = Path(__file__).parents[3]

STARTED_BY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "manage.py", "sweep", "--every", "0.2"])
print(child.pid, flush=True)
time.sleep(float(sys.argv[1]))
"""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes as Linux shows them")
def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    environment = os.environ | {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "console.settings"}
    environment["DATABASE_URL"] = f"sqlite:///{tmp_path}/memories.sqlite3"
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True, timeout=60)
    command = [sys.executable, "-c", STARTED_BY, "2.5"]
    parent = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(1)
    assert alive(child)
    assert parent.wait(20) == 0
    parent.stdout.close()
    until = time.monotonic() + 15
    while alive(child) and time.monotonic() < until:
        time.sleep(0.1)
    assert not alive(child)


def test_a_time_that_is_none() -> None:
    with pytest.raises(CommandError):
        call_command("sweep", "--every", "0")


def test_what_expired_goes_as_a_deleted_memory_does_and_then_for_good(bank: Bank, put: Put) -> None:
    put(["stays"])
    now, hour = clock.now(), 3_600_000_000
    recent, old = put(["expired an hour ago", "expired three days ago"])
    search.nearest(bank, SCOPE, search.wanted("", (), ()), query="x", top=3)
    Memory.objects.filter(pk=recent.pk).update(expire_time=now - hour)
    Memory.objects.filter(pk=old.pk).update(expire_time=now - 72 * hour, update_time=now - 73 * hour)
    found = sweeper.sweep()
    assert (found["expired memories"], found["deleted memories"]) == (2, 1)
    assert list(Memory.objects.values_list("fact", flat=True)) == ["stays"]
    assert list(Tombstone.objects.values_list("memory_id", flat=True)) == [recent.memory_id]
    facts = Revision.objects.filter(memory_id=recent.memory_id).order_by("pk").values_list("fact", flat=True)
    assert list(facts) == ["expired an hour ago", ""]
    assert not Revision.objects.filter(memory_id=old.memory_id).exists()
    kept = set(Memory.objects.values_list("pk", flat=True))
    for model in (Vector, Pair):
        assert set(model.objects.values_list("memory_id", flat=True)) == kept
    assert Scope.objects.get().count == 1
    Tombstone.objects.update(delete_time=now - 49 * hour)
    assert sweeper.sweep()["deleted memories"] == 1
    assert not Revision.objects.filter(memory_id=recent.memory_id).exists()
    assert sum(sweeper.sweep().values()) == 0


def test_revisions_and_operations_go_when_their_time_is_over(bank: Bank, put: Put) -> None:
    row = put(["stays"])[0]
    Revision.objects.update(expire_time=1)
    operations.done(records.bank_name(bank), "PurgeMemories", {"purgeCount": 0})
    Operation.objects.update(create_time=clock.now() - 8 * 24 * 3_600_000_000)
    found = sweeper.sweep()
    assert (found["expired revisions"], found["old operations"]) == (1, 1)
    assert Memory.objects.get().pk == row.pk
