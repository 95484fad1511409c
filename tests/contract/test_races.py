"""Many callers at once, against the live server: nothing is lost, doubled, or answered with a fault of the server."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import SCOPE, Live, id_of

pytestmark = [pytest.mark.contract]

THREADS = 8


@pytest.fixture
def bank(server: Live) -> Bank:
    service = server.service()
    made = service.create_bank(ReasoningEngine(display_name="race"))
    return service.bank(BankName.parse(made.name or ""))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as made:
        yield made


def outcomes(pool: ThreadPoolExecutor, call: Callable[[int], object], count: int = 24) -> Counter[str]:
    def attempt(number: int) -> str:
        try:
            call(number)
        except errors.ApiError as error:
            return error.status
        return "done"

    return Counter(pool.map(attempt, range(count)))


def test_one_editor_wins(bank: Bank, pool: ThreadPoolExecutor) -> None:
    """D36"""
    memory = bank.create_memory(Memory(fact="start", scope=SCOPE))
    id, seen = id_of(memory), memory.update_time or ""
    found = outcomes(pool, lambda n: bank.update_memory(id, Memory(fact=str(n)), mask=["fact"], if_match=seen))
    assert found == {"done": 1, "ABORTED": 23}
    assert len(bank.list_revisions(id).memory_revisions) == 2


def test_every_edit_is_a_revision(bank: Bank, pool: ThreadPoolExecutor) -> None:
    id = id_of(bank.create_memory(Memory(fact="start", scope=SCOPE)))
    found = outcomes(pool, lambda n: bank.update_memory(id, Memory(fact=str(n)), mask=["fact"]))
    assert found == {"done": 24}
    revisions = bank.list_revisions(id).memory_revisions
    assert {one.fact for one in revisions} == {"start", *map(str, range(24))}
    assert revisions[0].fact == bank.get_memory(id).fact
    times = [str(one.create_time) for one in revisions]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 25


def test_an_id_is_given_once(bank: Bank, pool: ThreadPoolExecutor) -> None:
    found = outcomes(pool, lambda n: bank.create_memory(Memory(fact=str(n), scope=SCOPE), memory_id="same"))
    assert found == {"done": 1, "ALREADY_EXISTS": 23}


def test_a_new_scope_is_made_once_and_counted_right(bank: Bank, pool: ThreadPoolExecutor) -> None:
    found = outcomes(pool, lambda n: bank.create_memory(Memory(fact=str(n), scope={"user_id": str(n % 3)})))
    assert found == {"done": 24}
    assert sorted((one.scope["user_id"], one.memory_count) for one in bank.list_scopes().scopes) == [
        ("0", 8),
        ("1", 8),
        ("2", 8),
    ]
    assert bank.list_memories().total_size == 24


def test_deleted_once_and_nothing_left_of_the_scope(bank: Bank, pool: ThreadPoolExecutor) -> None:
    ids = [id_of(bank.create_memory(Memory(fact=str(n), scope=SCOPE))) for n in range(6)]
    found = outcomes(pool, lambda n: bank.delete_memory(ids[n % 6]))
    assert found == {"done": 6, "NOT_FOUND": 18}
    assert bank.list_memories().total_size == 0
    assert bank.list_scopes().scopes == []


def test_writers_and_deleters_of_one_scope_agree_in_the_end(bank: Bank, pool: ThreadPoolExecutor) -> None:
    def both(number: int) -> None:
        made = bank.create_memory(Memory(fact=str(number), scope=SCOPE))
        if number % 2:
            bank.delete_memory(id_of(made))

    assert outcomes(pool, both) == {"done": 24}
    (scope,) = bank.list_scopes().scopes
    assert scope.memory_count == bank.list_memories(filter='scope.user_id="u-0001"').total_size == 12


def test_revived_once(bank: Bank, pool: ThreadPoolExecutor) -> None:
    id = id_of(bank.create_memory(Memory(fact="f", scope=SCOPE)))
    (first,) = bank.list_revisions(id).memory_revisions
    bank.delete_memory(id)
    found = outcomes(pool, lambda n: bank.rollback_memory(id, (first.name or "").rpartition("/")[2]), 8)
    assert found == {"done": 8}
    (scope,) = bank.list_scopes().scopes
    assert scope.memory_count == bank.list_memories().total_size == 1
