"""Resource names of banks, memories, revisions and operations.

Names without a project (express mode) take the defaults given to `parse`; `memoryBanks` is read as `reasoningEngines`
and never written. A project may be an id or a number, so names are compared by `key` (location and id).
"""

import re
from dataclasses import dataclass
from typing import Self

from memories.wire.errors import InvalidArgument

# Ids the service gives out are decimal; a caller's own memory id follows MEMORY_ID.
MEMORY_ID = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_ID = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,126}[A-Za-z0-9])?"
_BANK = (
    rf"(?:projects/(?P<project>[A-Za-z0-9](?:[A-Za-z0-9_.:-]{{0,126}}))/locations/(?P<location>[a-z0-9-]{{1,63}})/)?"
    rf"(?:reasoningEngines|memoryBanks)/(?P<bank>{_ID})"
)
_MEMORY = rf"{_BANK}/memories/(?P<memory>{_ID})"
_FORMS = {
    "bank": re.compile(_BANK, re.ASCII),
    "memory": re.compile(_MEMORY, re.ASCII),
    "revision": re.compile(rf"{_MEMORY}/revisions/(?P<revision>{_ID})", re.ASCII),
    "operation": re.compile(rf"{_BANK}(?:/memories/(?P<memory>{_ID}))?/operations/(?P<operation>{_ID})", re.ASCII),
}
SHAPES = {
    "bank": "projects/PROJECT/locations/LOCATION/reasoningEngines/ID",
    "memory": "projects/PROJECT/locations/LOCATION/reasoningEngines/ID/memories/MEMORY",
    "revision": "projects/PROJECT/locations/LOCATION/reasoningEngines/ID/memories/MEMORY/revisions/REVISION",
    "operation": "projects/PROJECT/locations/LOCATION/reasoningEngines/ID/operations/OPERATION",
}


def _match(kind: str, text: str, project: str, location: str) -> dict[str, str | None]:
    found = _FORMS[kind].fullmatch(text)
    if not found:
        raise InvalidArgument.at("name", f"{text[:200]!r} is not the name of a {kind}; expected {SHAPES[kind]}.")
    parts = found.groupdict()
    return parts | {"project": parts["project"] or project, "location": parts["location"] or location}


@dataclass(frozen=True, slots=True)
class BankName:
    project: str
    location: str
    id: str

    @classmethod
    def parse(cls, text: str, *, project: str = "-", location: str = "-") -> Self:
        parts = _match("bank", text, project, location)
        return cls(str(parts["project"]), str(parts["location"]), str(parts["bank"]))

    def __str__(self) -> str:
        return f"projects/{self.project}/locations/{self.location}/reasoningEngines/{self.id}"

    @property
    def parent(self) -> str:
        return f"projects/{self.project}/locations/{self.location}"

    @property
    def key(self) -> str:
        """What two names of the same bank share whatever their project: `LOCATION/ID`."""
        return f"{self.location}/{self.id}"


def _within(kind: str, text: str, project: str, location: str) -> tuple[BankName, dict[str, str | None]]:
    parts = _match(kind, text, project, location)
    return BankName(str(parts["project"]), str(parts["location"]), str(parts["bank"])), parts


@dataclass(frozen=True, slots=True)
class MemoryName:
    bank: BankName
    id: str

    @classmethod
    def parse(cls, text: str, *, project: str = "-", location: str = "-") -> Self:
        bank, parts = _within("memory", text, project, location)
        return cls(bank, str(parts["memory"]))

    def __str__(self) -> str:
        return f"{self.bank}/memories/{self.id}"


@dataclass(frozen=True, slots=True)
class RevisionName:
    memory: MemoryName
    id: str

    @classmethod
    def parse(cls, text: str, *, project: str = "-", location: str = "-") -> Self:
        bank, parts = _within("revision", text, project, location)
        return cls(MemoryName(bank, str(parts["memory"])), str(parts["revision"]))

    def __str__(self) -> str:
        return f"{self.memory}/revisions/{self.id}"


@dataclass(frozen=True, slots=True)
class OperationName:
    parent: BankName | MemoryName
    id: str

    @classmethod
    def parse(cls, text: str, *, project: str = "-", location: str = "-") -> Self:
        bank, parts = _within("operation", text, project, location)
        memory = parts["memory"]
        return cls(MemoryName(bank, memory) if memory else bank, str(parts["operation"]))

    def __str__(self) -> str:
        return f"{self.parent}/operations/{self.id}"

    @property
    def bank(self) -> BankName:
        return self.parent.bank if isinstance(self.parent, MemoryName) else self.parent


def is_memory_name(text: str) -> bool:
    return _FORMS["memory"].fullmatch(text) is not None


def check_memory_id(text: str) -> str:
    """A caller's own memory id, or InvalidArgument saying which ids may be chosen."""
    if not MEMORY_ID.fullmatch(text):
        raise InvalidArgument.at(
            "memoryId",
            f"{text[:80]!r} cannot be an id: use 1 to 63 of a-z, 0-9 and '-', a letter first, a letter or digit last.",
        )
    return text
