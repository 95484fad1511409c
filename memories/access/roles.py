"""Roles and permissions as data: Google's own strings, and ours under `console.`."""

_ENGINES = "aiplatform.reasoningEngines."
_MEMORIES = "aiplatform.memories."
_REVISIONS = "aiplatform.memoryRevisions."


def _all(prefix: str, *verbs: str) -> frozenset[str]:
    return frozenset(prefix + verb for verb in verbs)


_VIEWER = _all(_MEMORIES, "get", "list", "retrieve") | _all(_REVISIONS, "get", "list")
_EDITOR = _all(_MEMORIES, "create", "update", "delete", "generate") | _all(_REVISIONS, "rollback")
_BANKS = _all(_ENGINES, "create", "get", "list", "update", "delete")
_OWN = (
    _all("console.bindings.", "create", "list", "delete")
    | _all("console.tokens.", "create", "list", "delete")
    | _all("console.audit.", "list")
)

MEMORY_PERMISSIONS = _VIEWER | _EDITOR
PERMISSIONS = MEMORY_PERMISSIONS | _BANKS | _OWN

ROLES: dict[str, frozenset[str]] = {
    "roles/aiplatform.memoryViewer": _VIEWER,
    "roles/aiplatform.memoryEditor": _EDITOR,
    "roles/aiplatform.memoryUser": _VIEWER | _EDITOR,
    "roles/aiplatform.user": _BANKS,
    "roles/console.admin": PERMISSIONS,
}


def roles_with(permission: str) -> list[str]:
    """The roles that hold a permission, the smallest first."""
    return sorted((role for role, held in ROLES.items() if permission in held), key=lambda role: len(ROLES[role]))


def role_named(text: str) -> str | None:
    """The role of a full name or of its last part (`memoryViewer`, `console.admin`), ignoring case."""
    wanted = text.lower().removeprefix("roles/")
    for role in ROLES:
        short = role.removeprefix("roles/").lower()
        if wanted in (short, short.removeprefix("aiplatform.")):
            return role
    return None
