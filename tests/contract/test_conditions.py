"""Somebody who may touch a part of a bank alone: the rest is neither seen, counted, found, nor changed."""

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.resources import Memory, NewMemory
from tests.contract.world import World, id_of

pytestmark = [pytest.mark.contract]

MINE, THEIRS = {"tenant": "emea", "user_id": "1"}, {"tenant": "apac", "user_id": "1"}


@pytest.fixture
def part(world: World, bank: Bank) -> Bank:
    """The bank as the person who may touch one tenant of it; twelve memories of theirs, eight of others."""
    new = [NewMemory(memory=Memory(fact=f"mine {n}", scope=MINE)) for n in range(12)]
    new += [NewMemory(memory=Memory(fact=f"theirs {n}", scope=THEIRS)) for n in range(7)]
    new.append(NewMemory(memory=Memory(fact="theirs without a tenant", scope={"user_id": "1"})))
    bank.batch_create(new)
    return world.service("emea").bank(bank.name)


@pytest.fixture
def other(bank: Bank, part: Bank) -> str:
    return id_of(bank.list_memories(filter='scope.tenant="apac"').memories[0])


@pytest.mark.parametrize(
    "filter",
    ["", 'scope.user_id="1"', 'fact:"e"', 'scope.user_id="1" OR scope.tenant="apac"', 'NOT scope.tenant="none"'],
)
def test_lists_and_counts(part: Bank, filter: str) -> None:
    first = part.list_memories(filter=filter, page_size=7)
    second = part.list_memories(filter=filter, page_size=7, page_token=first.next_page_token or "")
    assert (len(first.memories), len(second.memories), second.next_page_token) == (7, 5, None)
    assert first.total_size == second.total_size == 12
    assert all(one.scope == MINE for one in first.memories + second.memories)


def test_nothing_of_others_is_found(part: Bank) -> None:
    for filter in ('scope.tenant="apac"', 'fact:"theirs"', 'scope="{\\"user_id\\":\\"1\\"}"'):
        page = part.list_memories(filter=filter)
        assert (page.memories, page.total_size) == ([], 0)


def test_a_memory_of_others(bank: Bank, part: Bank, other: str) -> None:
    revision = (bank.list_revisions(other).memory_revisions[0].name or "").rpartition("/")[2]
    before = bank.get_memory(other)
    for call in (
        lambda: part.get_memory(other),
        lambda: part.update_memory(other, Memory(fact="x"), mask=["fact"]),
        lambda: part.delete_memory(other),
        lambda: part.rollback_memory(other, revision),
        lambda: part.list_revisions(other),
        lambda: part.get_revision(other, revision),
    ):
        with pytest.raises((errors.NotFound, errors.PermissionDenied)):
            call()
    assert bank.get_memory(other) == before
    assert len(bank.list_revisions(other).memory_revisions) == 1


def test_a_deleted_memory_of_others(bank: Bank, part: Bank, other: str) -> None:
    revision = (bank.list_revisions(other).memory_revisions[0].name or "").rpartition("/")[2]
    bank.delete_memory(other)
    mine = id_of(part.list_memories().memories[0])
    part.delete_memory(mine)
    assert [(one.memory.name or "").rpartition("/")[2] for one in part.list_deleted().deleted_memories] == [mine]
    for call in (
        lambda: part.rollback_memory(other, revision),
        lambda: part.list_revisions(other),
        lambda: part.get_revision(other, revision),
    ):
        with pytest.raises((errors.NotFound, errors.PermissionDenied)):
            call()


def test_creating(bank: Bank, part: Bank) -> None:
    assert part.create_memory(Memory(fact="new", scope=MINE)).fact == "new"
    for scope in (THEIRS, {"user_id": "1"}, {"tenant": "emea2", "user_id": "1"}, {"tenant": "EMEA", "user_id": "1"}):
        with pytest.raises((errors.NotFound, errors.PermissionDenied)):
            part.create_memory(Memory(fact="new", scope=scope))
        with pytest.raises((errors.NotFound, errors.PermissionDenied)):
            part.batch_create([NewMemory(memory=Memory(fact="a", scope=s)) for s in (MINE, scope)])
    assert bank.list_memories(filter='fact="new"').total_size == 1
    assert bank.list_memories(filter='fact="a"').total_size == 0


def test_scopes(part: Bank) -> None:
    (scope,) = part.list_scopes().scopes
    assert (scope.scope, scope.memory_count) == (MINE, 12)


def test_operations_do_not_show_what_others_wrote(bank: Bank, part: Bank) -> None:
    hidden = bank.create_memory(Memory(fact="a hidden fact", scope=THEIRS))
    try:
        listed = part.list_operations().operations
    except errors.PermissionDenied:
        return
    texts = [str(one.wire()) for one in listed]
    assert any(id_of(hidden) in text for text in texts)
    assert not any("a hidden fact" in text or "apac" in text for text in texts)
