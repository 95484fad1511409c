"""The people of a first start: one for each kind of role, with random passwords and one API token.

They are made once, where there is neither anybody nor a file, and kept in DATA_DIR/demo.json (mode 0600) so that each
start can print them. Deleting the file ends the printing and makes nobody anew.
"""

import json
import os
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from memories.access import bindings, tokens
from memories.access.checks import OPERATOR
from memories.access.models import Token

FILE = "demo.json"
TOKEN = "demo"  # noqa: S105  # its name
ROLES = {
    "support": ("roles/aiplatform.memoryUser",),
    "viewer": ("roles/aiplatform.memoryViewer",),
    "admin": ("roles/console.admin",),
}
_KEYS = ("name", "password", "role", "stored")
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    password: str
    role: str
    stored: str = ""
    """The password as the database holds it; where it differs, the person has changed it."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Without people where none were made here. Whoever changed their password is left out, as is a revoked token."""

    token: str
    """A token of admin for the API."""
    people: tuple[Person, ...]

    def lines(self) -> list[str]:
        """What a start prints, each alone on a line."""
        token = [f"token: {self.token}"] if self.token else []
        return token + [f"sign in: {one.name} / {one.password} ({one.role})" for one in self.people]


def demo_people(data_dir: Path) -> Demo:
    """Reads the demo people, making them at the first start. Call after the migrations.

    Where the database was replaced they are made in it again as the file has them. ValueError where the file is not
    one that this wrote.
    """
    file = data_dir / FILE
    with transaction.atomic():
        if file.exists():
            demo = _read(file)
        elif User.objects.exists():
            return Demo("", ())
        else:
            demo = _invent()
        people = tuple(_person(one) for one in demo.people)
        made = Demo(demo.token, people)
        _token(made.token)
        if made != demo:
            _write(file, made)
    return Demo(made.token if _works(made.token) else "", tuple(one for one in people if _unchanged(one)))


def _invent() -> Demo:
    people = (Person(name, _password(), ", ".join(roles)) for name, roles in ROLES.items())
    return Demo(tokens.PREFIX + secrets.token_urlsafe(32), tuple(people))


def _password() -> str:
    """80 bits, in groups that can be read aloud."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(4))


def _person(one: Person) -> Person:
    if User.objects.filter(username=one.name).exists():
        return one
    user = User.objects.create_user(one.name, password=one.password)
    for role in ROLES.get(one.name, ()):
        bindings.add(bindings.Grant(role, user), by=OPERATOR, reason="demo")
    return replace(one, stored=user.password)


def _unchanged(one: Person) -> bool:
    return User.objects.filter(username=one.name, password=one.stored, is_active=True).exists()


def _token(secret: str) -> None:
    # One that was revoked stays so; it is made anew only where the database has never seen it.
    admin = User.objects.filter(username="admin").first()
    if admin is not None and not tokens.known(secret):
        tokens.restore(admin, name=TOKEN, secret=secret)


def _works(secret: str) -> bool:
    return Token.objects.filter(tokens.live(), digest=tokens.digest(secret)).exists()


def _write(file: Path, demo: Demo) -> None:
    """In one step, so that a start that is cut off leaves no half of a file."""
    data = json.dumps({"token": demo.token, "people": [asdict(one) for one in demo.people]}, indent=2)
    draft = file.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(data + "\n")
    draft.replace(file)


def _read(file: Path) -> Demo:
    try:
        data = json.loads(file.read_text())
        people = tuple(Person(*(str(one[key]) for key in _KEYS)) for one in data["people"])
        return Demo(str(data["token"]), people)
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{file} is damaged; delete it to stop printing the demo people.") from None
