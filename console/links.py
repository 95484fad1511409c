"""Addresses of what belongs to a scope or a pair. Scope values stand in the query, never in the path."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from console import query
from memories.wire import filters, scopes
from memories.wire.names import BankName


@dataclass(frozen=True)
class Links:
    bank: BankName

    def to(self, view: str, **parts: str) -> str:
        found = reverse(view, args=[self.bank.location, self.bank.id])
        return f"{found}?{urlencode(parts)}" if parts else found

    def memories(self, scope: Mapping[str, str]) -> str:
        """The memories of exactly this scope."""
        return self.to("memories", filter=exactly(scope))

    def structured(self, scope: Mapping[str, str]) -> str:
        return self.to("structured", q=query.of_scope(scope).text)

    def retrieve(self, scope: Mapping[str, str]) -> str:
        return self.to("retrieve", q=query.of_scope(scope).text)

    def pair(self, key: str, value: str) -> str:
        return self.to("pair", key=key, value=value)


def exactly(scope: Mapping[str, str]) -> str:
    """The filter expression of the memories of exactly this scope."""
    return filters.text(filters.Restriction(("scope",), "=", scopes.canonical(scope)))
