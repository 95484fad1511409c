"""What all tests share: people with roles, signed in, and a bank. tests/made.py makes more."""

import pytest
from django.test import Client
from hypothesis import HealthCheck, settings

from memories.wire.names import BankName
from tests import made
from tests.made import People, person, signed_in

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")


@pytest.fixture
def people(db: None) -> People:
    return People(
        support=person("sam", role="roles/aiplatform.memoryUser"),
        viewer=person("vera", role="roles/aiplatform.memoryViewer"),
        admin=person("ada", role="roles/console.admin"),
        nobody=person("nora"),
    )


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


@pytest.fixture
def bank(db: None) -> BankName:
    """An empty bank."""
    return made.new_bank()
