"""The audit trail: found by bank and memory whatever the project, and without any text of memories or scopes."""

import pytest
from django.contrib.auth.models import User

from memories.access import checks, trail
from memories.access.models import Entry
from memories.wire.names import BankName, MemoryName

BANK = BankName("p", "us-central1", "1")
UPDATE = "aiplatform.memories.update"


@pytest.fixture
def ann(db: None) -> checks.Principal:
    return checks.principal(User.objects.create_user("ann"), via="token laptop")


def test_a_row_says_who_what_and_how_it_ended(ann: checks.Principal) -> None:
    trail.record(
        ann,
        action=UPDATE,
        resource=f"{BANK}/memories/m1",
        outcome="done",
        reason="moved",
        revision=f"{BANK}/memories/m1/revisions/7",
    )
    (row,) = trail.entries()
    assert (row.person, row.via, row.action, row.outcome) == ("ann", "token laptop", UPDATE, "done")
    assert (row.bank, row.memory, row.revision, row.reason) == ("us-central1/1", "m1", "7", "moved")
    assert row.at is not None


def test_a_memory_is_found_by_bank_and_id_whatever_the_project(ann: checks.Principal) -> None:
    names = [
        "projects/p/locations/us-central1/reasoningEngines/1/memories/m1",
        "projects/123/locations/us-central1/memoryBanks/1/memories/m1",
        "projects/p/locations/us-central1/reasoningEngines/1/memories/m1/revisions/3",
        "projects/p/locations/us-central1/reasoningEngines/1/memories/m12",
        "projects/p/locations/europe-west1/reasoningEngines/1/memories/m1",
        str(BANK),
    ]
    for name in names:
        trail.record(ann, action=UPDATE, resource=name, outcome="done")
    assert [row.resource for row in trail.entries(resource=MemoryName(BANK, "m1"))] == names[2::-1]
    assert [row.resource for row in trail.entries(resource=BANK)] == [names[5], *names[3::-1]]
    assert len(trail.entries()) == 6


def test_pages(ann: checks.Principal) -> None:
    for number in range(5):
        trail.record(ann, action=UPDATE, resource=str(BANK), outcome="done", count=number)
    first = trail.entries(limit=2)
    second = trail.entries(limit=2, before=first[-1].pk)
    assert [row.count for row in first + second] == [4, 3, 2, 1]


def test_a_scope_is_kept_as_a_keyed_digest_alone(ann: checks.Principal) -> None:
    trail.record(ann, action=UPDATE, resource=str(BANK), outcome="done", scope={"user_id": "giulia", "app": "shop"})
    row = Entry.objects.values().get()
    assert not any("giulia" in str(value) for value in row.values())
    assert row["scope_digest"] == trail.scope_digest({"app": "shop", "user_id": "giulia"})
    assert len(row["scope_digest"]) == 64


def test_another_key_makes_another_digest(settings: object) -> None:
    first = trail.scope_digest({"user_id": "1"})
    settings.AUDIT_KEY = b"another"  # type: ignore[attr-defined]
    assert trail.scope_digest({"user_id": "1"}) != first


@pytest.mark.parametrize("name", ["", "no name at all", "projects/p", "\0", "bad \ud83d", "x" * 5_000])
def test_a_refused_change_of_no_resource_is_a_row_too(ann: checks.Principal, name: str) -> None:
    trail.record(ann, action=UPDATE, resource=name, outcome="refused", status="INVALID_ARGUMENT", reason=name)
    (row,) = trail.entries()
    assert (row.bank, row.memory, row.status) == ("", "", "INVALID_ARGUMENT")
