"""A bank as the tests of the pages see it: filled by an administrator, looked at through a browser's requests."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.module_loading import import_string

from memories.access import checks
from memories.access.models import Binding, Entry
from memories.client.bank import Bank, Service
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine

SCOPE = {"user_id": "u-0001"}


def service() -> Service:
    """The server as somebody who may do everything."""
    user, made = User.objects.get_or_create(username="filler")
    if made:
        Binding.objects.create(role="roles/console.admin", user=user)
    return Service.in_process(
        import_string("memories.server.wsgi.application"),
        principal=checks.principal(user),
        project=settings.MEMORY_BANK_PROJECT,
        location=settings.MEMORY_BANK_LOCATION,
    )


@dataclass(frozen=True)
class Place:
    bank: Bank

    @classmethod
    def make(cls, **config: Any) -> "Place":
        there = service()
        engine = ReasoningEngine.model_validate({"displayName": "Travel"} | config)
        made = there.create_bank(engine)
        return cls(there.bank(BankName.parse(made.name or "")))

    # --- what is in it ---

    def add(self, fact: str = "I live in Rome.", *, scope: dict[str, str] | None = None, **fields: Any) -> str:
        """A memory's id; fields are as the API names them."""
        memory_id = fields.pop("memory_id", "")
        body = Memory.model_validate({"fact": fact, "scope": scope or SCOPE} | fields)
        made = self.bank.create_memory(body, memory_id=memory_id)
        return (made.name or "").rpartition("/")[2]

    def get(self, memory: str) -> Memory:
        return self.bank.get_memory(memory)

    def change(self, memory: str, **fields: Any) -> None:
        """An edit by somebody else."""
        self.bank.update_memory(memory, Memory(**fields), mask=list(fields))

    def revisions(self, memory: str) -> list[str]:
        """The ids, newest first."""
        found = self.bank.list_revisions(memory).memory_revisions
        return [(one.name or "").rpartition("/")[2] for one in found]

    def name(self, memory: str) -> str:
        return f"{self.bank.name}/memories/{memory}"

    def trail(self, memory: str) -> list[tuple[str, str, str, str, str]]:
        """(person, action, outcome, status, reason) of each row about a memory by others than the filler."""
        found = Entry.objects.filter(bank=self.bank.name.key, memory=memory).exclude(person="filler").order_by("id")
        return [(one.person, one.action, one.outcome, one.status, one.reason) for one in found]

    # --- its pages ---

    def url(self, view: str, *more: str) -> str:
        return reverse(view, args=[self.bank.name.location, self.bank.name.id, *more])

    @property
    def list(self) -> str:
        return self.url("memories")
