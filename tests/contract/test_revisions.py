"""Revisions: every change makes one, rollback adds one, nothing is erased, and a deleted memory can come back."""

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import SCOPE, World, done, fails, id_of

pytestmark = [pytest.mark.contract]


def facts(bank: Bank, id: str) -> list[str]:
    """Newest first."""
    return [one.fact or "" for one in bank.list_revisions(id).memory_revisions]


def test_five_edits_and_back_to_the_second(bank: Bank) -> None:
    """D37"""
    made = bank.create_memory(Memory(fact="one", scope=SCOPE, display_name="kept"))
    id = id_of(made)
    for fact in ("two", "three", "four", "five"):
        bank.update_memory(id, Memory(fact=fact), mask=["fact"])
    before = bank.list_revisions(id).memory_revisions
    assert [one.fact for one in before] == ["five", "four", "three", "two", "one"]
    second = before[-2]
    after = bank.rollback_memory(id, id_of_name(second.name))
    assert after.fact == "two"
    assert (after.display_name, after.create_time) == ("kept", made.create_time)
    assert bank.get_memory(id) == after
    now = bank.list_revisions(id).memory_revisions
    assert now[1:] == before
    assert (now[0].fact, len(now)) == ("two", 6)
    assert now[0].name != second.name


def id_of_name(name: str | None) -> str:
    return (name or "").rpartition("/")[2]


def test_a_revision_read_by_its_name(world: World, bank: Bank, memory: Memory) -> None:
    bank.update_memory(id_of(memory), Memory(fact="new"), mask=["fact"])
    for one in bank.list_revisions(id_of(memory)).memory_revisions:
        assert one.name is not None
        assert one.name.startswith(f"{memory.name}/revisions/")
        assert one.create_time is not None
        assert one.expire_time is not None
        life = one.expire_time.micros - one.create_time.micros
        assert life == pytest.approx(365 * 86_400_000_000, abs=2_000_000)
        assert bank.get_revision(id_of(memory), id_of_name(one.name)) == one
        assert done(world.call("GET", f"/v1/{one.name}"))["fact"] == one.fact


def test_pages_of_revisions(bank: Bank, memory: Memory) -> None:
    for number in range(5):
        bank.update_memory(id_of(memory), Memory(fact=str(number)), mask=["fact"])
    seen: list[str] = []
    token = ""
    while True:
        page = bank.list_revisions(id_of(memory), page_size=4, page_token=token)
        assert page.memory_revisions
        seen += [one.fact or "" for one in page.memory_revisions]
        token = page.next_page_token or ""
        if not token:
            break
    assert seen == ["4", "3", "2", "1", "0", memory.fact]


def test_labels_and_their_filter(bank: Bank) -> None:
    made = bank.create_memory(Memory(fact="a", scope=SCOPE, revision_labels={"data_source": "321", "my key": 'q"'}))
    id = id_of(made)
    bank.update_memory(id, Memory(fact="b", revision_labels={"data_source": "3210"}), mask=["fact", "revisionLabels"])
    assert made.revision_labels is None
    newest, oldest = bank.list_revisions(id).memory_revisions
    assert oldest.labels == {"data_source": "321", "my key": 'q"'}
    assert newest.labels == {"data_source": "3210"}
    assert bank.list_revisions(id, filter='labels.data_source="321"').memory_revisions == [oldest]
    assert bank.list_revisions(id, filter='labels."my key"="q\\""').memory_revisions == [oldest]
    assert bank.list_revisions(id, filter='labels.data_source="0"').memory_revisions == []
    with pytest.raises(errors.InvalidArgument):
        bank.list_revisions(id, filter='fact="a"')


@pytest.mark.parametrize("form", ["bare", "full"])
def test_the_target_as_an_id_or_a_name(world: World, bank: Bank, memory: Memory, form: str) -> None:
    (first,) = bank.list_revisions(id_of(memory)).memory_revisions
    bank.update_memory(id_of(memory), Memory(fact="new"), mask=["fact"])
    target = first.name if form == "full" else id_of_name(first.name)
    for key in ("targetRevisionId", "target_revision_id"):
        operation = done(world.call("POST", f"/v1beta1/{memory.name}:rollback", body={key: target}))
        assert operation["done"] is True
        assert operation["name"].startswith(f"{memory.name}/operations/")
        assert bank.get_memory(id_of(memory)).fact == memory.fact


def test_a_rollback_to_what_is_not_its_own(world: World, bank: Bank, memory: Memory) -> None:
    other = bank.create_memory(Memory(fact="other", scope=SCOPE))
    (foreign,) = bank.list_revisions(id_of(other)).memory_revisions
    path = f"/v1beta1/{memory.name}:rollback"
    fails(world.call("POST", path, body={"targetRevisionId": id_of_name(foreign.name)}), 404, "NOT_FOUND")
    assert world.call("POST", path, body={"targetRevisionId": foreign.name}).status_code in (400, 404)
    fails(world.call("POST", path, body={"targetRevisionId": "404"}), 404, "NOT_FOUND")
    fails(world.call("POST", path, body={}), 400, "INVALID_ARGUMENT")
    fails(world.call("POST", path), 400, "INVALID_ARGUMENT")
    assert facts(bank, id_of(memory)) == [memory.fact]


def test_a_rollback_of_a_memory_that_never_was(world: World, bank: Bank) -> None:
    path = f"/v1beta1/{bank.name}/memories/404:rollback"
    fails(world.call("POST", path, body={"targetRevisionId": "1"}), 404, "NOT_FOUND")


class TestDeleted:
    def test_its_history_stays_and_it_can_be_revived_under_its_id(self, bank: Bank) -> None:
        made = bank.create_memory(
            Memory.read(
                {
                    "fact": "first",
                    "scope": SCOPE,
                    "displayName": "kept",
                    "metadata": {"k": {"stringValue": "v"}},
                    "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}],
                }
            )
        )
        id = id_of(made)
        bank.update_memory(id, Memory(fact="second"), mask=["fact"])
        bank.delete_memory(id)
        assert facts(bank, id) == ["", "second", "first"]
        first = bank.list_revisions(id).memory_revisions[-1]
        assert bank.get_revision(id, id_of_name(first.name)).fact == "first"
        (deleted,) = bank.list_deleted().deleted_memories
        assert deleted.memory.name == made.name
        assert deleted.purge_time.micros - deleted.delete_time.micros == 48 * 3_600_000_000
        revived = bank.rollback_memory(id, id_of_name(first.name))
        assert (revived.name, revived.fact, revived.scope) == (made.name, "first", SCOPE)
        assert (revived.display_name, revived.metadata, revived.topics) == ("kept", made.metadata, made.topics)
        assert bank.get_memory(id) == revived
        assert bank.list_memories(filter='scope.user_id="u-0001"').total_size == 1
        assert bank.list_deleted().deleted_memories == []
        assert facts(bank, id) == ["first", "", "second", "first"]

    def test_to_the_revision_of_its_deletion(self, bank: Bank, memory: Memory) -> None:
        bank.delete_memory(id_of(memory))
        newest = bank.list_revisions(id_of(memory)).memory_revisions[0]
        with pytest.raises(errors.ApiError) as caught:
            bank.rollback_memory(id_of(memory), id_of_name(newest.name))
        assert isinstance(caught.value, errors.InvalidArgument | errors.FailedPrecondition)

    def test_a_structured_memory_comes_back_with_its_data(self, bank: Bank) -> None:
        body = {
            "scope": SCOPE,
            "memoryType": "STRUCTURED_PROFILE",
            "structuredContent": {"schemaId": "p", "data": {"city": "Rome"}},
        }
        made = bank.create_memory(Memory.read(body))
        id = id_of(made)
        (first,) = bank.list_revisions(id).memory_revisions
        change = Memory.read({"structuredContent": {"schemaId": "p", "data": {"city": "Oslo"}}})
        bank.update_memory(id, change, mask=["structuredContent"])
        bank.delete_memory(id)
        revived = bank.rollback_memory(id, id_of_name(first.name))
        assert revived.structured_content == made.structured_content


class TestSwitchedOff:
    def test_by_the_bank(self, bank: Bank, memory: Memory) -> None:
        config = {"contextSpec": {"memoryBankConfig": {"disableMemoryRevisions": True}}}
        bank.update(ReasoningEngine.read(config), mask=["contextSpec"])
        bank.update_memory(id_of(memory), Memory(fact="new"), mask=["fact"])
        assert facts(bank, id_of(memory)) == [memory.fact]

    def test_by_the_request(self, bank: Bank, memory: Memory) -> None:
        change = Memory(fact="new", disable_memory_revisions=True)
        bank.update_memory(id_of(memory), change, mask=["fact", "disableMemoryRevisions"])
        assert bank.get_memory(id_of(memory)).fact == "new"
        assert facts(bank, id_of(memory)) == [memory.fact]


def test_revisions_of_a_memory_that_never_was(world: World, bank: Bank, memory: Memory) -> None:
    fails(world.call("GET", f"/v1beta1/{bank.name}/memories/404/revisions"), 404, "NOT_FOUND")
    fails(world.call("GET", f"/v1beta1/{memory.name}/revisions/404"), 404, "NOT_FOUND")
