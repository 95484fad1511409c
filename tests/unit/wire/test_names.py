"""Resource names round-trip, take their defaults in express mode, and refuse what is not a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.wire.errors import InvalidArgument
from memories.wire.names import (
    BankName,
    MemoryName,
    OperationName,
    RevisionName,
    check_memory_id,
    is_memory_name,
)

ids = st.from_regex(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,20}[A-Za-z0-9])?", fullmatch=True)
banks = st.builds(
    BankName,
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,20}", fullmatch=True),
    st.from_regex(r"[a-z0-9-]{1,20}", fullmatch=True),
    ids,
)
memories = st.builds(MemoryName, banks, ids)
revisions = st.builds(RevisionName, memories, ids)
operations = st.builds(OperationName, banks | memories, ids)

BANK = "projects/p/locations/us-central1/reasoningEngines/1001"


@given(banks)
def test_banks_round_trip(name: BankName) -> None:
    assert BankName.parse(str(name)) == name
    assert str(name).startswith(name.parent + "/")


@given(memories)
def test_memories_round_trip(name: MemoryName) -> None:
    assert MemoryName.parse(str(name)) == name
    assert is_memory_name(str(name))


@given(revisions)
def test_revisions_round_trip(name: RevisionName) -> None:
    assert RevisionName.parse(str(name)) == name


@given(operations)
def test_operations_round_trip(name: OperationName) -> None:
    parsed = OperationName.parse(str(name))
    assert parsed == name
    assert str(parsed).startswith(str(parsed.bank))


@given(st.text())
def test_no_text_raises_anything_but_invalid_argument(text: str) -> None:
    for kind in (BankName, MemoryName, RevisionName, OperationName):
        try:
            assert str(kind.parse(text)).endswith(text.rpartition("/")[2])
        except InvalidArgument as error:
            assert error.violations[0][0] == "name"


def test_express_mode_takes_the_defaults() -> None:
    name = MemoryName.parse("reasoningEngines/1/memories/2", project="mine", location="europe-west1")
    assert str(name) == "projects/mine/locations/europe-west1/reasoningEngines/1/memories/2"
    assert BankName.parse("reasoningEngines/1") == BankName("-", "-", "1")


def test_memory_banks_is_an_alias_never_written() -> None:
    for short in ("memoryBanks/1001", "projects/p/locations/us-central1/memoryBanks/1001"):
        name = BankName.parse(short, project="p", location="us-central1")
        assert str(name) == BANK


def test_a_project_number_and_its_id_are_the_same_bank() -> None:
    by_number = BankName.parse(BANK.replace("/p/", "/123456/"))
    assert by_number.key == BankName.parse(BANK).key == "us-central1/1001"
    assert BankName.parse(BANK.replace("us-central1", "europe-west1")).key != by_number.key


def test_a_domain_scoped_project_is_a_project() -> None:
    assert BankName.parse("projects/example.com:app/locations/eu/reasoningEngines/1").project == "example.com:app"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1001",
        BANK + "/",
        "/" + BANK,
        BANK + "\n",
        BANK.replace("us-central1", "US"),
        BANK.replace("1001", "-1"),
        BANK.replace("1001", "a/b"),
        BANK.replace("1001", "a%2Fb"),
        BANK.replace("1001", ".."),
        BANK.replace("1001", "é"),
        BANK.replace("1001", "a" * 129),
        BANK.replace("projects/p", "projects/"),
        BANK.replace("locations/us-central1/", ""),
        "projects/p/" + "reasoningEngines/1001",
        BANK + "/memories/1",
        BANK + "/sessions/1",
        "<img src=x onerror=alert(1)>",
    ],
)
def test_what_is_not_the_name_of_a_bank(text: str) -> None:
    with pytest.raises(InvalidArgument, match="expected projects/PROJECT/locations/LOCATION/reasoningEngines/ID"):
        BankName.parse(text)


def test_one_kind_is_not_read_as_another() -> None:
    assert not is_memory_name(BANK)
    assert not is_memory_name(f"{BANK}/memories/1/revisions/2")
    with pytest.raises(InvalidArgument):
        MemoryName.parse(f"{BANK}/memories/1/revisions/2")
    with pytest.raises(InvalidArgument):
        RevisionName.parse(f"{BANK}/memories/1")
    with pytest.raises(InvalidArgument):
        OperationName.parse(f"{BANK}/revisions/1")


@pytest.mark.parametrize("text", ["a", "my-memory-1", "a" * 63, "a0", "z-9"])
def test_ids_that_a_caller_may_choose(text: str) -> None:
    assert check_memory_id(text) == text


@pytest.mark.parametrize(
    "text", ["", "1a", "-a", "a-", "A", "a_b", "a.b", "a" * 64, "é", "a\n", "a b", "a/b", "\u0661"]
)
def test_ids_that_a_caller_may_not_choose(text: str) -> None:
    with pytest.raises(InvalidArgument, match="cannot be an id") as raised:
        check_memory_id(text)
    assert raised.value.violations[0][0] == "memoryId"
