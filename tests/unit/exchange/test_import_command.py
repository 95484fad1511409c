"""`import_jsonl`: all or nothing, with a report by line."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.access.checks import EVERYTHING
from memories.access.models import Entry
from memories.server import clock, store
from memories.server.models import Bank, Memory, Pair, Revision, Scope

pytestmark = pytest.mark.django_db

GOOD = {"speaker": "Caroline", "session": 1, "time": "2023-05-08T13:56:00Z", "fact": "Caroline likes 🌻"}
MAPPING = ["--fact", "fact", "--scope", "user_id=speaker", "--metadata", "session", "--create-time", "time"]


@pytest.fixture
def bank() -> Bank:
    now = clock.now()
    return Bank.objects.create(
        id="7", project="local-project", location="us-central1", display_name="Talks", create_time=now, update_time=now
    )


def file(tmp_path: Path, *lines: object) -> str:
    path = tmp_path / "facts.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return str(path)


def run(*args: str) -> None:
    call_command("import_jsonl", *args)


@pytest.mark.parametrize("name", ["Talks", "7", "projects/local-project/locations/us-central1/reasoningEngines/7"])
def test_written_as_mapped(bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    run(file(tmp_path, GOOD, "", GOOD | {"speaker": "Melanie", "fact": "x"}), "--bank", name, *MAPPING)
    assert "2 memories written to 'Talks'" in capsys.readouterr().out
    first = Memory.objects.get(fact="Caroline likes 🌻")
    assert store.find(bank, first.memory_id, EVERYTHING).scope.canonical == '{"user_id":"Caroline"}'
    assert first.create_time == first.update_time == 1_683_554_160_000_000
    assert json.loads(first.metadata) == {"session": {"doubleValue": 1.0}}
    assert Revision.objects.filter(memory_id=first.memory_id).count() == 1
    entry = Entry.objects.get()
    assert (entry.person, entry.action, entry.count) == ("operator", "aiplatform.memories.create", 2)


def test_nothing_is_written_where_a_line_is_refused(
    bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [GOOD, "{", GOOD | {"fact": " "}, GOOD | {"speaker": 1.5}, GOOD | {"fact": "x" * 70_000}]
    with pytest.raises(CommandError, match="Nothing was written: 4 lines were refused"):
        run(file(tmp_path, *lines), "--bank", "Talks", *MAPPING)
    report = capsys.readouterr().err
    for start in ("line 2: not JSON", "line 3: fact: is blank", "line 4: speaker: a scope", "line 5: fact: has 70000"):
        assert start in report
    assert not Memory.objects.exists()
    assert not Scope.objects.exists()
    assert not Entry.objects.exists()


def test_the_bank_made_for_it_goes_with_it(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run(file(tmp_path, "{"), "--bank", "New", "--create-bank", *MAPPING)
    assert not Bank.objects.exists()


def test_good_lines_alone_where_asked(bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(file(tmp_path, GOOD, "{", GOOD), "--bank", "Talks", "--skip-refused", *MAPPING)
    captured = capsys.readouterr()
    assert "2 memories written" in captured.out
    assert "line 2: not JSON" in captured.err
    assert Memory.objects.count() == 2


def test_an_id_that_the_bank_has(bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path, GOOD | {"key": "one"}, GOOD | {"key": "two"})
    run(path, "--bank", "Talks", *MAPPING, "--id", "key")
    with pytest.raises(CommandError, match="2 lines"):
        run(path, "--bank", "Talks", *MAPPING, "--id", "key")
    assert "line 1: the bank has a memory with the id 'one'" in capsys.readouterr().err
    assert Memory.objects.count() == 2


def test_what_has_expired_would_never_be_seen(bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"fact": "f", "scope": {"a": "1"}, "expireTime": "2020-01-01T00:00:00Z"}
    with pytest.raises(CommandError):
        run(file(tmp_path, line), "--bank", "Talks")
    assert "line 1: it has expired already" in capsys.readouterr().err


def test_a_long_report_is_cut_and_says_so(bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match="30 lines"):
        run(file(tmp_path, *["{"] * 30), "--bank", "Talks", *MAPPING)
    assert "and 10 more" in capsys.readouterr().err


def test_more_lines_than_a_batch_holds(bank: Bank, tmp_path: Path) -> None:
    lines = [GOOD | {"fact": f"fact {n}", "speaker": f"s{n % 7}"} for n in range(1234)]
    run(file(tmp_path, *lines), "--bank", "Talks", *MAPPING)
    assert Memory.objects.count() == 1234
    assert Pair.objects.count() == 1234
    assert sorted(Scope.objects.values_list("count", flat=True)) == [176] * 5 + [177] * 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--bank", "Other"], "There is no bank 'Other'; --create-bank makes one"),
        (["--bank", "x" * 129, "--create-bank"], "1 to 128 characters"),
        (["--bank", "Talks", "--scope", "user_id"], "write KEY=FIELD"),
    ],
)
def test_mistakes_are_one_line(bank: Bank, tmp_path: Path, args: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as caught:
        run(file(tmp_path, GOOD), *args)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        run(str(tmp_path / "none.jsonl"), "--bank", "Talks")


def test_two_banks_of_one_name(bank: Bank, tmp_path: Path) -> None:
    Bank.objects.create(id="8", project="p", location="us-central1", display_name="Talks", create_time=1, update_time=1)
    with pytest.raises(CommandError, match=r"2 banks are named 'Talks'; give the id of one: 7, 8"):
        run(file(tmp_path, GOOD), "--bank", "Talks", *MAPPING)
