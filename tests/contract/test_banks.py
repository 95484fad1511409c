"""Banks: create, get, list, update, delete."""

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import PARENT, PROJECT, SCOPE, World, done, fails

pytestmark = [pytest.mark.contract]

CONFIG = {
    "customizationConfigs": [
        {
            "scopeKeys": ["user_id"],
            "memoryTopics": [
                {"managedMemoryTopic": {"managedTopicEnum": "USER_PREFERENCES"}},
                {"customMemoryTopic": {"label": "jargon", "description": "d"}},
            ],
            "enableThirdPersonMemories": True,
            "consolidationConfig": {"revisionsPerCandidateCount": 2},
        }
    ],
    "ttlConfig": {"granularTtlConfig": {"createTtl": "3600s"}, "memoryRevisionDefaultTtl": "86400s"},
    "structuredMemoryConfigs": [
        {
            "scopeKeys": ["user_id"],
            "schemaConfigs": [
                {
                    "id": "user-profile",
                    "schema": {"type": "OBJECT", "properties": {"home_city": {"type": "STRING"}}},
                    "memoryType": "STRUCTURED_PROFILE",
                }
            ],
        }
    ],
}


def test_created_read_listed_and_deleted(world: World) -> None:
    service = world.service()
    engine = ReasoningEngine.read(
        {
            "displayName": "My bank",
            "description": "d",
            "labels": {"a_b": "c"},
            "contextSpec": {"memoryBankConfig": CONFIG},
        }
    )
    made = service.create_bank(engine)
    bank = service.bank(BankName.parse(made.name or ""))
    read = bank.get()
    assert read == made
    assert read.name == f"{PARENT}/reasoningEngines/{bank.name.id}"
    assert (read.display_name, read.description, read.labels) == ("My bank", "d", {"a_b": "c"})
    assert read.config.wire() == CONFIG
    assert read.create_time is not None
    assert read.create_time == read.update_time
    assert made in _all(world)
    bank.delete()
    with pytest.raises(errors.NotFound):
        bank.get()
    assert made not in _all(world)


def _all(world: World) -> list[ReasoningEngine]:
    found, token = [], ""
    while True:
        page = world.service().list_banks(page_token=token)
        found += page.reasoning_engines
        token = page.next_page_token or ""
        if not token:
            return found


def test_pages_of_banks_have_each_bank_once(world: World) -> None:
    service = world.service()
    made = {service.create_bank(ReasoningEngine()).name for _ in range(5)}
    seen: list[str | None] = []
    token = ""
    while True:
        page = service.list_banks(page_size=2, page_token=token)
        assert page.reasoning_engines
        seen += [engine.name for engine in page.reasoning_engines]
        token = page.next_page_token or ""
        if not token:
            break
    assert len(seen) == len(set(seen))
    assert made <= set(seen)


def test_an_empty_body_makes_a_bank(world: World) -> None:
    operation = done(world.call("POST", f"/v1beta1/{PARENT}/reasoningEngines"))
    assert operation["done"] is True
    name = operation["response"]["name"]
    assert operation["name"].startswith(f"{name}/operations/")
    assert operation["response"]["@type"] == "type.googleapis.com/google.cloud.aiplatform.v1beta1.ReasoningEngine"
    assert operation["metadata"]["@type"].endswith(".CreateReasoningEngineOperationMetadata")


def test_a_context_spec_always_holds_its_config(world: World) -> None:
    bodies: list[dict[str, object]] = [{}, {"contextSpec": {}}, {"context_spec": {"memory_bank_config": {}}}]
    for body in bodies:
        name = done(world.call("POST", f"/v1beta1/{PARENT}/reasoningEngines", body=body))["response"]["name"]
        for answer in (
            done(world.call("GET", f"/v1beta1/{name}")),
            *done(world.call("GET", f"/v1beta1/{PARENT}/reasoningEngines?pageSize=1000"))["reasoningEngines"],
        ):
            assert "memoryBankConfig" in answer.get("contextSpec", {"memoryBankConfig": {}})


def test_both_spellings_at_every_depth_and_schemas_as_they_came(world: World) -> None:
    body: dict[str, object] = {
        "context_spec": {
            "memory_bank_config": {
                "ttlConfig": {"default_ttl": "86400s"},
                "structuredMemoryConfigs": [
                    {
                        "scope_keys": ["user_id"],
                        "schema_configs": [
                            {"id": "p", "schema": {"type": "OBJECT", "properties": {"home_city": {"any_of": []}}}}
                        ],
                    }
                ],
            }
        }
    }
    config = done(world.call("POST", f"/v1beta1/{PARENT}/reasoningEngines", body=body))["response"]["contextSpec"]
    assert config["memoryBankConfig"]["ttlConfig"] == {"defaultTtl": "86400s"}
    (schemas,) = config["memoryBankConfig"]["structuredMemoryConfigs"]
    assert schemas["scopeKeys"] == ["user_id"]
    assert schemas["schemaConfigs"][0]["schema"] == {"type": "OBJECT", "properties": {"home_city": {"any_of": []}}}


class TestUpdate:
    def test_with_a_mask_nothing_else_changes(self, bank: Bank) -> None:
        before = bank.get()
        after = bank.update(ReasoningEngine(display_name="renamed", description="ignored"), mask=["displayName"])
        assert (after.display_name, after.description) == ("renamed", before.description)
        assert after.create_time == before.create_time
        assert after.update_time != before.update_time
        assert bank.get() == after

    @pytest.mark.parametrize("mask", ["", "?updateMask=display_name,context_spec", "?updateMask=displayName"])
    def test_an_empty_config_wipes_nothing(self, world: World, bank: Bank, mask: str) -> None:
        settings = {"contextSpec": {"memoryBankConfig": CONFIG}}
        done(world.call("PATCH", f"/v1beta1/{bank.name}", body=settings))
        body = {"displayName": "renamed", "context_spec": {"memory_bank_config": {}}}
        done(world.call("PATCH", f"/v1beta1/{bank.name}{mask}", body=body))
        after = bank.get()
        assert after.display_name == "renamed"
        assert after.config.wire() == CONFIG

    def test_a_config_in_another_spelling_is_taken(self, world: World, bank: Bank) -> None:
        body = {"contextSpec": {"memoryBankConfig": {"ttlConfig": {"granular_ttl_config": {"create_ttl": "5s"}}}}}
        answer = done(world.call("PATCH", f"/v1beta1/{bank.name}?updateMask=context_spec", body=body))
        assert answer["response"]["@type"].endswith("v1beta1.ReasoningEngine")
        assert bank.get().config.wire() == {"ttlConfig": {"granularTtlConfig": {"createTtl": "5s"}}}

    def test_an_unknown_field_of_the_mask(self, world: World, bank: Bank) -> None:
        fails(world.call("PATCH", f"/v1beta1/{bank.name}?updateMask=colour", body={}), 400, "INVALID_ARGUMENT")

    def test_a_bank_that_is_not_there(self, world: World) -> None:
        path = f"/v1beta1/{PARENT}/reasoningEngines/404"
        fails(world.call("PATCH", path, body={"displayName": "x"}), 404, "NOT_FOUND")
        fails(world.call("DELETE", path), 404, "NOT_FOUND")
        fails(world.call("GET", path), 404, "NOT_FOUND")


class TestDelete:
    def test_a_bank_that_holds_memories_is_kept_unless_forced(self, bank: Bank) -> None:
        bank.create_memory(Memory(fact="f", scope=SCOPE))
        with pytest.raises(errors.FailedPrecondition):
            bank.delete()
        assert len(bank.list_memories().memories) == 1
        bank.delete(force=True)
        for call in (bank.get, bank.list_memories):
            with pytest.raises(errors.NotFound):
                call()

    @pytest.mark.parametrize("way", ["body", "query"])
    def test_force_in_the_body_or_the_query(self, world: World, bank: Bank, way: str) -> None:
        path = f"/v1beta1/{bank.name}"
        bank.create_memory(Memory(fact="f", scope=SCOPE))
        fails(world.call("DELETE", path, body={"force": False}), 400, "FAILED_PRECONDITION")
        forced = (
            world.call("DELETE", path, body={"force": True})
            if way == "body"
            else world.call("DELETE", f"{path}?force=true")
        )
        operation = done(forced)
        assert operation["done"] is True
        assert operation["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}


class TestNames:
    def test_every_form_of_the_name_is_the_same_bank(self, world: World, bank: Bank) -> None:
        id = bank.name.id
        for name in (
            f"{PARENT}/reasoningEngines/{id}",
            f"{PARENT}/memoryBanks/{id}",
            f"projects/12345/locations/us-central1/reasoningEngines/{id}",
            f"reasoningEngines/{id}",
        ):
            for version in ("v1beta1", "v1"):
                answer = done(world.call("GET", f"/{version}/{name}"))
                assert answer["name"].endswith(f"/reasoningEngines/{id}")

    def test_another_location_is_another_place(self, world: World, bank: Bank) -> None:
        path = f"/v1beta1/projects/{PROJECT}/locations/europe-west1/reasoningEngines/{bank.name.id}"
        fails(world.call("GET", path), 404, "NOT_FOUND")


def test_a_display_name_has_at_most_128_characters(world: World) -> None:
    path = f"/v1beta1/{PARENT}/reasoningEngines"
    done(world.call("POST", path, body={"displayName": "é" * 128}))
    error = fails(world.call("POST", path, body={"displayName": "é" * 129}), 400, "INVALID_ARGUMENT")
    assert error["details"][0]["fieldViolations"][0]["field"] == "displayName"
