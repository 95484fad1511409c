"""`manage.py serve`: everything that a start needs, then the web server, until it is told to stop."""

import errno
import hashlib
import http.client
import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import connections
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server

from memories.access.demo import demo_people

READY_WITHIN = 30.0
STOP_WITHIN = 10
SWEEP_EVERY = 60  # seconds


class Command(BaseCommand):
    help = "Prepare DATA_DIR and serve the console and the Memory Bank API at HOST and PORT."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        os.umask(0o077)  # whatever it keeps is for its user alone
        writable(settings.DATA_DIR)
        port = free_port(settings.HOST, settings.PORT)
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {' '.join(str(error).split())}") from None
        collect_static()
        lines = [f"url: {url(settings.HOST, port)}", *demo()]
        connections.close_all()  # a worker must not inherit an open connection

        server = Server(
            "console.wsgi:application",
            address=settings.HOST,
            port=port,
            interface=Interfaces.WSGI,
            workers=min(4, os.cpu_count() or 1),
            # More threads in a process lose throughput: a page is nearly all Python.
            blocking_threads=2,
            websockets=False,
            log_level=LogLevels.warning,
            workers_kill_timeout=STOP_WITHIN,
        )

        def announce() -> None:
            deadline = time.monotonic() + READY_WITHIN
            # Forking goes on until every worker is there; nothing else may run meanwhile.
            while len(server.wrks) < server.workers or not answers(settings.HOST, port):
                if time.monotonic() > deadline:
                    return
                time.sleep(0.02)
            for line in lines:
                self.stdout.write(line)
            self.stdout.flush()

        server.on_startup(threading.Thread(target=announce, daemon=True).start)
        with sweeping():
            server.serve()


@contextmanager
def sweeping() -> Iterator[None]:
    """Beside the workers, a process that really deletes what has expired; it ends with this one, however that ends."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "sweep", "--every", str(SWEEP_EVERY)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    try:
        yield
    finally:
        process.terminate()
        process.wait(STOP_WITHIN)


def writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CommandError(f"DATA_DIR {folder} cannot be written: {error.strerror}.") from None


def free_port(host: str, port: int) -> int:
    """The port, or for 0 one that nobody uses."""
    if not 0 <= port <= 65535:
        raise CommandError(f"PORT must be between 0 and 65535; it is {port}.")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # Without SO_REUSEPORT, with which the server binds: that would share the port of another server.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except OSError as error:
        used = error.errno == errno.EADDRINUSE
        reason = "is in use; stop what uses it or set PORT" if used else f"cannot be used: {error.strerror}"
        raise CommandError(f"Port {port} of {host} {reason}.") from None


def reachable(host: str) -> str:
    """The host as this machine reaches it."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104


def url(host: str, port: int) -> str:
    host = reachable(host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def answers(host: str, port: int) -> bool:
    """Whether a worker answers there; any HTTP status will do."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def collect_static() -> None:
    """Hashed and compressed copies in STATIC_ROOT, made anew only when a source file changed."""
    state = hashlib.sha256()
    for folder in settings.STATICFILES_DIRS:
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            state.update(f"{file.relative_to(folder)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    mark = Path(settings.STATIC_ROOT) / ".made-from"
    if not mark.exists() or mark.read_text() != state.hexdigest():
        call_command("collectstatic", verbosity=0, interactive=False)
        mark.write_text(state.hexdigest())


def demo() -> list[str]:
    """What to print of the demo, which the first start on an empty database makes."""
    if not settings.DEMO:
        return []
    if not User.objects.exists():
        call_command("seed", stdout=io.StringIO())
    try:
        return demo_people(settings.DATA_DIR).lines()
    except ValueError as error:
        raise CommandError(str(error)) from None
