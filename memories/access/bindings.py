"""Giving and taking roles; each change is one row of the trail."""

from dataclasses import dataclass

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet

from memories.access import trail
from memories.access.checks import Principal, pairs_of
from memories.access.models import Binding
from memories.access.roles import ROLES
from memories.wire.errors import InvalidArgument
from memories.wire.names import BankName
from memories.wire.scopes import Scope


@dataclass(frozen=True, slots=True)
class Grant:
    """A role for a person or a group; no bank means all of them, no pairs means whatever the scope."""

    role: str
    holder: User | Group
    bank: BankName | None = None
    pairs: Scope | None = None

    def __str__(self) -> str:
        holder = f"group {self.holder.name}" if isinstance(self.holder, Group) else self.holder.username
        where = f" where {dict(self.pairs)}" if self.pairs else ""
        return f"{self.role} for {holder} on {self.bank or 'all banks'}{where}"

    def rows(self) -> QuerySet[Binding]:
        kind = "group" if isinstance(self.holder, Group) else "user"
        return Binding.objects.filter(
            role=self.role,
            bank=self.bank.key if self.bank else "",
            pairs=pairs_of(self.pairs or {}),
            **{kind: self.holder},
        )


def add(grant: Grant, *, by: Principal, reason: str = "") -> bool:
    """False where it was given already."""
    if grant.role not in ROLES:
        raise InvalidArgument.at("role", f"{grant.role!r} is not a role; use one of {', '.join(ROLES)}.")
    with transaction.atomic():
        if grant.rows().exists():
            return False
        Binding.objects.create(
            role=grant.role,
            user=grant.holder if isinstance(grant.holder, User) else None,
            group=grant.holder if isinstance(grant.holder, Group) else None,
            bank=grant.bank.key if grant.bank else "",
            pairs=pairs_of(grant.pairs or {}),
        )
        _record(grant, "console.bindings.create", by, reason)
    return True


def remove(grant: Grant, *, by: Principal, reason: str = "") -> bool:
    """False where there was none."""
    with transaction.atomic():
        if not grant.rows().delete()[0]:
            return False
        _record(grant, "console.bindings.delete", by, reason)
    return True


def _record(grant: Grant, action: str, by: Principal, reason: str) -> None:
    holder = f"group:{grant.holder.name}" if isinstance(grant.holder, Group) else f"user:{grant.holder.username}"
    place = str(grant.bank) if grant.bank else "all banks"
    said = f"{grant.role} for {holder}" + (f": {reason}" if reason else "")
    trail.record(by, action=action, resource=place, outcome="done", reason=said, scope=grant.pairs)
