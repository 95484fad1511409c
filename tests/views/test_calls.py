"""How often a page asks the bank: at most three times."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests import made
from tests.views import servers
from tests.views.answers import fields_of
from tests.views.place import Place

MOST = 3


@pytest.fixture
def memory(place: Place, settings: Settings) -> str:
    found = place.add("I live in Milan.")
    place.change(found, fact="I live in Rome.")
    settings.MEMORY_BANK_SERVER = servers.named("counting")
    return found


def asked(client: Client, url: str, **query: str) -> list[str]:
    servers.calls.clear()
    assert client.get(url, query).status_code in (200, 404)
    assert len(servers.calls) <= MOST, servers.calls
    return list(servers.calls)


def test_pages(place: Place, memory: str, as_viewer: Client, as_admin: Client) -> None:
    assert len(asked(as_viewer, "/banks")) == 1
    assert len(asked(as_viewer, place.list)) == 2
    assert len(asked(as_viewer, place.list, q="user_id:u-0001")) == 2
    assert len(asked(as_viewer, place.url("memory", memory))) == 3
    assert len(asked(as_viewer, place.url("scopes"))) == 2
    assert len(asked(as_viewer, place.url("pair"), key="user_id", value="u-0001")) == 3
    assert len(asked(as_viewer, place.url("pair"), key="user_id", value="zzzz")) == 3
    assert len(asked(as_viewer, place.url("structured"))) == 2
    assert len(asked(as_viewer, place.url("structured"), q="user_id:u-0001")) == 3
    assert len(asked(as_viewer, place.url("retrieve"))) == 2
    assert len(asked(as_viewer, place.url("retrieve"), q="user_id:u-0001", query="home")) == 3
    assert len(asked(as_viewer, place.url("retrieve"), q="user_id:U-0001", filter='fact:"x"')) == 3
    assert len(asked(as_viewer, place.url("memory_copy", memory, "json"))) == 1
    assert len(asked(as_admin, place.url("memory_create"))) == 1
    assert len(asked(as_admin, place.url("memory_edit", memory))) == 2
    assert len(asked(as_admin, place.url("memory_delete", memory))) == 2
    assert len(asked(as_admin, place.url("rollback", memory, place.revisions(memory)[-1]))) == 3


def test_a_deleted_memory(place: Place, memory: str, as_admin: Client) -> None:
    place.bank.delete_memory(memory)
    asked(as_admin, place.url("memory", memory))
    asked(as_admin, place.url("rollback", memory, place.revisions(memory)[-1]))


def test_changes(place: Place, memory: str, as_admin: Client) -> None:
    edit, delete = place.url("memory_edit", memory), place.url("memory_delete", memory)
    rollback = place.url("rollback", memory, place.revisions(memory)[-1])
    for url, typed in ((edit, {"fact": "I live in Turin."}), (rollback, {}), (delete, {})):
        page = as_admin.get(url)
        servers.calls.clear()
        assert as_admin.post(url, fields_of(page, **typed)).status_code == 302
        assert len(servers.calls) <= MOST, servers.calls
        assert sum(not call.startswith("GET") for call in servers.calls) == 1
    servers.calls.clear()
    data = {"fact": "x", "scope_key": "a", "scope_value": "1"}
    assert as_admin.post(place.url("memory_create"), data).status_code == 302
    assert len(servers.calls) <= MOST


def test_a_conflict(place: Place, memory: str, as_admin: Client) -> None:
    url = place.url("memory_edit", memory)
    page = as_admin.get(url)
    place.change(memory, fact="I live in Turin.")
    servers.calls.clear()
    assert as_admin.post(url, fields_of(page, fact="mine")).status_code == 409
    assert len(servers.calls) <= MOST, servers.calls


def test_a_list_costs_no_more_for_more_rows(place: Place, memory: str, as_viewer: Client) -> None:
    made.tell_all(place.bank.name, [{"fact": f"fact {n}", "scope": {"n": str(n)}} for n in range(100)])
    assert len(asked(as_viewer, place.list, size="100")) == 2
