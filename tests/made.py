"""What a test needs to exist: people with a role, somebody signed in, a bank, memories in it."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from memories.access.models import Binding
from memories.server import banks, policy, records, store
from memories.wire.names import BankName, MemoryName
from memories.wire.resources import Memory, ReasoningEngine

PASSWORD = "correct horse battery staple"
PROJECT, LOCATION = "local-project", "us-central1"


@dataclass(frozen=True)
class People:
    """One person for each role: `support` is a memoryUser, `nobody` has no role at all."""

    support: User
    viewer: User
    admin: User
    nobody: User


def person(name: str, *, role: str | None = None, bank: str = "", pairs: list[list[str]] | None = None) -> User:
    """A person with at most one role, on all banks or the bank of that key."""
    user = User.objects.create_user(name, password=PASSWORD)
    if role:
        Binding.objects.create(role=role, user=user, bank=bank, pairs=pairs or [])
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def new_bank(title: str = "Test bank", **fields: Any) -> BankName:
    """A bank, empty; `fields` as the wire has them."""
    engine = ReasoningEngine.read({"displayName": title} | fields)
    return records.bank_name(banks.create(PROJECT, LOCATION, engine))


def tell(bank: BankName, fact: str, scope: dict[str, str], *, memory_id: str = "", **fields: Any) -> MemoryName:
    """A memory more; `fields` as the wire has them, createTime and updateTime included."""
    (name,) = tell_all(bank, [{"fact": fact, "scope": scope} | fields], ids=[memory_id])
    return name


def tell_all(bank: BankName, bodies: list[dict[str, Any]], *, ids: list[str] | None = None) -> list[MemoryName]:
    """Many memories at once, in order; the ids are given where none is."""
    new = [Memory.read(body) for body in bodies]
    for memory in new:
        policy.check_new(memory)
    rows = store.insert(banks.find(bank), list(zip(ids or [""] * len(new), new, strict=True)), timed=True)
    return [MemoryName(bank, row.memory_id) for row, _revision in rows]
