"""The time and the ids of the server."""

import secrets
import threading
import time

_STRIDE = 1 << 22
_SINCE = 1_577_836_800_000  # 2020-01-01, milliseconds


def now() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


_lock = threading.Lock()
_given: dict[int, set[int]] = {}  # by millisecond, the latest alone


def new_id() -> str:
    """A decimal id of up to 19 digits, later ones larger to the millisecond, not to be guessed from another."""
    with _lock:
        moment = time.time_ns() // 1_000_000 - _SINCE
        if moment not in _given:
            _given.clear()
        # A batch takes hundreds within one millisecond, of which some would be the same.
        taken = _given.setdefault(moment, set())
        while (chance := secrets.randbelow(_STRIDE)) in taken:
            pass
        taken.add(chance)
    return str(moment * _STRIDE + chance)
