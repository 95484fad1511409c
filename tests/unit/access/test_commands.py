"""`token`, `grant`, `revoke` and `demo`: what they print, and one clear line for each mistake."""

import io
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from memories.access import checks, tokens
from memories.access.demo import Demo, demo_people
from memories.access.models import Binding, Entry, Token
from memories.wire.errors import Unauthenticated

LIST = "aiplatform.memories.list"


def run(*args: str) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


class TestToken:
    def test_create_list_revoke(self, ann: User) -> None:
        secret = run("token", "create", "ann", "--name", "laptop", "--days", "3").strip()
        assert tokens.authenticate(secret).name == "ann"
        listed = run("token", "list", "ann")
        assert re.fullmatch(r"ann\tlaptop\texpires \d{4}-\d\d-\d\d\tused .*Z\n", listed)
        assert secret not in listed
        run("token", "revoke", "ann", "laptop")
        with pytest.raises(Unauthenticated):
            tokens.authenticate(secret)
        assert "revoked" in run("token", "list")
        assert list(Entry.objects.order_by("id").values_list("person", "action")) == [
            ("operator", "console.tokens.create"),
            ("operator", "console.tokens.delete"),
        ]

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (["create", "bob", "--name", "x"], "no person named 'bob'"),
            (["create", "ann", "--name", " "], "needs a name"),
            (["create", "ann", "--name", "x", "--days", "0"], "--days"),
            (["revoke", "ann", "x"], "no live token named 'x'"),
            (["list", "bob"], "no person named 'bob'"),
        ],
    )
    def test_mistakes(self, ann: User, args: list[str], message: str) -> None:
        with pytest.raises(CommandError, match=message) as caught:
            run("token", *args)
        assert "\n" not in str(caught.value)
        assert not Entry.objects.exists()

    def test_a_name_is_taken_once(self, ann: User) -> None:
        run("token", "create", "ann", "--name", "x")
        with pytest.raises(CommandError, match="has a token named 'x'"):
            run("token", "create", "ann", "--name", "x")


class TestGrant:
    def test_a_role_on_all_banks_and_back(self, ann: User) -> None:
        assert "Given" in run("grant", "ann", "memoryViewer")
        assert "Already given" in run("grant", "ann", "roles/aiplatform.memoryViewer")
        assert checks.holds(checks.principal(ann), LIST, bank="us-central1/1")
        assert "ann\troles/aiplatform.memoryViewer\tall banks" in run("grant", "--list", "ann")
        assert "Taken" in run("revoke", "ann", "memoryViewer")
        assert not checks.holds(checks.principal(ann), LIST, bank="us-central1/1")
        actions = list(Entry.objects.order_by("id").values_list("action", flat=True))
        assert actions == ["console.bindings.create", "console.bindings.delete"]

    @pytest.mark.parametrize("bank", ["7", "projects/q/locations/us-central1/reasoningEngines/7"])
    def test_a_role_on_one_bank(self, ann: User, bank: str) -> None:
        run("grant", "ann", "memoryViewer", "--bank", bank)
        assert checks.banks(checks.principal(ann)) == frozenset({"us-central1/7"})

    def test_a_group_is_made_as_needed(self, ann: User) -> None:
        run("grant", "--group", "emea", "memoryUser", "--reason", "new team")
        assert Entry.objects.get().reason == "roles/aiplatform.memoryUser for group:emea: new team"
        ann.groups.add(Group.objects.get(name="emea"))
        assert checks.holds(checks.principal(ann), LIST, bank="us-central1/1")
        assert "group emea" in run("grant", "--list")

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (["grant"], "Say who and which role"),
            (["grant", "ann"], "Say who and which role"),
            (["grant", "bob", "memoryUser"], "no person named 'bob'"),
            (["grant", "ann", "memoryAdmin"], "'memoryAdmin' is not a role; use one of"),
            (["grant", "ann", "memoryUser", "--bank", "a b"], "not the name of a bank"),
            (["revoke", "ann", "memoryUser"], "Nothing to take"),
            (["revoke", "--group", "none", "memoryUser"], "no group named 'none'"),
        ],
    )
    def test_mistakes(self, ann: User, args: list[str], message: str) -> None:
        with pytest.raises(CommandError, match=message) as caught:
            run(*args)
        assert "\n" not in str(caught.value)
        assert not Binding.objects.exists()


@pytest.mark.django_db
class TestDemo:
    def test_the_first_start_makes_one_person_for_each_role(self, tmp_path: Path) -> None:
        demo = demo_people(tmp_path)
        assert [(one.name, one.role) for one in demo.people] == [
            ("support", "roles/aiplatform.memoryUser"),
            ("viewer", "roles/aiplatform.memoryViewer"),
            ("admin", "roles/console.admin"),
        ]
        for one in demo.people:
            user = User.objects.get(username=one.name)
            assert user.check_password(one.password)
            assert not user.is_superuser
        assert tokens.authenticate(demo.token).name == "admin"
        assert stat.S_IMODE((tmp_path / "demo.json").stat().st_mode) == 0o600
        assert demo.lines()[0] == f"token: {demo.token}"
        assert demo.lines()[1] == f"sign in: support / {demo.people[0].password} (roles/aiplatform.memoryUser)"

    def test_the_next_start_reads_them(self, tmp_path: Path) -> None:
        assert demo_people(tmp_path).lines() == demo_people(tmp_path).lines()
        assert User.objects.count() == 3
        assert Token.objects.count() == 1

    def test_without_the_file_nobody_is_made_anew(self, tmp_path: Path) -> None:
        demo_people(tmp_path)
        (tmp_path / "demo.json").unlink()
        assert demo_people(tmp_path) == Demo("", ())
        assert not (tmp_path / "demo.json").exists()

    def test_where_people_exist_already_none_are_added(self, ann: User, tmp_path: Path) -> None:
        assert demo_people(tmp_path).lines() == []

    def test_a_new_database_gets_the_people_of_the_file(self, tmp_path: Path) -> None:
        first = demo_people(tmp_path)
        User.objects.all().delete()
        assert demo_people(tmp_path).lines() == first.lines()
        assert demo_people(tmp_path).lines() == first.lines()
        assert tokens.authenticate(first.token).name == "admin"

    def test_what_no_longer_works_is_not_printed(self, tmp_path: Path) -> None:
        demo_people(tmp_path)
        viewer = User.objects.get(username="viewer")
        viewer.set_password("my own words")
        viewer.save()
        tokens.revoke(Token.objects.get())
        lines = demo_people(tmp_path).lines()
        assert [line.split()[2] for line in lines] == ["support", "admin"]

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"token": "x", "people": [1]}'])
    def test_a_damaged_file_is_one_clear_line(self, tmp_path: Path, settings: Any, text: str) -> None:
        (tmp_path / "demo.json").write_text(text)
        settings.DATA_DIR = tmp_path
        with pytest.raises(CommandError, match="damaged"):
            run("demo")

    def test_the_command_prints_them(self, tmp_path: Path, settings: Any) -> None:
        settings.DATA_DIR = tmp_path
        printed = run("demo").splitlines()
        kept = json.loads((tmp_path / "demo.json").read_text())
        assert printed[0] == f"token: {kept['token']}"
        assert len(printed) == 4
