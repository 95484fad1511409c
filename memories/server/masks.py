"""Which fields a request changes."""

from memories.wire import resources
from memories.wire.errors import InvalidArgument

MUTABLE = frozenset({"display_name", "description", "fact", "topics", "metadata", "structured_content", "context"})
EXPIRY = frozenset({"expire_time", "ttl"})
IMMUTABLE = frozenset({"scope", "memory_type"})
REVISION = frozenset({"revision_expire_time", "revision_ttl", "disable_memory_revisions", "revision_labels"})
OUTPUT = frozenset({"name", "create_time", "update_time"})


def mask_of(text: str | None, memory: resources.Memory) -> set[str]:
    """The fields to change: those of the mask, in either spelling, else those that were sent."""
    sent = {name for name in type(memory).model_fields if getattr(memory, name) is not None}
    known = MUTABLE | EXPIRY | IMMUTABLE | REVISION | OUTPUT
    if not text:
        return sent
    asked: set[str] = set()
    for part in text.split(","):
        name = snake(part.strip())
        if name == "*":
            asked |= MUTABLE | EXPIRY
        elif name.split(".")[0] in known and name.split(".")[0] == name:
            asked.add(name)
        else:
            raise InvalidArgument.at("updateMask", f"{part.strip()!r} is not a field of Memory that can be changed.")
    return asked


def snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)
