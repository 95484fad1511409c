"""Memories: create, get, patch, delete. One place each for what users reported as lost or changed."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.resources import Memory, MemoryMetadataValue, MemoryTopicId, ReasoningEngine
from memories.wire.times import Duration, Timestamp
from tests.contract.world import SCOPE, World, done, fails, id_of

pytestmark = [pytest.mark.contract]

FULL = {
    "fact": "I have peanut allergies.\nEven traces. 😀 é",
    "scope": {"user_id": "123", "app_name": "a"},
    "displayName": "dn",
    "description": "desc",
    "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "a|b"}],
    "metadata": {
        "s_key": {"stringValue": "v"},
        "dKey": {"doubleValue": 1.5},
        "b": {"boolValue": True},
        "t": {"timestampValue": "2027-01-01T12:30:00Z"},
    },
    "expireTime": "2090-01-01T00:00:00Z",
    "context": "ctx",
}


class TestCreate:
    def test_read_back_as_written(self, bank: Bank) -> None:
        made = bank.create_memory(Memory.read(FULL))
        wire = bank.get_memory(id_of(made)).wire()
        assert wire.pop("name") == f"{bank.name}/memories/{id_of(made)}"
        assert wire.pop("createTime") == wire.pop("updateTime")
        assert wire.pop("memoryType", "NATURAL_LANGUAGE_COLLECTION") == "NATURAL_LANGUAGE_COLLECTION"
        assert wire == FULL
        assert made == bank.get_memory(id_of(made))

    def test_an_id_of_ones_own(self, bank: Bank) -> None:
        made = bank.create_memory(Memory(fact="f", scope=SCOPE), memory_id="my-memory-1")
        assert id_of(made) == "my-memory-1"
        with pytest.raises(errors.AlreadyExists):
            bank.create_memory(Memory(fact="g", scope=SCOPE), memory_id="my-memory-1")
        assert bank.get_memory("my-memory-1").fact == "f"

    @pytest.mark.parametrize("id", ["A", "1a", "a-", "-a", "a_b", "a" * 64, "é", "a b"])
    def test_an_id_that_may_not_be_chosen(self, world: World, bank: Bank, id: str) -> None:
        path = f"/v1beta1/{bank.name}/memories"
        answer = world.call("POST", path, params={"memoryId": id}, body={"fact": "f", "scope": SCOPE})
        assert fails(answer, 400, "INVALID_ARGUMENT")["details"][0]["fieldViolations"][0]["field"] == "memoryId"

    def test_the_operation_is_done_and_named_under_the_memory(self, world: World, bank: Bank) -> None:
        body = {"fact": "f", "scope": SCOPE}
        operation = done(world.call("POST", f"/v1beta1/{bank.name}/memories", body=body))
        name = operation["response"]["name"]
        assert operation["done"] is True
        assert operation["name"].startswith(f"{name}/operations/")
        assert operation["response"]["@type"] == "type.googleapis.com/google.cloud.aiplatform.v1beta1.Memory"
        assert operation["metadata"]["@type"].endswith(".CreateMemoryOperationMetadata")
        assert done(world.call("GET", f"/v1beta1/{operation['name']}")) == operation

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"fact": ""}, "fact"),
            ({"fact": " \n\u200b\u2060"}, "fact"),
            ({"fact": None}, "fact"),
            ({"fact": "x" * 65_537}, "fact"),
            ({"fact": "é" * 32_769}, "fact"),
            ({"fact": 7}, "fact"),
            ({"scope": None}, "scope"),
            ({"scope": {}}, "scope"),
            ({"scope": {"user_id": ""}}, "scope.user_id"),
            ({"scope": {"": "1"}}, "scope"),
            ({"scope": {"user_id": "u-1*"}}, "scope.user_id"),
            ({"scope": {str(n): "1" for n in range(6)}}, "scope"),
            ({"scope": {"user_id": 1}}, "scope.user_id"),
            ({"scope": "user_id=1"}, "scope"),
            ({"metadata": {"k": {"stringValue": "a", "boolValue": True}}}, "metadata.k"),
            ({"metadata": {"k": {}}}, "metadata.k"),
            ({"metadata": {"k": "plain"}}, "metadata.k"),
            ({"topics": [{"managedMemoryTopic": "NO_SUCH"}]}, "topics[0].managedMemoryTopic"),
            ({"memoryType": "NO_SUCH"}, "memoryType"),
            ({"ttl": "1h"}, "ttl"),
            ({"ttl": "60s", "expireTime": "2090-01-01T00:00:00Z"}, ""),
            ({"expireTime": "2090-02-30T00:00:00Z"}, "expireTime"),
            ({"mood": "x"}, "mood"),
            ({"topics": [{"mood": "x"}]}, "topics[0].mood"),
        ],
    )
    def test_what_is_no_memory_is_refused_with_its_field(
        self, world: World, bank: Bank, change: dict[str, object], field: str
    ) -> None:
        body = {"fact": "f", "scope": SCOPE} | change
        error = fails(world.call("POST", f"/v1beta1/{bank.name}/memories", body=body), 400, "INVALID_ARGUMENT")
        assert field in [one["field"] for one in error["details"][0]["fieldViolations"]]
        assert not bank.list_memories().memories

    def test_the_longest_fact(self, bank: Bank) -> None:
        fact = "é" * 32_768
        assert bank.get_memory(id_of(bank.create_memory(Memory(fact=fact, scope=SCOPE)))).fact == fact

    def test_half_a_surrogate_pair(self, world: World, bank: Bank) -> None:
        """D51"""
        path, headers = f"/v1beta1/{bank.name}/memories", {"Content-Type": "application/json"}
        for text in (r"bad \ud83d end", r"\ude00"):
            content = b'{"scope":{"user_id":"1"},"fact":"%s"}' % text.encode()
            fails(world.call("POST", path, content=content, headers=headers), 400, "INVALID_ARGUMENT")
        for part in (r'"displayName":"\ud83d"', r'"metadata":{"\ud83d":{"boolValue":true}}', r'"context":"\udfff"'):
            content = b'{"scope":{"user_id":"1"},"fact":"f",%s}' % part.encode()
            fails(world.call("POST", path, content=content, headers=headers), 400, "INVALID_ARGUMENT")
        good = b'{"scope":{"user_id":"1"},"fact":"\\ud83d\\ude00"}'
        assert done(world.call("POST", path, content=good, headers=headers))["response"]["fact"] == "😀"

    def test_a_nul_is_kept_or_refused_but_never_a_fault_of_the_server(self, world: World, bank: Bank) -> None:
        for body in (
            {"fact": "a\0b", "scope": SCOPE},
            {"fact": "f", "scope": {"user_id": "a\0b"}},
            {"fact": "f", "scope": SCOPE, "displayName": "\0"},
        ):
            assert world.call("POST", f"/v1beta1/{bank.name}/memories", body=body).status_code in (200, 400)

    def test_hostile_text_is_text(self, bank: Bank) -> None:
        """D56"""
        text = "<img src=x onerror=alert(1)>"
        made = bank.create_memory(
            Memory(
                fact=text,
                scope={text: text},
                display_name=text,
                topics=[MemoryTopicId(custom_memory_topic_label=text)],
                metadata={text: MemoryMetadataValue(string_value=text)},
                revision_labels={"label": text},
            )
        )
        read = bank.get_memory(id_of(made))
        assert (read.fact, read.scope, read.display_name) == (text, {text: text}, text)
        assert read.metadata == {text: MemoryMetadataValue(string_value=text)}
        assert bank.list_revisions(id_of(made)).memory_revisions[0].labels == {"label": text}


class TestExpiry:
    def test_a_ttl_counts_from_now(self, bank: Bank) -> None:
        made = bank.create_memory(Memory(fact="f", scope=SCOPE, ttl=Duration("3600s")))
        assert made.create_time is not None
        assert made.expire_time is not None
        assert made.expire_time.micros - made.create_time.micros == pytest.approx(3_600_000_000, abs=2_000_000)
        assert made.ttl is None

    def test_the_bank_gives_a_ttl_where_the_request_does_not(self, bank: Bank) -> None:
        config = {"contextSpec": {"memoryBankConfig": {"ttlConfig": {"defaultTtl": "60s"}}}}
        bank.update(ReasoningEngine.read(config), mask=["contextSpec"])
        made = bank.create_memory(Memory(fact="f", scope=SCOPE))
        assert made.create_time is not None
        assert made.expire_time is not None
        assert made.expire_time.micros - made.create_time.micros == pytest.approx(60_000_000, abs=2_000_000)

    def test_expired_is_gone_at_that_instant(self, bank: Bank) -> None:
        soon = Timestamp.of(datetime.now(UTC) + timedelta(seconds=0.7))
        made = bank.create_memory(Memory(fact="f", scope=SCOPE, expire_time=soon))
        assert bank.list_memories().total_size == 1
        time.sleep(0.9)
        with pytest.raises(errors.NotFound):
            bank.get_memory(id_of(made))
        page = bank.list_memories()
        assert (page.memories, page.total_size) == ([], 0)
        assert bank.list_memories(filter='scope.user_id="u-0001"').total_size == 0


class TestUpdate:
    def test_only_the_masked_field_changes(self, bank: Bank) -> None:
        """D33"""
        made = bank.create_memory(Memory.read(FULL))
        changed = bank.update_memory(id_of(made), Memory(fact="new", display_name="ignored"), mask=["fact"])
        before, after = made.wire(), changed.wire()
        assert after.pop("fact") == "new"
        assert after.pop("updateTime") > before.pop("updateTime")
        del before["fact"]
        assert after == before
        assert bank.get_memory(id_of(made)) == changed

    def test_it_stays_where_it_was(self, bank: Bank, memory: Memory) -> None:
        """D34"""
        bank.update_memory(id_of(memory), Memory(fact="new"), mask=["fact"])
        page = bank.list_memories(filter='scope.user_id="u-0001"')
        assert [one.fact for one in page.memories] == ["new"]
        assert page.total_size == 1

    def test_all_reads_agree_at_once(self, bank: Bank, memory: Memory) -> None:
        bank.update_memory(id_of(memory), Memory(fact="I live in Lisbon."), mask=["fact"])
        assert bank.get_memory(id_of(memory)).fact == "I live in Lisbon."
        assert [one.fact for one in bank.list_memories().memories] == ["I live in Lisbon."]
        assert bank.list_memories(filter='fact=~"(?is).*lisbon.*"').total_size == 1
        assert bank.list_memories(filter='fact=~"(?is).*rome.*"').memories == []
        assert bank.list_revisions(id_of(memory)).memory_revisions[0].fact == "I live in Lisbon."

    def test_a_masked_field_that_is_not_sent_is_cleared(self, bank: Bank) -> None:
        made = bank.create_memory(Memory.read(FULL))
        mask = ["displayName", "description", "topics", "metadata", "expireTime"]
        wire = bank.update_memory(id_of(made), Memory(), mask=mask).wire()
        assert not {*mask} & {key for key, value in wire.items() if value not in ([], {}, "")}
        assert wire["fact"] == FULL["fact"]

    @pytest.mark.parametrize("mask", ["fact,displayName,metadata,ttl", "fact,display_name,metadata,ttl"])
    def test_both_spellings_of_a_mask(self, world: World, bank: Bank, memory: Memory, mask: str) -> None:
        body = {"fact": "f2", "displayName": "dn2", "ttl": "60s", "metadata": {"s": {"string_value": "z"}}}
        done(world.call("PATCH", f"/v1beta1/{memory.name}", params={"updateMask": mask}, body=body))
        after = bank.get_memory(id_of(memory))
        assert (after.fact, after.display_name) == ("f2", "dn2")
        assert after.metadata == {"s": MemoryMetadataValue(string_value="z")}
        assert after.expire_time is not None

    def test_without_a_mask_what_was_sent_changes(self, world: World, bank: Bank) -> None:
        made = bank.create_memory(Memory.read(FULL))
        body = {"fact": "new", "scope": {"app_name": "a", "user_id": "123"}}
        operation = done(world.call("PATCH", f"/v1beta1/{made.name}", body=body))
        assert operation["metadata"]["@type"].endswith(".UpdateMemoryOperationMetadata")
        after = bank.get_memory(id_of(made))
        assert (after.fact, after.display_name, after.metadata) == ("new", "dn", made.metadata)

    @pytest.mark.parametrize(
        ("body", "mask"),
        [
            ({"scope": {"user_id": "other"}}, ""),
            ({"scope": {"user_id": "other"}}, "scope"),
            ({"memoryType": "STRUCTURED_PROFILE"}, "memoryType"),
            ({"fact": ""}, "fact"),
            ({"fact": "x"}, "colour"),
        ],
    )
    def test_what_may_not_change(
        self, world: World, bank: Bank, memory: Memory, body: dict[str, object], mask: str
    ) -> None:
        params = {"updateMask": mask} if mask else {}
        fails(world.call("PATCH", f"/v1beta1/{memory.name}", params=params, body=body), 400, "INVALID_ARGUMENT")
        assert bank.get_memory(id_of(memory)) == memory

    def test_what_the_server_alone_sets_is_ignored(self, world: World, bank: Bank, memory: Memory) -> None:
        body = {"fact": "new", "createTime": "2020-01-01T00:00:00Z", "updateTime": "2020-01-01T00:00:00Z", "name": "x"}
        done(world.call("PATCH", f"/v1beta1/{memory.name}", body=body))
        after = bank.get_memory(id_of(memory))
        assert (after.fact, after.name, after.create_time) == ("new", memory.name, memory.create_time)
        assert str(after.update_time) > str(memory.update_time)

    def test_the_second_editor_is_told(self, bank: Bank, memory: Memory) -> None:
        """D36"""
        seen = memory.update_time or ""
        first = bank.update_memory(id_of(memory), Memory(fact="A"), mask=["fact"], if_match=seen)
        with pytest.raises(errors.Aborted):
            bank.update_memory(id_of(memory), Memory(fact="B"), mask=["fact"], if_match=seen)
        assert bank.get_memory(id_of(memory)) == first
        assert len(bank.list_revisions(id_of(memory)).memory_revisions) == 2
        again = bank.update_memory(id_of(memory), Memory(fact="B"), mask=["fact"], if_match=first.update_time or "")
        assert again.fact == "B"

    def test_the_time_moves_even_within_one_instant(self, bank: Bank, memory: Memory) -> None:
        times = [bank.update_memory(id_of(memory), Memory(fact=str(n)), mask=["fact"]).update_time for n in range(5)]
        assert len({*times, memory.update_time}) == 6
        assert [str(one) for one in times] == sorted(map(str, times))


class TestDelete:
    def test_gone_everywhere(self, bank: Bank, memory: Memory) -> None:
        """D40"""
        bank.delete_memory(id_of(memory))
        with pytest.raises(errors.NotFound):
            bank.get_memory(id_of(memory))
        assert bank.list_memories().memories == []
        assert bank.list_memories(filter='scope.user_id="u-0001"').total_size == 0
        for call in (
            lambda: bank.delete_memory(id_of(memory)),
            lambda: bank.update_memory(id_of(memory), Memory(fact="x"), mask=["fact"]),
        ):
            with pytest.raises(errors.NotFound):
                call()

    def test_the_answer(self, world: World, memory: Memory) -> None:
        operation = done(world.call("DELETE", f"/v1beta1/{memory.name}"))
        assert operation["done"] is True
        assert operation["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}
        assert operation["metadata"]["@type"].endswith(".DeleteMemoryOperationMetadata")
        assert done(world.call("GET", f"/v1beta1/{operation['name']}")) == operation

    def test_its_id_is_not_free_for_48_hours(self, bank: Bank) -> None:
        bank.create_memory(Memory(fact="f", scope=SCOPE), memory_id="mine")
        bank.delete_memory("mine")
        with pytest.raises(errors.AlreadyExists, match="Rollback"):
            bank.create_memory(Memory(fact="g", scope=SCOPE), memory_id="mine")


class TestStructured:
    BODY = {  # noqa: RUF012
        "scope": {"user_id": "u1"},
        "memoryType": "STRUCTURED_PROFILE",
        "structuredContent": {"schemaId": "user-profile", "data": {"home_city": "Rome", "deepKey": {"a_b": [1, None]}}},
    }

    def test_created_listed_and_read_with_its_data_as_it_came(self, world: World, bank: Bank) -> None:
        made = done(world.call("POST", f"/v1beta1/{bank.name}/memories", body=self.BODY | {"fact": ""}))["response"]
        read = done(world.call("GET", f"/v1beta1/{made['name']}"))
        assert read["structuredContent"] == self.BODY["structuredContent"]
        assert read["memoryType"] == "STRUCTURED_PROFILE"
        assert not read.get("fact")
        assert len(bank.list_memories().memories) == 1
        (revision,) = bank.list_revisions(made["name"].rpartition("/")[2]).memory_revisions
        assert revision.structured_data == self.BODY["structuredContent"]["data"]  # type: ignore[index]

    def test_an_enum_number(self, world: World, bank: Bank) -> None:
        body = self.BODY | {"memoryType": 3}
        made = done(world.call("POST", f"/v1beta1/{bank.name}/memories", body=body))["response"]
        assert made["memoryType"] == "STRUCTURED_PROFILE"

    def test_without_content_it_is_refused(self, world: World, bank: Bank) -> None:
        body = {"scope": {"user_id": "u1"}, "memoryType": "STRUCTURED_PROFILE"}
        fails(world.call("POST", f"/v1beta1/{bank.name}/memories", body=body), 400, "INVALID_ARGUMENT")
