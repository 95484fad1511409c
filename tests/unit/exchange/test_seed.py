"""The demo banks and the synthetic ones: what they show, and that they are made once."""

import json
import unicodedata
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Sum

from memories.access.models import Entry
from memories.server.models import Bank, Memory, Pair, Revision, Scope
from memories.wire.times import to_micros

pytestmark = pytest.mark.django_db

NOW = "2026-06-01T12:00:00Z"
MICROS = to_micros(datetime(2026, 6, 1, 12, tzinfo=UTC))


def seed(*args: str) -> None:
    call_command("seed", *args, "--now", NOW)


@pytest.fixture
def demo() -> dict[str, Bank]:
    seed()
    return {bank.display_name: bank for bank in Bank.objects.all()}


def state() -> list[object]:
    rows: list[object] = []
    for model, left_out in ((Memory, ("id", "scope_id")), (Scope, ("id",)), (Pair, ("id", "memory_id"))):
        for row in model.objects.order_by("pk").values():
            rows.append({key: value for key, value in row.items() if key not in left_out})
    return rows


def clear() -> None:
    for model in (Pair, Memory, Scope, Bank):
        model.objects.all().delete()


class TestDemo:
    def test_three_banks(self, demo: dict[str, Bank]) -> None:
        counts = {name: Memory.objects.filter(bank=bank).count() for name, bank in demo.items()}
        assert counts.keys() == {"Travel concierge", "Shop assistant", "Research notes"}
        assert 60 <= counts["Travel concierge"] <= 100
        assert counts["Shop assistant"] >= 15
        assert counts["Research notes"] == 0

    def test_what_the_first_bank_shows(self, demo: dict[str, Bank]) -> None:
        memories = list(Memory.objects.filter(bank=demo["Travel concierge"]).select_related("scope"))
        scopes = [json.loads(one.scope.canonical) for one in memories]
        people = Counter(json.dumps(scope) for scope in scopes)
        assert sum(count >= 20 for count in people.values()) >= 3
        assert max(len(one.fact) for one in memories) == 4000
        assert sum(one.expire_time is not None for one in memories) >= 8
        kinds = {kind for one in memories for value in json.loads(one.metadata or "{}").values() for kind in value}
        assert kinds == {"stringValue", "doubleValue", "boolValue", "timestampValue"}
        assert sum(bool(one.data) for one in memories) >= 2
        text = " ".join(one.fact for one in memories)
        for sample in ("Rome", "Torino", "kereta", "חיפה", "abuela", "equipamento", "☕"):
            assert sample in text
        users = [scope.get("user_id", "") for scope in scopes]
        assert {"u-1", "u-12", "U-1", "123", "ann+test@example.com", "team:blue", 'O\'Brien "Q"'} <= set(users)
        accented = {user for user in users if unicodedata.normalize("NFC", user) == "josé@example.com"}
        assert len(accented) == 2
        assert {" padded value "} <= {scope.get("my key", "") for scope in scopes}

    def test_the_support_story(self, demo: dict[str, Bank]) -> None:
        home = Memory.objects.get(bank=demo["Travel concierge"], memory_id="home-city")
        assert "Rome" in home.fact
        revisions = list(Revision.objects.filter(memory_id="home-city").order_by("id"))
        assert ["London" in one.fact for one in revisions] == [True, False, False]
        times = [one.create_time for one in revisions]
        assert times == sorted(times)
        assert (home.create_time, home.update_time) == (times[0], times[-1])
        assert json.loads(revisions[1].labels) == {"source": "chat", "session": "s-2874"}
        assert set(Pair.objects.filter(memory=home).values_list("update_time", flat=True)) == {home.update_time}

    def test_times_are_spread_over_months_before_now(self, demo: dict[str, Bank]) -> None:
        times = Memory.objects.values_list("create_time", flat=True)
        assert max(times) < MICROS
        assert MICROS - min(times) > 150 * 86_400_000_000
        assert len({time // (30 * 86_400_000_000) for time in times}) >= 5
        assert all(scope.last_write <= MICROS for scope in Scope.objects.all())

    def test_counts_of_scopes_are_right(self, demo: dict[str, Bank]) -> None:
        assert Scope.objects.aggregate(Sum("count"))["count__sum"] == Memory.objects.count()
        for scope in Scope.objects.all():
            assert Memory.objects.filter(scope=scope).count() == scope.count

    def test_again_changes_nothing_and_says_what_exists(
        self, demo: dict[str, Bank], capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = state()
        capsys.readouterr()
        seed()
        assert state() == before
        assert capsys.readouterr().out.count("exists: ") == 3
        assert Entry.objects.count() == 3

    def test_a_schema_for_the_structured_ones(self, demo: dict[str, Bank]) -> None:
        for bank in demo.values():
            schemas = {
                schema["id"]
                for config in json.loads(bank.config).get("structuredMemoryConfigs", [])
                for schema in config["schemaConfigs"]
            }
            used = set(Memory.objects.filter(bank=bank).exclude(schema_id="").values_list("schema_id", flat=True))
            assert used <= schemas


class TestSynthetic:
    def test_as_many_as_asked_in_a_tenth_as_many_scopes_skewed(self) -> None:
        seed("--memories", "3000")
        assert Memory.objects.count() == 3000
        counts = sorted(Scope.objects.values_list("count", flat=True), reverse=True)
        assert len(counts) == 300
        assert min(counts) >= 1
        assert counts[0] > 20 * counts[150]
        assert sum(counts) == 3000
        for scope in Scope.objects.order_by("-count")[:20]:
            found = Memory.objects.filter(scope=scope)
            assert found.count() == scope.count
            assert min(found.values_list("create_time", flat=True)) == scope.first_write

    def test_every_memory_has_its_pairs_and_revisions(self) -> None:
        seed("--memories", "500")
        for memory in Memory.objects.select_related("scope")[:100]:
            pairs = dict(Pair.objects.filter(memory=memory).values_list("key", "value"))
            scope = {f"scope.{key}": value for key, value in json.loads(memory.scope.canonical).items()}
            topics = [one["managedMemoryTopic"] for one in json.loads(memory.topics or "[]")]
            assert pairs == scope | ({"topics.managed_memory_topic": topics[0]} if topics else {})
            revisions = list(Revision.objects.filter(memory_id=memory.memory_id).order_by("id"))
            assert revisions[-1].fact == memory.fact
            assert [one.create_time for one in revisions] == sorted({memory.create_time, memory.update_time})

    def test_the_same_seed_makes_the_same_memories(self) -> None:
        seed("--memories", "300")
        first = state()
        clear()
        seed("--memories", "300")
        assert state() == first
        clear()
        seed("--memories", "300", "--random-seed", "2")
        assert state() != first

    def test_beside_other_banks_and_written_to_afterwards(self, demo: dict[str, Bank]) -> None:
        seed("--memories", "200")
        seed("--memories", "300")
        seed("--memories", "300")
        assert Bank.objects.count() == 5
        call_command("seed", "--memories", "100")
        assert Memory.objects.count() == 200 + 300 + 100 + Memory.objects.filter(bank__in=demo.values()).count()

    @pytest.mark.parametrize("args", [["--memories", "0"], ["--memories", "-1"], ["--memories", "999999999"]])
    def test_a_number_that_is_none(self, args: list[str]) -> None:
        with pytest.raises(CommandError, match="--memories must be between"):
            call_command("seed", *args)

    def test_a_time_that_is_none(self) -> None:
        with pytest.raises(CommandError, match="--now: expected a time"):
            call_command("seed", "--now", "yesterday")
