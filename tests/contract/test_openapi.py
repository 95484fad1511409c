"""The server's description of itself, and whether it answers as that says."""

import json
from typing import Any

import pytest
import schemathesis
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.module_loading import import_string
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memories.access import checks as access
from memories.access.models import Binding
from memories.server import openapi
from memories.server.models import Bank
from tests.contract.world import World, done

pytestmark = pytest.mark.contract

BANK = "77"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def test_it_is_served_without_a_token(world: World) -> None:
    found = done(world.http().get("/v1beta1/openapi.json"))
    assert found == json.loads(json.dumps(openapi.description()))
    assert found["openapi"].startswith("3.1")


def test_it_describes_every_method_once() -> None:
    found = openapi.description()
    ids = [each["operationId"] for path in found["paths"].values() for each in path.values()]
    assert len(ids) == len(set(ids)) > 20
    assert all("(" not in path and "?" not in path for path in found["paths"])
    retrieve = found["paths"][
        "/v1beta1/projects/{project}/locations/{location}/reasoningEngines/{bank}/memories:retrieve"
    ]
    assert "aiplatform.memories.retrieve" in retrieve["post"]["description"]
    schemas = found["components"]["schemas"]
    assert "similaritySearchParams" in schemas["RetrieveMemoriesRequest"]["properties"]
    assert schemas["Memory"]["additionalProperties"] is False


@pytest.fixture
def app(db: None) -> Any:
    """The server as an admin's, with one bank in it."""
    user = User.objects.create_user("ada")
    Binding.objects.create(role="roles/console.admin", user=user)
    Bank.objects.create(id=BANK, project="p", location="us-central1", create_time=1, update_time=1)
    server = import_string(settings.MEMORY_BANK_SERVER)

    def called(environ: dict[str, Any], start_response: Any) -> Any:
        environ["memories.principal"] = access.principal(user)
        with transaction.atomic():  # what one call breaks, the next does not meet
            return server(environ, start_response)

    return called


SCHEMA: Any = schemathesis.openapi.from_dict(json.loads(json.dumps(openapi.description())))
OPERATIONS = {each.label: each for each in (found.ok() for found in SCHEMA.get_all_operations())}


@pytest.mark.parametrize("label", OPERATIONS)
def test_it_answers_as_it_says(app: Any, label: str) -> None:
    """Whatever is sent: no fault of the server, no status or body that is not described."""
    operation = OPERATIONS[label]

    @hypothesis_settings(
        max_examples=20,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def run(case: Any) -> None:
        case.path_parameters |= {"project": "p", "location": "us-central1"}
        if "bank" in case.path_parameters:
            case.path_parameters["bank"] = BANK
        case.call_and_validate(checks=CHECKS, app=app)

    run()
