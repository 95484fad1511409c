"""Ten seconds of mixed reads and writes from 32 clients; benchmarks/load.py does it for as long as one likes."""

import pytest

from benchmarks import load
from tests.contract.world import LOCATION, PROJECT, Live

pytestmark = pytest.mark.contract


def test_no_error_no_lost_write_and_no_stale_read(server: Live) -> None:
    found = load.run(server.url, server.secrets["admin"], project=PROJECT, location=LOCATION, seconds=10)
    assert found.faults == []
    assert set(found.done) == {"create", "update", "delete", "read", "search"}
