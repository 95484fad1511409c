"""A bank, and memories put into it without asking anybody."""

from collections.abc import Callable

import pytest

from memories.server import store
from memories.server.models import Bank, Memory
from memories.wire import resources
from memories.wire.times import Timestamp

START = 1_767_225_600_000_000  # 2026-01-01

type Put = Callable[..., list[Memory]]


def bank_named(name: str) -> Bank:
    return Bank.objects.create(id=name, project="p", location="us-central1", create_time=START, update_time=START)


@pytest.fixture
def bank(db: None) -> Bank:
    return bank_named("1")


@pytest.fixture
def put(bank: Bank) -> Put:
    """Memories with those facts, one each second, all of one scope unless `scope` says otherwise."""

    def put(facts: list[str], *, at: int = START, step: int = 1_000_000, **fields: object) -> list[Memory]:
        scope = fields.pop("scope", {"user_id": "u"})
        new = [
            resources.Memory.receive(
                {"fact": fact, "scope": scope, "createTime": Timestamp.of_micros(at + n * step), **fields}
            )
            for n, fact in enumerate(facts)
        ]
        return [row for row, _revision in store.insert(bank, [("", memory) for memory in new], timed=True)]

    return put
