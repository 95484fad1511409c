"""`manage.py serve` as a process: what it prints, what it keeps, how it stops, and how it fails."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("HOST", "PORT", "DATA_DIR", "HTTPS", "DEMO", "DATABASE_URL", "SECRET_KEY", "AUDIT_KEY", "ALLOWED_HOSTS")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """That of a stranger's machine: no home, nothing of ours set but what is given."""
    kept = {key: value for key, value in os.environ.items() if key not in OURS}
    return (
        kept | {"HOME": "", "DATA_DIR": str(folder), "PORT": "0", "DJANGO_SETTINGS_MODULE": "console.settings"} | more
    )


@contextmanager
def serving(folder: Path, *, cwd: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A started server and the lines it printed, from the `url:` on; killed afterwards if it still runs."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "serve"],
        env=environment(folder, **more),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that its workers can be killed with it
    )
    try:
        assert process.stdout
        lines = []
        count = 5 if more.get("DEMO") != "0" else 1
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if len(lines) == count:
                break
        if len(lines) < count:
            _, errors = process.communicate(timeout=10)
            pytest.fail(f"it stopped ({process.returncode}): {errors}")
        yield process, lines
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def stop(process: subprocess.Popen[str], how: signal.Signals) -> str:
    process.send_signal(how)
    _, errors = process.communicate(timeout=15)
    assert process.returncode == 0, errors
    return errors


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {key.lower(): value for key, value in answer.getheaders()}, body


def failure(folder: Path, **more: str) -> str:
    """The one line with which a start is refused."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "serve"],
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_the_first_and_the_second_start(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "new" / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with serving(data, cwd=elsewhere) as (process, first):
        url, token, *people = first
        assert re.fullmatch(r"url: http://127\.0\.0\.1:\d+", url)
        assert re.fullmatch(r"token: mbc_[\w-]{40,}", token)
        assert [re.sub(r"/ \S+ ", "/ … ", line) for line in people] == [
            "sign in: support / … (roles/aiplatform.memoryUser)",
            "sign in: viewer / … (roles/aiplatform.memoryViewer)",
            "sign in: admin / … (roles/console.admin)",
        ]
        address = url.removeprefix("url: ")
        status, headers, page = get(address, "/sign-in")
        assert status == 200
        assert "default-src 'none'" in headers["content-security-policy"]
        style = re.search(rb'href="(/static/console\.[0-9a-f]+\.css)"', page)
        assert style, "styles have hashed names"
        status, headers, _ = get(address, style[1].decode(), **{"Accept-Encoding": "gzip"})
        assert (status, headers["content-encoding"]) == (200, "gzip")
        assert "immutable" in headers["cache-control"]
        place = "/v1beta1/projects/local-project/locations/us-central1/reasoningEngines"
        bearer = {"Authorization": token.replace("token:", "Bearer")}
        status, _, body = get(address, place, **bearer)
        assert status == 200
        banks = len(json.loads(body)["reasoningEngines"])
        assert banks >= 1
        assert get(address, place)[0] == 401
        assert get(address, "/healthz")[0] == 200
        assert "Traceback" not in stop(process, signal.SIGTERM)

    for name in ("demo.json", "secret_key", "audit_key", "memories.sqlite3"):
        assert stat.S_IMODE((data / name).stat().st_mode) == 0o600, name

    began = time.monotonic()
    with serving(data, cwd=elsewhere) as (process, second):
        assert time.monotonic() - began < 5
        assert second[1:] == first[1:]
        _, _, body = get(second[0].removeprefix("url: "), place, **bearer)
        assert len(json.loads(body)["reasoningEngines"]) == banks
        assert stop(process, signal.SIGINT) == ""


def test_without_a_demo_nobody_is_made(tmp_path: Path) -> None:
    with serving(tmp_path, cwd=tmp_path, DEMO="0") as (process, lines):
        assert [line.partition(":")[0] for line in lines] == ["url"]
        stop(process, signal.SIGTERM)
    assert not (tmp_path / "demo.json").exists()


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = failure(tmp_path, PORT=str(port))
    assert said == f"CommandError: Port {port} of 127.0.0.1 is in use; stop what uses it or set PORT.\n"


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"PORT": "eighty"}, "PORT must be a whole number; it is 'eighty'."),
        ({"PORT": "70000"}, "PORT must be between 0 and 65535; it is 70000."),
        ({"HOST": "no such host"}, "Port 0 of no such host cannot be used:"),
        ({"HOST": "203.0.113.1"}, "Port 0 of 203.0.113.1 cannot be used:"),
        ({"DATABASE_URL": "postgres://127.0.0.1:1/none"}, "The database cannot be used:"),
    ],
)
def test_a_wrong_setting_is_one_line(tmp_path: Path, setting: dict[str, str], says: str) -> None:
    assert says in failure(tmp_path, **setting)


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, made: bool) -> None:
    file = tmp_path / "file"
    file.write_text("")
    keys = {"SECRET_KEY": "x" * 50, "AUDIT_KEY": "y"} if made else {}
    said = failure(file / "data", **keys)
    assert said.startswith(f"DATA_DIR {file / 'data'} cannot be used: ") or "cannot be written" in said


def test_a_damaged_list_of_demo_people_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_text("{")
    assert "is damaged; delete it" in failure(tmp_path)


def test_an_old_python_is_one_line(tmp_path: Path) -> None:
    old = next((path for name in ("3.11", "3.10", "3.9") if (path := shutil.which(f"python{name}"))), None)
    old = old or "/usr/bin/python3"
    version = subprocess.run([old, "-V"], capture_output=True, text=True, check=False).stdout
    if not re.match(r"Python 3\.(?:[0-9]|1[01])\.", version):
        pytest.skip("no old Python here to try it with")
    done = subprocess.run(
        [old, str(ROOT / "manage.py"), "serve"], env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == f"Python 3.12 or newer is needed; this is {version.split()[1]}.\n"


def test_scripts_say_in_one_line_that_python_is_missing(tmp_path: Path) -> None:
    for name in ("script", "requirements.txt"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name)
        else:
            shutil.copy(source, tmp_path / name)
    for tool in ("dirname", "cat", "cmp", "rm"):
        found = shutil.which(tool)
        assert found
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / tool).symlink_to(found)
    done = subprocess.run(
        ["/bin/sh", str(tmp_path / "script/server")],
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Python 3.12 or newer is needed and was not found;")
    assert done.stderr.count("\n") == 1
