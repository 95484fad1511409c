"""What was acknowledged is still so when the server comes back."""

import httpx
import pytest

from memories.client.bank import Service
from memories.wire import errors
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine
from tests.contract.world import SCOPE, Live, id_of, running

pytestmark = [pytest.mark.contract]


def test_a_restart_changes_nothing(server: Live, environment: dict[str, str]) -> None:
    """D40"""
    token = server.secrets["admin"]
    first = Service.at(server.url, token=token, admin=True)
    made = first.create_bank(ReasoningEngine(display_name="before"))
    bank = first.bank(BankName.parse(made.name or ""))
    kept = bank.create_memory(Memory(fact="kept", scope=SCOPE))
    gone = bank.create_memory(Memory(fact="gone", scope=SCOPE))
    bank.delete_memory(id_of(gone))
    first.close()
    with running(environment) as url:  # another process on the same state
        again = Service.at(url, token=token, admin=True)
        bank = again.bank(bank.name)
        assert bank.get().display_name == "before"
        assert bank.list_memories().memories == [kept]
        with pytest.raises(errors.NotFound):
            bank.get_memory(id_of(gone))
        again.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)
