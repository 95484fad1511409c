"""The sweeper as a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

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
