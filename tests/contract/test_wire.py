"""The wire as Google's SDKs need it: the checklist of the API reference, line by line, and every kind of error."""

import json
import re
from typing import Any

import httpx
import pytest

from memories.client.bank import Bank
from memories.wire.resources import Memory
from tests.contract.world import PARENT, SCOPE, World, done, fails, id_of

pytestmark = [pytest.mark.contract]

TYPES = "type.googleapis.com/google.cloud.aiplatform.v1beta1."
BODY = {"fact": "f", "scope": SCOPE}


def post(world: World, bank: Bank, body: object, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = done(world.call("POST", f"/v1beta1/{bank.name}/memories", body=body, **options))["response"]
    return found


def test_1_every_success_is_200_with_a_json_object(world: World, bank: Bank) -> None:
    memory = post(world, bank, BODY)["name"]
    (revision,) = done(world.call("GET", f"/v1beta1/{memory}/revisions"))["memoryRevisions"]
    for method, path, body in (
        ("GET", f"{bank.name}", None),
        ("GET", f"{PARENT}/reasoningEngines", None),
        ("GET", f"{bank.name}/memories", None),
        ("GET", f"{bank.name}/operations", None),
        ("GET", memory, None),
        ("GET", f"{memory}/revisions", None),
        ("GET", revision["name"], None),
        ("PATCH", memory, {"fact": "g"}),
        ("POST", f"{memory}:rollback", {"targetRevisionId": revision["name"]}),
        ("DELETE", memory, None),
        ("PATCH", f"{bank.name}", {"displayName": "x"}),
        ("DELETE", f"{bank.name}", {"force": True}),
    ):
        answer = world.call(method, f"/v1beta1/{path}", body=body)
        done(answer)
        assert re.match(r"application/json(;\s*charset=utf-8)?$", answer.headers["Content-Type"], re.IGNORECASE)


def test_2_both_spellings_at_every_depth_and_data_untouched(world: World, bank: Bank) -> None:
    body = {
        "fact": "f",
        "scope": {"user_id": "1", "appName": "a"},
        "display_name": "dn",
        "revision_labels": {"dataSource": "x", "data_source": "y"},
        "topics": [{"managed_memory_topic": "USER_PREFERENCES"}, {"custom_memory_topic_label": "jargon"}],
        "metadata": {"some_key": {"string_value": "v"}, "someKey": {"timestamp_value": "2027-01-01T12:30:00+02:00"}},
        "expire_time": "2090-01-01T00:00:00+00:00",
    }
    made = post(world, bank, body)
    assert made["scope"] == {"appName": "a", "user_id": "1"}
    assert made["displayName"] == "dn"
    assert made["topics"] == [{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "jargon"}]
    assert made["metadata"] == {
        "some_key": {"stringValue": "v"},
        "someKey": {"timestampValue": "2027-01-01T10:30:00Z"},
    }
    (revision,) = done(world.call("GET", f"/v1beta1/{made['name']}/revisions"))["memoryRevisions"]
    assert revision["labels"] == {"dataSource": "x", "data_source": "y"}
    assert not {key for key in made if "_" in key}


def test_3_enum_numbers_and_names_in_and_names_out(world: World, bank: Bank) -> None:
    for topic in (2, "USER_PREFERENCES"):
        made = post(world, bank, BODY | {"topics": [{"managedMemoryTopic": topic}], "memoryType": 1})
        assert made["topics"] == [{"managedMemoryTopic": "USER_PREFERENCES"}]
        assert made["memoryType"] == "NATURAL_LANGUAGE_COLLECTION"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2090-01-02T03:04:05Z", "2090-01-02T03:04:05Z"),
        ("2090-01-02T03:04:05.678901+00:00", "2090-01-02T03:04:05.678901Z"),
        ("2090-01-02T03:04:05", "2090-01-02T03:04:05Z"),
        ("2090-01-02T05:04:05.5+02:00", "2090-01-02T03:04:05.500Z"),
    ],
)
def test_4_times_with_z_an_offset_or_none(world: World, bank: Bank, written: str, read: str) -> None:
    made = post(world, bank, BODY | {"expireTime": written})
    assert made["expireTime"] == read
    for key in ("createTime", "updateTime"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d{3}|\d{6}|\d{9}))?Z", made[key])


def test_5_both_versions_and_names_without_a_project(world: World, bank: Bank) -> None:
    for version in ("v1", "v1beta1"):
        for name in (
            str(bank.name),
            f"reasoningEngines/{bank.name.id}",
            str(bank.name).replace("reasoningEngines", "memoryBanks"),
        ):
            made = done(world.call("POST", f"/{version}/{name}/memories", body=BODY))["response"]["name"]
            id = made.rpartition("/")[2]
            assert done(world.call("GET", f"/{version}/{name}/memories/{id}"))["fact"] == "f"
            done(world.call("GET", f"/{version}/{name}/memories/{id}/revisions"))
            done(world.call("PATCH", f"/{version}/{name}/memories/{id}", body={"fact": "f"}))
    assert len(bank.list_memories().memories) == 6


@pytest.mark.parametrize(
    "query",
    [
        "$alt=json;enum-encoding=int",
        "%24alt=json%3Benum-encoding%3Dint",
        "alt=json",
        "prettyPrint=false",
        "$prettyPrint=true",
        "key=K",
    ],
)
def test_6_system_parameters_are_taken(world: World, bank: Bank, query: str) -> None:
    done(world.call("GET", f"/v1beta1/{bank.name}/memories?{query}"))


def test_6_a_body_on_get_is_nothing(world: World, bank: Bank) -> None:
    for content in (b"{}", b'{"pageSize": 1}', b"not json"):
        headers = {"Content-Type": "application/json"}
        done(world.call("GET", f"/v1beta1/{bank.name}/memories", content=content, headers=headers))


def test_6_other_names_are_refused(world: World, bank: Bank) -> None:
    for method, path in (
        ("GET", f"{bank.name}?view=FULL"),
        ("POST", f"{bank.name}/memories?memory_di=x"),
        ("DELETE", f"{bank.name}?dryRun=true"),
    ):
        answer = world.call(method, f"/v1beta1/{path}", body=BODY if method == "POST" else None)
        fails(answer, 400, "INVALID_ARGUMENT")


def test_10_operations_stay_readable_and_are_listed(world: World, bank: Bank) -> None:
    operation = done(world.call("POST", f"/v1beta1/{bank.name}/memories", body=BODY))
    done(world.call("DELETE", f"/v1beta1/{operation['response']['name']}"))
    assert done(world.call("GET", f"/v1beta1/{operation['name']}")) == operation
    assert done(world.call("GET", f"/v1/{operation['name']}")) == operation
    listed = done(world.call("GET", f"/v1beta1/{bank.name}/operations"))["operations"]
    assert operation["name"] in [one["name"] for one in listed]
    assert all(one["done"] and one["name"].startswith(str(bank.name)) for one in listed)
    fails(world.call("GET", f"/v1beta1/{bank.name}/operations/404"), 404, "NOT_FOUND")


def test_10_every_operation_has_its_exact_types(world: World, bank: Bank) -> None:
    empty = "type.googleapis.com/google.protobuf.Empty"
    path = f"/v1beta1/{bank.name}"
    created = done(world.call("POST", f"{path}/memories", body=BODY))
    memory = f"/v1beta1/{created['response']['name']}"
    revision = done(world.call("GET", f"{memory}/revisions"))["memoryRevisions"][0]["name"]
    for operation, response, metadata in (
        (created, f"{TYPES}Memory", "CreateMemory"),
        (done(world.call("PATCH", memory, body={"fact": "g"})), f"{TYPES}Memory", "UpdateMemory"),
        (
            done(world.call("POST", f"{memory}:rollback", body={"targetRevisionId": revision})),
            f"{TYPES}RollbackMemoryResponse",
            "RollbackMemory",
        ),
        (done(world.call("DELETE", memory)), empty, "DeleteMemory"),
        (
            done(world.call("PATCH", path, body={"displayName": "x"})),
            f"{TYPES}ReasoningEngine",
            "UpdateReasoningEngine",
        ),
        (done(world.call("DELETE", path)), empty, "Delete"),
    ):
        assert operation["done"] is True
        assert "error" not in operation
        assert operation["response"]["@type"] == response
        assert operation["metadata"]["@type"] == f"{TYPES}{metadata}OperationMetadata"
        generic = operation["metadata"]["genericMetadata"]
        assert set(generic) <= {"createTime", "updateTime", "partialFailures"}


def test_13_one_kind_for_each_metadata_value(world: World, bank: Bank) -> None:
    metadata = {
        "false": {"boolValue": False},
        "zero": {"doubleValue": 0.0},
        "empty": {"stringValue": ""},
        "int": {"doubleValue": 3},
    }
    made = post(world, bank, BODY | {"metadata": metadata})["metadata"]
    assert made == metadata
    assert all(len(value) == 1 for value in made.values())


def test_16_a_write_is_read_at_once(world: World, bank: Bank) -> None:
    for number in range(10):
        name = post(world, bank, BODY | {"fact": str(number)})["name"]
        assert done(world.call("GET", f"/v1beta1/{name}"))["fact"] == str(number)


def test_20_a_bearer_token_or_an_api_key(world: World, bank: Bank) -> None:
    secret, path = world.secrets["admin"], f"/v1beta1/{bank.name}"
    done(world.call("GET", path, person="", headers={"Authorization": f"Bearer {secret}"}))
    done(world.call("GET", path, person="", headers={"Authorization": f"bearer {secret}"}))
    done(world.call("GET", path, person="", headers={"x-goog-api-key": secret}))


def test_21_a_colon_in_the_last_segment(world: World, bank: Bank, memory: Memory) -> None:
    fails(world.call("POST", f"/v1beta1/{memory.name}:nonsense", body={}), 404, "NOT_FOUND")
    answer = world.call("GET", f"/v1beta1/{memory.name}:rollback")
    assert answer.status_code in (404, 405)
    assert set(answer.json()) == {"error"}


class TestErrors:
    @pytest.mark.parametrize(
        "path",
        [
            "/v1beta1",
            "/v1beta1/",
            "/v1beta1/nonsense",
            "/v1/projects/p",
            "/v1beta1/projects/p/locations/l/models/1",
            "/admin/v1/x",
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_a_path_that_is_none(self, world: World, method: str, path: str) -> None:
        fails(world.call(method, path), 404, "NOT_FOUND")

    @pytest.mark.parametrize("method", ["PUT", "POST", "OPTIONS", "HEAD", "TRACE"])
    def test_a_verb_that_is_none(self, world: World, bank: Bank, method: str) -> None:
        answer = world.call(method, f"/v1beta1/{bank.name}")
        assert answer.status_code in ((200,) if method in ("HEAD", "OPTIONS") else (404, 405, 501)) or (
            answer.status_code in (404, 405, 501)
        )
        if method in ("PUT", "POST"):
            assert set(answer.json()) == {"error"}

    @pytest.mark.parametrize(
        "content",
        [b"{", b"[]", b'"x"', b"null", b"\xff", b'{"fact": NaN}', b"[" * 100_000, b'{"a":' * 5000, b"1" * 5000],
    )
    def test_a_body_that_is_none(self, world: World, bank: Bank, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        path = f"/v1beta1/{bank.name}/memories"
        fails(world.call("POST", path, content=content, headers=headers), 400, "INVALID_ARGUMENT")

    @pytest.mark.parametrize(
        "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]
    )
    def test_another_content_type(self, world: World, bank: Bank, kind: str) -> None:
        content, headers = json.dumps(BODY).encode(), {"Content-Type": kind}
        answer = world.call("POST", f"/v1beta1/{bank.name}/memories", content=content, headers=headers)
        assert answer.status_code in (200, 400, 415)
        if answer.status_code != 200:
            assert set(answer.json()) == {"error"}

    @pytest.mark.parametrize("id", ["a%2Fb", "..", ".", "%00", "é", "a%20b", "x" * 200, "%0A", "<b>"])
    def test_a_malformed_id(self, world: World, bank: Bank, id: str) -> None:
        """D28"""
        url = httpx.URL(
            f"http://x/v1beta1/{bank.name}/memories/{id}"
            if id not in (".", "..")
            else f"http://x/v1beta1/{bank.name}/memories/%2E"
        )
        for method in ("GET", "DELETE"):
            answer = world.call(method, url.raw_path.decode())
            assert answer.status_code in (400, 404), answer.text
            assert set(answer.json()) == {"error"}
        assert bank.get().name == str(bank.name)

    def test_an_unknown_id(self, world: World, bank: Bank) -> None:
        """D28"""
        error = fails(world.call("GET", f"/v1beta1/{bank.name}/memories/404"), 404, "NOT_FOUND")
        assert "404" in error["message"]

    def test_an_error_is_in_english_whatever_the_client_speaks(self, world: World, bank: Bank) -> None:
        path = f"/v1beta1/{bank.name}/memories/404"
        texts = {world.call("GET", path, headers={"Accept-Language": language}).text for language in ("en", "it", "he")}
        assert len(texts) == 1

    def test_hostile_text_in_an_error_is_json(self, world: World, bank: Bank) -> None:
        """D56"""
        answer = world.call("GET", f"/v1beta1/{bank.name}/memories", params={"filter": "<img src=x onerror=alert(1)>"})
        fails(answer, 400, "INVALID_ARGUMENT")
        assert answer.headers["Content-Type"].startswith("application/json")
        if world.live:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_memory_by_its_address_as_any_client_writes_it(world: World, bank: Bank, memory: Memory) -> None:
    id = id_of(memory)
    for path in (f"/v1beta1/{bank.name}/memories/{id}", f"/v1beta1/{bank.name}/memories/{id}?alt=json"):
        assert done(world.call("GET", path))["fact"] == memory.fact
