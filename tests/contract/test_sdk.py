"""Google's own SDK against a live server, as its users call it."""

import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.contract.world import LOCATION, PROJECT, Live

pytestmark = [
    pytest.mark.contract,
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore"),  # the SDK's own
]

SCOPE = {"user_id": "u1"}


@pytest.fixture
def client(server: Live, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.delenv(name, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import agentplatform  # type: ignore[import-untyped]
        from google.oauth2.credentials import Credentials

        return agentplatform.Client(
            project=PROJECT,
            location=LOCATION,
            credentials=Credentials(server.secrets["admin"]),  # type: ignore[no-untyped-call]
            http_options={"base_url": server.url},
        )


@pytest.fixture
def bank(client: Any) -> Iterator[str]:
    made = client.memory_banks.create(config={"display_name": "sdk"})
    yield made.name
    client.memory_banks.delete(name=made.name, force=True)


def test_a_bank(client: Any, bank: str) -> None:
    assert bank.startswith(f"projects/{PROJECT}/locations/{LOCATION}/reasoningEngines/")
    found = client.memory_banks.get(name=bank)
    assert found.display_name == "sdk"
    assert bank in [one.name for one in client.memory_banks.list()]
    client.memory_banks.update(name=bank, config={"display_name": "renamed"})
    assert client.memory_banks.get(name=bank).display_name == "renamed"


def test_a_memory_from_creation_to_deletion(client: Any, bank: str) -> None:
    memories = client.memory_banks.memories
    born = datetime(1990, 5, 1, tzinfo=UTC)
    operation = memories.create(
        name=bank,
        fact="My favourite drink is green tea.",
        scope=SCOPE,
        config={
            "display_name": "tea",
            "topics": [{"managed_memory_topic": "USER_PREFERENCES"}],
            "metadata": {
                "kind": {"string_value": "food"},
                "rank": {"double_value": 2.0},
                "seen": {"bool_value": True},
                "born": {"timestamp_value": born},
            },
        },
    )
    made = operation.response
    assert operation.done
    assert (made.fact, made.scope, made.display_name) == ("My favourite drink is green tea.", SCOPE, "tea")
    read = memories.get(name=made.name)
    assert read == made
    assert read.metadata["born"].timestamp_value == born
    assert read.metadata["rank"].double_value == 2.0
    assert read.topics[0].managed_memory_topic == "USER_PREFERENCES"
    assert memories.get(name="/".join(made.name.split("/")[4:])).name == made.name
    memories.delete(name=made.name)
    with pytest.raises(Exception, match="NOT_FOUND") as caught:
        memories.get(name=made.name)
    assert getattr(caught.value, "code", None) == 404


def test_an_id_a_life_and_a_clash(client: Any, bank: str) -> None:
    memories = client.memory_banks.memories
    made = memories.create(name=bank, fact="cat", scope=SCOPE, config={"memory_id": "cat-1", "ttl": "120s"}).response
    assert made.name.endswith("/cat-1")
    assert round((made.expire_time - made.create_time).total_seconds()) == 120
    with pytest.raises(Exception, match="ALREADY_EXISTS"):
        memories.create(name=bank, fact="dog", scope=SCOPE, config={"memory_id": "cat-1"})


def test_a_list_over_pages_filters_and_orders(client: Any, bank: str) -> None:
    memories = client.memory_banks.memories
    facts = [f"fact {number}" for number in range(7)]
    for number, fact in enumerate(facts):
        memories.create(name=bank, fact=fact, scope={"user_id": str(number % 2)})

    def listed(**config: Any) -> list[str]:
        return [one.fact for one in memories.list(name=bank, config=config or None)]

    assert listed() == facts[::-1]
    assert listed(page_size=3) == facts[::-1]
    assert listed(page_size=7) == facts[::-1]
    assert listed(order_by="create_time") == facts
    assert listed(filter='scope.user_id="1"') == ["fact 5", "fact 3", "fact 1"]
    assert listed(filter='scope="{\\"user_id\\": \\"1\\"}"') == ["fact 5", "fact 3", "fact 1"]
    assert listed(filter='fact=~".*[24].*"') == ["fact 4", "fact 2"]
    assert listed(filter='scope.user_id="9"') == []


def test_revisions_and_rollback(client: Any, bank: str) -> None:
    memories = client.memory_banks.memories
    made = memories.create(name=bank, fact="one", scope=SCOPE).response
    for fact in ("two", "three"):
        memories._update(name=made.name, fact=fact, scope=SCOPE)
    revisions = list(memories.revisions.list(name=made.name))
    assert [one.fact for one in revisions] == ["three", "two", "one"]
    assert [one.fact for one in memories.revisions.list(name=made.name, config={"page_size": 1})] == [
        "three",
        "two",
        "one",
    ]
    assert memories.revisions.get(name=revisions[1].name).fact == "two"
    memories.rollback(name=made.name, target_revision_id=revisions[2].name.rpartition("/")[2])
    assert memories.get(name=made.name).fact == "one"
    memories.delete(name=made.name)
    memories.rollback(name=made.name, target_revision_id=revisions[1].name)
    assert memories.get(name=made.name).fact == "two"


def test_a_token_that_is_none(server: Live) -> None:
    import agentplatform
    from google.oauth2.credentials import Credentials

    client = agentplatform.Client(
        project=PROJECT,
        location=LOCATION,
        credentials=Credentials("nonsense"),  # type: ignore[no-untyped-call]
        http_options={"base_url": server.url},
    )
    with pytest.raises(Exception, match="UNAUTHENTICATED"):
        list(client.memory_banks.list())
