"""Which schemas a scope has, what data follows them, and the profile that memories make."""

from typing import Any

import pytest

from memories.access.checks import EVERYTHING
from memories.server import profiles, store
from memories.server.models import Bank, Memory
from memories.wire import resources, schemas
from memories.wire.errors import InvalidArgument
from memories.wire.resources import MemoryBankConfig, StructuredMemoryConfig
from tests.unit.retrieval.conftest import SCOPE, Put

pytestmark = pytest.mark.contract

SCHEMA = {
    "type": "OBJECT",
    "required": ["language"],
    "properties": {"language": {"type": "STRING"}, "level": {"type": "STRING", "enum": ["Junior", "Senior"]}},
    "propertyOrdering": ["level", "language"],
}


def configured(*configs: dict[str, Any]) -> MemoryBankConfig:
    return MemoryBankConfig.read({"structuredMemoryConfigs": list(configs)})


def schema(id: str, **schema: Any) -> dict[str, Any]:
    return {"id": id, "schema": schema or SCHEMA}


@pytest.fixture
def settings_of(bank: Bank) -> MemoryBankConfig:
    config = configured({"scopeKeys": ["user_id"], "schemaConfigs": [schema("user-profile")]})
    bank.config = config.model_dump_json(by_alias=True, exclude_none=True)
    bank.save()
    return config


def structured(data: dict[str, Any], schema_id: str = "user-profile") -> dict[str, Any]:
    return {"memoryType": "STRUCTURED_PROFILE", "structuredContent": {"schemaId": schema_id, "data": data}}


def test_the_config_with_the_most_keys_that_a_scope_has() -> None:
    configs = [StructuredMemoryConfig(scope_keys=keys) for keys in (["a"], ["a", "b"], None, ["z"])]

    def chosen(**scope: str) -> list[str] | None:
        found = schemas.applying(configs, scope)
        return found.scope_keys if found else ["none"]

    assert chosen(a="1") == ["a"]
    assert chosen(a="1", b="2", c="3") == ["a", "b"]
    assert chosen(b="2") is None
    assert schemas.applying(configs[:2], {"b": "2"}) is None


def test_a_profile_is_made_of_memories(bank: Bank, put: Put, settings_of: MemoryBankConfig) -> None:
    first = put([""], **structured({"language": "Python"}))[0]
    put([""], **structured({"level": "Senior"}))
    put(["a fact"])
    put([""], scope={"user_id": "other"}, **structured({"level": "Junior"}))
    found = profiles.of(bank, SCOPE, config=settings_of)
    assert found == {"user-profile": {"schemaId": "user-profile", "profile": {"level": "Senior", "language": "Python"}}}
    assert list(found["user-profile"]["profile"]) == ["level", "language"]
    put([""], **structured({"language": "Go"}))
    assert profiles.of(bank, SCOPE, config=settings_of)["user-profile"]["profile"]["language"] == "Go"
    change = resources.Memory.receive({"structuredContent": {"schemaId": "user-profile", "data": {"language": "C"}}})
    store.update(bank, first.memory_id, change, mask={"structured_content"}, if_match="", condition=EVERYTHING)
    assert profiles.of(bank, SCOPE, config=settings_of)["user-profile"]["profile"]["language"] == "C"
    Memory.objects.update(expire_time=1)
    assert profiles.of(bank, SCOPE, config=settings_of) == {}


REFUSED = [
    ({"language": 3}, "user-profile", "structuredContent.data.language"),
    ({"language": None}, "user-profile", "structuredContent.data.language"),
    ({"level": "Expert"}, "user-profile", "structuredContent.data.level"),
    ({"age": 3}, "user-profile", "structuredContent.data.age"),
    ({"language": "Python"}, "another", "structuredContent.schemaId"),
]


@pytest.mark.parametrize(("data", "schema_id", "path"), REFUSED)
def test_data_follows_its_schema(
    bank: Bank, put: Put, settings_of: MemoryBankConfig, data: dict[str, Any], schema_id: str, path: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        put([""], **structured(data, schema_id))
    assert [at for at, _text in caught.value.violations] == [path]
    row = put([""], **structured({"language": "Python"}))[0]
    if schema_id == "user-profile":
        change = resources.Memory.receive({"structuredContent": {"schemaId": schema_id, "data": data}})
        with pytest.raises(InvalidArgument):
            store.update(bank, row.memory_id, change, mask={"structured_content"}, if_match="", condition=EVERYTHING)


def test_a_scope_without_schemas_and_a_bank_without_any(bank: Bank, put: Put, settings_of: MemoryBankConfig) -> None:
    with pytest.raises(InvalidArgument, match="they have none"):
        put([""], scope={"team": "x"}, **structured({"language": "Python"}))
    bank.config = "{}"
    put([""], scope={"team": "x"}, **structured({"anything": 1}, "whatever"))


WRONG: dict[str, tuple[MemoryBankConfig, str]] = {
    "two defaults": (configured({}, {"scopeKeys": []}), "structuredMemoryConfigs[1].scopeKeys"),
    "the same keys": (configured({"scopeKeys": ["a"]}, {"scopeKeys": ["a"]}), "structuredMemoryConfigs[1].scopeKeys"),
    "an id twice": (configured({"schemaConfigs": [schema("a"), schema("a")]}), "schemaConfigs[1].id"),
    "no schema": (configured({"schemaConfigs": [{"id": "a"}]}), "schemaConfigs[0].schema"),
    "a list": (configured({"schemaConfigs": [schema("a", type="ARRAY")]}), "schema.type"),
    "no type": (configured({"schemaConfigs": [schema("a", properties={"b": {"type": "TEXT"}})]}), "properties.b.type"),
    "a bad pattern": (configured({"schemaConfigs": [schema("a", pattern="(")]}), "schema.pattern"),
    "a life below zero": (MemoryBankConfig.read({"ttlConfig": {"defaultTtl": "-1s"}}), "ttlConfig.defaultTtl"),
    "half a minute": (
        MemoryBankConfig.read(
            {"generationConfig": {"generationTriggerConfig": {"generationRule": {"idleDuration": "30s"}}}}
        ),
        "generationRule.idleDuration",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_settings_that_cannot_be_used(fault: str) -> None:
    config, path = WRONG[fault]
    with pytest.raises(InvalidArgument) as caught:
        profiles.check_config(config)
    assert caught.value.violations[0][0].endswith(path)
