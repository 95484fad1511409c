"""Every change to a bank. The door that owns the data checks the permission and writes the audit row; what is decided
here is what to send, and what to do when somebody else was faster.
"""

from dataclasses import dataclass

from console import forms
from memories.client.bank import Bank
from memories.wire.errors import Aborted
from memories.wire.resources import Memory


@dataclass
class Conflict(Exception):
    """The memory changed while it was being edited. `current` is how it is now."""

    current: Memory
    theirs: list[str]
    """The fields that the others changed."""
    merged: Memory
    """Mine where I changed it, theirs elsewhere."""


def create(bank: Bank, memory: Memory, *, memory_id: str, reason: str) -> Memory:
    return bank.create_memory(memory, memory_id=memory_id, reason=reason)


def edit(bank: Bank, memory_id: str, *, base: Memory, mine: Memory, reason: str) -> list[str]:
    """Sends the fields in which `mine` differs from `base`, and gives their names; none were sent where it is empty.

    Raises Conflict, with nothing changed, where the memory is no longer as `base` has it.
    """
    mask = forms.changed(base, mine)
    if not mask:
        return []
    sent = Memory(**{name: getattr(mine, name) for name in mask})
    try:
        bank.update_memory(memory_id, sent, mask=mask, if_match=base.update_time or "", reason=reason)
    except Aborted:
        current = bank.get_memory(memory_id)
        merged = current.model_copy(update={name: getattr(mine, name) for name in mask})
        raise Conflict(current, forms.changed(base, current), merged) from None
    return mask


def delete(bank: Bank, memory_id: str, *, if_match: str, reason: str) -> None:
    """Aborted where the memory changed after `if_match`, its update time when the person was asked."""
    bank.delete_memory(memory_id, if_match=if_match, reason=reason)


def roll_back(bank: Bank, memory_id: str, revision: str, *, if_match: str, reason: str) -> Memory:
    """Aborted where the memory changed after `if_match`; it is empty for one that was deleted."""
    return bank.rollback_memory(memory_id, revision, if_match=if_match, reason=reason)
