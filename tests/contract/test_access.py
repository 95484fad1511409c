"""Who may do what at the server's door, and the row that each change leaves."""

from typing import Any
from urllib.parse import quote

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import PARENT, SCOPE, World, done, fails, id_of

pytestmark = [pytest.mark.contract]

MEMORIES, REVISIONS, BANKS = "aiplatform.memories.", "aiplatform.memoryRevisions.", "aiplatform.reasoningEngines."


@pytest.fixture
def revision(bank: Bank, memory: Memory) -> str:
    return (bank.list_revisions(id_of(memory)).memory_revisions[0].name or "").rpartition("/")[2]


READS = [
    ("memory", "", MEMORIES + "get"),
    ("bank", "/memories", MEMORIES + "list"),
    ("memory", "/revisions", REVISIONS + "list"),
    ("memory", "/revisions/REVISION", REVISIONS + "get"),
]
WRITES = [
    ("POST", "bank", "/memories", {"fact": "f", "scope": SCOPE}, MEMORIES + "create"),
    ("PATCH", "memory", "", {"fact": "g"}, MEMORIES + "update"),
    ("POST", "memory", ":rollback", {"targetRevisionId": "REVISION"}, REVISIONS + "rollback"),
    ("DELETE", "memory", "", None, MEMORIES + "delete"),
]
ENGINES = [
    ("GET", "", None, BANKS + "get"),
    ("PATCH", "", {"displayName": "x"}, BANKS + "update"),
    ("DELETE", "", {"force": True}, BANKS + "delete"),
]


def ask(world: World, person: str, method: str, path: str, body: dict[str, Any] | None = None, **options: Any) -> Any:
    return world.call(method, f"/v1beta1/{path}", person=person, body=body, **options)


class TestRoles:
    @pytest.mark.parametrize(("where", "below", "permission"), READS)
    @pytest.mark.parametrize(
        ("person", "may"), [("admin", True), ("user", True), ("viewer", True), ("owner", False), ("nobody", False)]
    )
    def test_reads(
        self,
        world: World,
        memory: Memory,
        revision: str,
        person: str,
        may: bool,
        where: str,
        below: str,
        permission: str,
    ) -> None:
        name = (memory.name or "") if where == "memory" else (memory.name or "").partition("/memories/")[0]
        answer = ask(world, person, "GET", name + below.replace("REVISION", revision))
        if may:
            done(answer)
        else:
            self.refused(answer, permission, person)

    @pytest.mark.parametrize(("method", "where", "below", "body", "permission"), WRITES)
    @pytest.mark.parametrize(
        ("person", "may"), [("user", True), ("viewer", False), ("owner", False), ("nobody", False)]
    )
    def test_writes(
        self,
        world: World,
        bank: Bank,
        memory: Memory,
        revision: str,
        person: str,
        may: bool,
        method: str,
        where: str,
        below: str,
        body: dict[str, Any] | None,
        permission: str,
    ) -> None:
        name = str(memory.name) if where == "memory" else str(bank.name)
        if body and "targetRevisionId" in body:
            body = {"targetRevisionId": revision}
        answer = ask(world, person, method, name + below, body)
        if may:
            done(answer)
        else:
            self.refused(answer, permission, person)
            assert bank.get_memory(id_of(memory)) == memory
            assert len(bank.list_memories().memories) == 1

    @pytest.mark.parametrize(("method", "below", "body", "permission"), ENGINES)
    @pytest.mark.parametrize(
        ("person", "may"), [("owner", True), ("user", False), ("viewer", False), ("nobody", False)]
    )
    def test_banks(
        self,
        world: World,
        bank: Bank,
        person: str,
        may: bool,
        method: str,
        below: str,
        body: dict[str, Any] | None,
        permission: str,
    ) -> None:
        answer = ask(world, person, method, str(bank.name) + below, body)
        if may:
            done(answer)
        else:
            self.refused(answer, permission, person)
            bank.get()

    def test_who_may_create_banks(self, world: World) -> None:
        done(ask(world, "owner", "POST", f"{PARENT}/reasoningEngines", {}))
        for person in ("user", "nobody"):
            self.refused(ask(world, person, "POST", f"{PARENT}/reasoningEngines", {}), BANKS + "create", person)

    def test_the_list_of_banks_shows_those_with_any_permission_on_memories(self, world: World, bank: Bank) -> None:
        for person, seen in (("viewer", True), ("user", True), ("admin", True), ("nobody", False)):
            banks = world.service(person).list_banks(page_size=1000).reasoning_engines
            assert (str(bank.name) in [one.name for one in banks]) is seen
            if not seen:
                assert banks == []

    def refused(self, answer: Any, permission: str, person: str) -> None:
        error = fails(answer, 403, "PERMISSION_DENIED")
        assert permission in error["message"]
        info = error["details"][0]
        assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
        assert info["metadata"]["permission"] == permission
        assert info["metadata"]["principal"] == person

    def test_whether_it_exists_is_not_told_to_who_may_not_look(self, world: World, bank: Bank, memory: Memory) -> None:
        there = ask(world, "nobody", "GET", str(memory.name))
        absent = ask(world, "nobody", "GET", f"{bank.name}/memories/404")
        nowhere = ask(world, "nobody", "GET", f"{PARENT}/reasoningEngines/404/memories/404")
        for answer in (there, absent, nowhere):
            fails(answer, 403, "PERMISSION_DENIED")

    def test_the_client_raises_it_with_its_permission(self, world: World, bank: Bank, memory: Memory) -> None:
        with pytest.raises(errors.PermissionDenied) as caught:
            world.service("viewer").bank(bank.name).delete_memory(id_of(memory))
        assert (caught.value.permission, caught.value.principal) == (MEMORIES + "delete", "viewer")


class TestTokens:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Authorization": "Bearer"},
            {"Authorization": "Bearer nonsense"},
            {"Authorization": "Bearer mbc_nonsense"},
            {"Authorization": "Basic YWRtaW46YWRtaW4="},
            {"Authorization": "mbc_nonsense"},
            {"x-goog-api-key": ""},
            {"x-goog-api-key": "nonsense"},
            {"memories.principal": "admin"},
            {"memories-principal": "admin"},
            {"HTTP_MEMORIES_PRINCIPAL": "admin"},
            {"X-Forwarded-User": "admin"},
            {"Remote-User": "admin"},
        ],
    )
    def test_none_that_is_known(self, world: World, bank: Bank, headers: dict[str, str]) -> None:
        for path in (str(bank.name), f"{bank.name}/memories", "nonsense"):
            answer = ask(world, "", "GET", path, headers=headers)
            if path == "nonsense":
                assert answer.status_code in (401, 404)
            else:
                fails(answer, 401, "UNAUTHENTICATED")

    @pytest.mark.parametrize("person", ["revoked", "expired", "inactive"])
    def test_one_that_works_no_longer(self, world: World, bank: Bank, person: str) -> None:
        for path in (str(bank.name), f"{bank.name}/memories"):
            fails(ask(world, person, "GET", path), 401, "UNAUTHENTICATED")
        body = {"fact": "f", "scope": SCOPE}
        fails(ask(world, person, "POST", f"{bank.name}/memories", body), 401, "UNAUTHENTICATED")
        assert bank.list_memories().memories == []

    def test_a_cookie_of_the_console_is_no_key_to_the_api(self, world: World, bank: Bank) -> None:
        headers = {"Cookie": "sessionid=x"}
        fails(ask(world, "", "GET", f"{bank.name}/memories", headers=headers), 401, "UNAUTHENTICATED")


class TestTrail:
    def rows(self, world: World, name: str | None) -> list[tuple[str, str, str]]:
        return [(row["person"], row["action"], row["outcome"]) for row in world.trail(name or "")]

    def test_each_change_is_one_row(self, world: World, bank: Bank) -> None:
        """D37"""
        mine = world.service("user").bank(bank.name)
        made = mine.create_memory(Memory(fact="a secret fact", scope=SCOPE), reason="ticket 7: è così 🙂")
        id = id_of(made)
        mine.update_memory(id, Memory(fact="another"), mask=["fact"], reason="moved")
        first = mine.list_revisions(id).memory_revisions[-1]
        mine.rollback_memory(id, (first.name or "").rpartition("/")[2], reason="was right")
        revisions = [(one.name or "").rpartition("/")[2] for one in mine.list_revisions(id).memory_revisions]
        mine.delete_memory(id, reason="asked to")
        rows = world.trail(str(made.name))
        by_action = {row["action"]: row for row in rows}
        assert [row["outcome"] for row in rows] == ["done"] * len(rows)
        assert by_action[MEMORIES + "update"]["reason"] == "moved"
        assert by_action[MEMORIES + "update"]["revision"] == revisions[1]
        assert by_action[REVISIONS + "rollback"]["revision"] == revisions[0]
        assert by_action[REVISIONS + "rollback"]["reason"] == "was right"
        assert by_action[MEMORIES + "delete"]["reason"] == "asked to"
        (created,) = [
            row
            for row in world.trail(str(made.name)) + world.trail(str(bank.name))
            if row["action"] == MEMORIES + "create"
        ]
        assert created["reason"] == "ticket 7: è così 🙂"
        assert created["revision"] == revisions[2]
        assert created["memory"] == id
        assert all(row["person"] == "user" and row["bank"] == bank.name.key for row in rows)

    def test_no_text_of_a_memory_or_a_scope(self, world: World, bank: Bank) -> None:
        made = bank.create_memory(
            Memory(fact="a secret fact", scope={"user_id": "giulia-private"}, display_name="hidden")
        )
        bank.update_memory(id_of(made), Memory(fact="other words"), mask=["fact"])
        bank.delete_memory(id_of(made))
        text = repr(world.trail(str(made.name)) + world.trail(str(bank.name)))
        for word in ("secret", "other words", "hidden", "giulia"):
            assert word not in text

    def test_refused_changes_are_rows_and_reads_are_none(self, world: World, bank: Bank, memory: Memory) -> None:
        before = len(world.trail(str(memory.name)))
        theirs = world.service("viewer").bank(bank.name)
        theirs.get_memory(id_of(memory))
        theirs.list_memories()
        assert len(world.trail(str(memory.name))) == before
        with pytest.raises(errors.PermissionDenied):
            theirs.delete_memory(id_of(memory), reason="trying")
        row = world.trail(str(memory.name))[-1]
        assert (row["person"], row["action"], row["outcome"]) == ("viewer", MEMORIES + "delete", "refused")
        assert (row["status"], row["reason"]) == ("PERMISSION_DENIED", "trying")

    def test_a_change_that_fails_is_a_row(self, world: World, bank: Bank, memory: Memory) -> None:
        with pytest.raises(errors.InvalidArgument):
            bank.update_memory(id_of(memory), Memory(fact=""), mask=["fact"])
        with pytest.raises(errors.Aborted):
            bank.update_memory(id_of(memory), Memory(fact="x"), mask=["fact"], if_match="2020-01-01T00:00:00Z")
        rows = [row for row in world.trail(str(memory.name)) if row["action"] == MEMORIES + "update"]
        assert [row["status"] for row in rows] == ["INVALID_ARGUMENT", "ABORTED"]
        assert all(row["outcome"] in ("failed", "refused") and row["revision"] == "" for row in rows)

    def test_a_read_refused_is_no_row(self, world: World, memory: Memory) -> None:
        before = len(world.trail(str(memory.name)))
        fails(ask(world, "nobody", "GET", str(memory.name)), 403, "PERMISSION_DENIED")
        assert len(world.trail(str(memory.name))) == before

    def test_changes_of_banks(self, world: World) -> None:
        service = world.service("owner")
        made = service.create_bank(ReasoningEngine(display_name="x"), reason="new team")
        done(
            ask(
                world,
                "owner",
                "PATCH",
                str(made.name),
                {"displayName": "y"},
                headers={"X-Goog-Request-Reason": quote("più")},
            )
        )
        done(ask(world, "owner", "DELETE", str(made.name)))
        rows = world.trail(str(made.name)) + world.trail(PARENT)
        by_action = {row["action"]: row for row in rows if row["person"] == "owner"}
        assert by_action[BANKS + "update"]["reason"] == "più"
        assert by_action[BANKS + "delete"]["outcome"] == "done"
        assert BANKS + "create" in by_action

    def test_the_token_is_named(self, world: World, bank: Bank) -> None:
        made = done(ask(world, "user", "POST", f"{bank.name}/memories", {"fact": "f", "scope": SCOPE}))["response"][
            "name"
        ]
        rows = [row for row in world.trail(made) + world.trail(str(bank.name)) if row["person"] == "user"]
        assert {row["via"] for row in rows} == {"token contract"}

    @pytest.mark.parametrize("reason", ["%ZZ", "%FF", "x" * 5000, "a%00b", "<script>"])
    def test_any_reason_is_kept_or_cut_but_never_in_the_way(self, world: World, memory: Memory, reason: str) -> None:
        headers = {"X-Goog-Request-Reason": reason}
        done(ask(world, "user", "PATCH", str(memory.name), {"fact": "g"}, headers=headers))
        assert self.rows(world, memory.name)[-1] == ("user", MEMORIES + "update", "done")
