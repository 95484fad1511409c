"""The one question of access: may this person do this to that, and to which part of it?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import Group, User
from django.db.models import Q

from memories.access.models import Binding
from memories.access.roles import MEMORY_PERMISSIONS, ROLES
from memories.wire.errors import PermissionDenied, Unauthenticated
from memories.wire.names import BankName, MemoryName
from memories.wire.scopes import Scope

type Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """What part of a bank somebody may touch: any of the alternatives, each of which needs all its scope pairs."""

    alternatives: tuple[Pairs, ...]

    @classmethod
    def of(cls, alternatives: Iterable[Iterable[tuple[str, str]]]) -> "Condition":
        """In its shortest form: an alternative that another one already covers is left out."""
        sets = {frozenset(pairs) for pairs in alternatives}
        kept = [pairs for pairs in sets if not any(other < pairs for other in sets)]
        return cls(tuple(sorted(tuple(sorted(pairs)) for pairs in kept)))

    @property
    def everything(self) -> bool:
        return () in self.alternatives

    @property
    def nothing(self) -> bool:
        return not self.alternatives

    def covers(self, scope: Scope) -> bool:
        return any(all(scope.get(key) == value for key, value in pairs) for pairs in self.alternatives)


EVERYTHING = Condition(((),))
NOTHING = Condition(())


@dataclass(frozen=True, slots=True)
class _Grant:
    permissions: frozenset[str]
    bank: str
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling. What they may do is read once, at the first question: make a new one for each request."""

    user_id: int
    name: str
    groups: frozenset[int]
    via: str
    _read: list[tuple[_Grant, ...]] = field(default_factory=list, compare=False, repr=False)

    @property
    def grants(self) -> tuple[_Grant, ...]:
        if not self._read:
            found = Binding.objects.filter(Q(user_id=self.user_id) | Q(group_id__in=self.groups))
            self._read.append(tuple(_grant(binding) for binding in found))
        return self._read[0]


OPERATOR = Principal(0, "operator", frozenset(), "command line")
"""Whoever runs a command on the machine itself; the trail names them so. Holds no permission."""


def _grant(binding: Binding) -> _Grant:
    # A role that no longer exists grants nothing.
    held = ROLES.get(binding.role, frozenset())
    return _Grant(held, binding.bank, tuple((key, value) for key, value in binding.pairs))


def principal(user: User, *, via: str = "console") -> Principal:
    """Raises Unauthenticated for a person whose account is switched off."""
    if not user.is_active:
        raise Unauthenticated(f"The account of {user.username} is switched off; ask an administrator.")
    groups = Group.objects.filter(user=user).values_list("pk", flat=True)
    return Principal(user.pk, user.username, frozenset(groups), via)


def condition(principal: Principal, permission: str, *, bank: str) -> Condition:
    """The part of a bank (its key) that the person may touch so; an empty bank asks about all banks at once."""
    return Condition.of(
        grant.pairs for grant in principal.grants if permission in grant.permissions and grant.bank in ("", bank)
    )


def holds(principal: Principal, permission: str, *, bank: str) -> bool:
    """Whether the person may do this to anything of the bank at all."""
    return not condition(principal, permission, bank=bank).nothing


def check(
    principal: Principal, permission: str, *, resource: BankName | MemoryName | str, scope: Scope | None = None
) -> Condition:
    """What may be touched; PermissionDenied, naming the permission, where it is nothing or not this scope.

    A resource given as text is a place that holds banks, such as `projects/P/locations/L`: that needs a role on all.
    """
    found = condition(principal, permission, bank=_key(resource))
    if found.nothing or (scope is not None and not found.covers(scope)):
        raise PermissionDenied.lacking(permission, resource=str(resource), principal=principal.name)
    return found


def _key(resource: BankName | MemoryName | str) -> str:
    match resource:
        case BankName():
            return resource.key
        case MemoryName():
            return resource.bank.key
        case _:
            return ""


def banks(principal: Principal) -> frozenset[str] | None:
    """The keys of the banks on which the person holds any permission about memories; None means every bank."""
    held = {grant.bank for grant in principal.grants if grant.permissions & MEMORY_PERMISSIONS}
    return None if "" in held else frozenset(held)


def pairs_of(scope: Mapping[str, str]) -> list[list[str]]:
    """The pairs as a binding stores them."""
    return [[key, value] for key, value in sorted(scope.items())]
