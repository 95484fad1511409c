"""Google's other SDKs, and what they all do with retrieval: agentplatform, vertexai, the generated client, ADK."""

import asyncio
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.contract.world import LOCATION, PROJECT, ROOT, Live

pytestmark = [
    pytest.mark.contract,
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore"),  # the SDKs' own
]

PARENT = f"projects/{PROJECT}/locations/{LOCATION}"
SCOPE = {"user_id": "u1"}
TEA, PEANUTS = "My favourite drink is green tea.", "I am allergic to peanuts."
SCHEMA = {"type": "OBJECT", "properties": {"language": {"type": "STRING"}, "level": {"type": "STRING"}}}
SETTINGS = {
    "structured_memory_configs": [
        {"scope_keys": ["user_id"], "schema_configs": [{"id": "user-profile", "memory_schema": SCHEMA}]}
    ],
    "ttl_config": {"default_ttl": "86400s"},
}


def client_of(module: str, server: Live) -> Any:
    from google.oauth2.credentials import Credentials

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return __import__(module).Client(
            project=PROJECT,
            location=LOCATION,
            credentials=Credentials(server.secrets["admin"]),  # type: ignore[no-untyped-call]
            http_options={"base_url": server.url},
        )


@pytest.fixture(params=["agentplatform", "vertexai"])
def banks(request: pytest.FixtureRequest, server: Live) -> Any:
    client = client_of(request.param, server)
    return client.memory_banks if request.param == "agentplatform" else client.agent_engines


@pytest.fixture
def bank(banks: Any) -> Iterator[str]:
    if banks.__class__.__name__.startswith("MemoryBank"):
        name = banks.create(managed_semantic_memory_config=SETTINGS, config={"display_name": "sdk"}).name
    else:
        config = {"display_name": "sdk", "context_spec": {"memory_bank_config": SETTINGS}}
        name = banks.create(config=config).api_resource.name
    yield name
    banks.delete(name=name, force=True)


def test_retrieval(banks: Any, bank: str) -> None:
    memories = banks.memories
    for fact, kind in ((TEA, "food"), (PEANUTS, "health"), ("I cycle to work.", "sport"), ("I live in Oslo.", "home")):
        memories.create(name=bank, fact=fact, scope=SCOPE, config={"metadata": {"kind": {"string_value": kind}}})
    near = list(
        memories.retrieve(
            name=bank, scope=SCOPE, similarity_search_params={"search_query": "a green tea drink", "top_k": 2}
        )
    )
    assert near[0].memory.fact == TEA
    assert len(near) == 2
    assert near[0].distance <= near[1].distance
    found = [{"filters": [{"key": "kind", "value": {"string_value": "food"}, "negate": True}]}]
    rest = memories.retrieve(name=bank, scope=SCOPE, config={"filter_groups": found, "filter": 'fact=~".*I .*"'})
    assert sorted(one.memory.fact for one in rest) == sorted([PEANUTS, "I cycle to work.", "I live in Oslo."])
    first = memories.retrieve(name=bank, scope=SCOPE, simple_retrieval_params={"page_size": 3})
    token = first.config["page_token"]
    second = memories.retrieve(name=bank, scope=SCOPE, simple_retrieval_params={"page_size": 3, "page_token": token})
    assert [len(first.page), len(second.page)] == [3, 1]


def test_profiles(banks: Any, bank: str) -> None:
    for data in ({"language": "Python"}, {"level": "Senior"}):
        content = {"memoryType": "STRUCTURED_PROFILE", "structuredContent": {"schemaId": "user-profile", "data": data}}
        banks.memories.create(name=bank, fact="", scope=SCOPE, config={"http_options": {"extra_body": content}})
    found = banks.memories.retrieve_profiles(name=bank, scope=SCOPE).profiles
    assert found["user-profile"].profile == {"language": "Python", "level": "Senior"}


def test_generate_ingest_and_purge(banks: Any, bank: str) -> None:
    memories = banks.memories
    source = {"direct_memories": [{"fact": "I collect stamps."}]}
    operation = memories.generate(
        name=bank, scope=SCOPE, direct_memories_source=source, config={"revision_labels": {"source": "321"}}
    )
    made = operation.response.generated_memories[0]
    assert made.action.value == "CREATED"
    labelled = list(memories.revisions.list(name=made.memory.name, config={"filter": 'labels.source="321"'}))
    assert [one.labels for one in labelled] == [{"source": "321"}]
    again = memories.generate(name=bank, scope=SCOPE, direct_memories_source=source).response.generated_memories[0]
    assert (again.action.value, again.memory.name) == ("UPDATED", made.memory.name)
    said = {"events": [{"content": {"role": "user", "parts": [{"text": "Hello."}]}}]}
    kept = memories.generate(name=bank, scope=SCOPE, direct_contents_source=said)
    assert kept.done
    assert kept.error["code"] == 9
    ingest = getattr(banks, "ingest_events", None) or memories.ingest_events
    assert "/operations/" in ingest(name=bank, scope=SCOPE, stream_id="s", direct_contents_source=said).name
    assert memories.purge(name=bank, filter='scope.user_id="u1"').response.purge_count == 1
    assert memories.purge(name=bank, filter='scope.user_id="u1"', force=True).response.purge_count == 1
    assert list(memories.list(name=bank)) == []
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        memories.purge(name=bank, force=True)


def test_the_generated_client(server: Live) -> None:
    from google.cloud import aiplatform_v1beta1 as v
    from google.oauth2.credentials import Credentials

    options: Any = {
        "transport": "rest",
        "credentials": Credentials(server.secrets["admin"]),  # type: ignore[no-untyped-call]
        "client_options": {"api_endpoint": server.url},
    }
    client: Any = v.MemoryBankServiceClient(**options)
    banks: Any = v.ReasoningEngineServiceClient(**options)
    settings = v.ReasoningEngineContextSpec.MemoryBankConfig(ttl_config={"default_ttl": {"seconds": 864000}})
    engine = v.ReasoningEngine(display_name="gapic", context_spec={"memory_bank_config": settings})
    bank = banks.create_reasoning_engine(parent=PARENT, reasoning_engine=engine).result(timeout=30).name
    born = {"born": v.MemoryMetadataValue(timestamp_value=datetime(1990, 5, 1, tzinfo=UTC))}
    for fact in (TEA, PEANUTS):
        memory = v.Memory(fact=fact, scope=SCOPE, metadata=born, memory_type="NATURAL_LANGUAGE_COLLECTION")
        made = client.create_memory(parent=bank, memory=memory).result(timeout=30)
    asked = {"parent": bank, "scope": SCOPE, "similarity_search_params": {"search_query": "green tea", "top_k": 1}}
    assert [one.memory.fact for one in client.retrieve_memories(request=asked).retrieved_memories] == [TEA]
    asked = {"parent": bank, "scope": SCOPE, "simple_retrieval_params": {"page_size": 1}}
    assert client.retrieve_memories(request=asked).next_page_token
    asked = {"parent": bank, "scope": {"user_id": "g"}}
    asked["direct_memories_source"] = {"direct_memories": [{"fact": "I collect coins."}]}
    generated = client.generate_memories(request=asked).result(timeout=30).generated_memories
    assert generated[0].action.name == "CREATED"
    changed = client.update_memory(memory=v.Memory(name=made.name, fact="new"), update_mask={"paths": ["fact"]})
    assert changed.result(timeout=30).fact == "new"
    client.delete_memory(name=made.name).result(timeout=30)
    banks.delete_reasoning_engine(request={"name": bank, "force": True}).result(timeout=30)


def test_the_agent_development_kit(server: Live) -> None:
    from google.adk.events.event import Event
    from google.adk.memory import VertexAiMemoryBankService
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types

    class Memories(VertexAiMemoryBankService):
        def _build_api_client(self) -> Any:
            return client.aio

    client = client_of("agentplatform", server)
    bank = client.memory_banks.create().name
    service = Memories(project=PROJECT, location=LOCATION, agent_engine_id=bank.rpartition("/")[2])
    who: Any = {"app_name": "app", "user_id": "u"}

    async def use() -> Any:
        said = types.Content(role="user", parts=[types.Part(text=TEA)])
        entry = MemoryEntry(id="tea-1", content=said, custom_metadata={"kind": "food", "rank": 2})
        await service.add_memory(**who, memories=[entry])
        event = Event(author="user", timestamp=1760000000.5, content=said)
        await service.add_events_to_memory(
            **who, events=[event], custom_metadata={"ttl": "600s", "wait_for_completion": True}
        )
        other = await service.search_memory(app_name="app", user_id="another", query="tea")
        found = await service.search_memory(**who, query="a warm drink")
        await client.aio.aclose()
        return other, found

    other, found = asyncio.run(use())
    assert other.memories == []
    assert [one.content.parts[0].text for one in found.memories] == [TEA]
    assert found.memories[0].custom_metadata == {"kind": "food", "rank": 2.0}
    client.memory_banks.delete(name=bank, force=True)


def test_the_program_in_the_documentation(server: Live) -> None:
    """It is run as a reader would, against a server that has the default project and location."""
    command = [sys.executable, "-W", "ignore", str(ROOT / "docs" / "adk_agent.py"), server.url, server.secrets["admin"]]
    environment = os.environ | {"NO_PROXY": "127.0.0.1,localhost"}
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert found.stdout.splitlines() == ["I only drink green tea."], found.stderr


def test_the_printed_requests_run(server: Live) -> None:
    """D76: each snippet that the console prints works with the SDK it is labelled with, and gives the same answer."""
    from console import snippets
    from memories.wire.names import BankName
    from memories.wire.resources import NewMemory, ReasoningEngine, RetrieveMemoriesRequest

    service = server.service()
    bank = service.bank(BankName.parse(service.create_bank(ReasoningEngine(display_name="snippets")).name or ""))
    scope = {"user_id": 'O\'Brien "Q" קפה', "app name": "$HOME `x` \\"}
    bodies = [
        {"fact": fact, "scope": scope, "metadata": {"kind": {"stringValue": kind}, "rank": {"doubleValue": rank}}}
        for fact, kind, rank in ((TEA, "food", 1), (PEANUTS, "health", 2), ("I live in Oslo.", "home", 3))
    ]
    bank.batch_create([NewMemory.read({"memory": body}) for body in bodies])
    groups = [
        {"filters": [{"key": "kind", "op": "EQUAL", "value": {"stringValue": "food"}}]},
        {"filters": [{"key": "rank", "op": "GREATER_THAN", "negate": True, "value": {"doubleValue": 2}}]},
    ]
    asked = RetrieveMemoriesRequest.read(
        {
            "scope": scope,
            "similaritySearchParams": {"searchQuery": "it's tea", "topK": 2},
            "filter": 'fact=~".*[aeiou].*"',
            "filterGroups": groups,
            "memoryTypes": ["NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE"],
        }
    )
    for request, facts in ((asked, [TEA, PEANUTS]), (RetrieveMemoriesRequest(scope=scope), None)):
        found = {one["id"]: one["text"] for one in snippets.retrieval(request, bank.name, server.url)}
        environment = os.environ | {"TOKEN": server.secrets["admin"]}
        for id, text in found.items():
            if id == "json":
                assert RetrieveMemoriesRequest.read(json.loads(text)) == request
                continue
            command = ["sh", "-c", text] if id == "curl" else [sys.executable, "-W", "ignore", "-c", text]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, (id, done.stderr)
            for fact in facts or (TEA, PEANUTS, "I live in Oslo."):
                assert fact in done.stdout, (id, done.stdout)
            if facts:
                assert "Oslo" not in done.stdout
                assert done.stdout.index(TEA) < done.stdout.index(PEANUTS)
