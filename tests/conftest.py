"""Who and what the tests share: people with roles, signed in, and a bank."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import HealthCheck, settings

from memories.access.models import Binding

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")

PASSWORD = "correct horse battery staple"


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


@pytest.fixture
def people(db: None) -> People:
    return People(
        support=person("sam", role="roles/aiplatform.memoryUser"),
        viewer=person("vera", role="roles/aiplatform.memoryViewer"),
        admin=person("ada", role="roles/console.admin"),
        nobody=person("nora"),
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def as_support(people: People) -> Client:
    return signed_in(people.support)


@pytest.fixture
def as_viewer(people: People) -> Client:
    return signed_in(people.viewer)


@pytest.fixture
def as_admin(people: People) -> Client:
    return signed_in(people.admin)


@pytest.fixture
def as_nobody(people: People) -> Client:
    return signed_in(people.nobody)
