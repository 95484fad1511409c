"""Who may do what: conditions, bindings of people and groups, banks."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from memories.access import checks, roles
from memories.access.checks import EVERYTHING, NOTHING, Condition
from memories.access.models import Binding
from memories.wire.errors import PermissionDenied, Unauthenticated
from memories.wire.names import BankName, MemoryName

VIEWER, EDITOR, USER = (f"roles/aiplatform.memory{name}" for name in ("Viewer", "Editor", "User"))
LIST, UPDATE = "aiplatform.memories.list", "aiplatform.memories.update"
BANK = BankName("p", "us-central1", "1")
OTHER = BankName("p", "us-central1", "2")

pair = st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"))
alternative = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), max_size=3).map(
    lambda d: tuple(d.items())
)


def bind(user: User, role: str, *, bank: str = "", pairs: list[list[str]] | None = None) -> None:
    Binding.objects.create(role=role, user=user, bank=bank, pairs=pairs or [])


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


class TestCondition:
    def test_everything_covers_any_scope(self) -> None:
        assert EVERYTHING.everything
        assert not EVERYTHING.nothing
        assert EVERYTHING.covers({"user_id": "1"})
        assert EVERYTHING.covers({})

    def test_nothing_covers_no_scope(self) -> None:
        assert NOTHING.nothing
        assert not NOTHING.everything
        assert not NOTHING.covers({"user_id": "1"})

    @pytest.mark.parametrize(
        ("scope", "covered"),
        [
            ({"tenant": "emea", "team": "a"}, True),
            ({"tenant": "emea", "team": "a", "user_id": "1"}, True),
            ({"tenant": "emea"}, False),
            ({"tenant": "EMEA", "team": "a"}, False),
            ({"tenant": "emea2", "team": "a"}, False),
            ({"region": "it"}, True),
            ({}, False),
        ],
    )
    def test_any_alternative_with_all_its_pairs(self, scope: dict[str, str], covered: bool) -> None:
        condition = Condition.of([[("tenant", "emea"), ("team", "a")], [("region", "it")]])
        assert condition.covers(scope) is covered
        assert not condition.everything
        assert not condition.nothing

    def test_an_unconditional_alternative_swallows_the_others(self) -> None:
        assert Condition.of([[("tenant", "emea")], []]) == EVERYTHING

    @given(st.lists(alternative, max_size=4), st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz")))
    def test_the_shortest_form_means_the_same(
        self, given: list[tuple[tuple[str, str], ...]], scope: dict[str, str]
    ) -> None:
        assert Condition.of(given).covers(scope) == Condition(tuple(given)).covers(scope)
        assert Condition.of(given) == Condition.of(reversed(given))


class TestBindings:
    def test_without_a_binding_nothing(self, ann: User) -> None:
        assert checks.condition(checks.principal(ann), LIST, bank=BANK.key) == NOTHING
        assert checks.banks(checks.principal(ann)) == frozenset()

    @pytest.mark.parametrize(
        ("role", "permission", "held"),
        [
            (VIEWER, LIST, True),
            (VIEWER, UPDATE, False),
            (EDITOR, UPDATE, True),
            (EDITOR, LIST, False),
            (USER, LIST, True),
            (USER, UPDATE, True),
            (USER, "aiplatform.reasoningEngines.delete", False),
            (USER, "console.audit.list", False),
            ("roles/aiplatform.user", "aiplatform.reasoningEngines.create", True),
            ("roles/aiplatform.user", LIST, False),
            ("roles/console.admin", "console.bindings.create", True),
            ("roles/console.admin", "aiplatform.memoryRevisions.rollback", True),
            ("roles/of.another.age", LIST, False),
        ],
    )
    def test_a_role_holds_its_permissions_and_no_other(self, ann: User, role: str, permission: str, held: bool) -> None:
        bind(ann, role)
        assert checks.holds(checks.principal(ann), permission, bank=BANK.key) is held

    def test_a_binding_on_one_bank_says_nothing_of_another(self, ann: User) -> None:
        bind(ann, VIEWER, bank=BANK.key)
        who = checks.principal(ann)
        assert checks.condition(who, LIST, bank=BANK.key) == EVERYTHING
        assert checks.condition(who, LIST, bank=OTHER.key) == NOTHING
        assert checks.condition(who, LIST, bank="") == NOTHING
        assert checks.banks(who) == frozenset({BANK.key})

    def test_a_binding_on_all_banks_holds_on_each(self, ann: User) -> None:
        bind(ann, VIEWER)
        assert checks.banks(checks.principal(ann)) is None

    def test_roles_about_banks_alone_open_no_bank(self, ann: User) -> None:
        bind(ann, "roles/aiplatform.user")
        assert checks.banks(checks.principal(ann)) == frozenset()

    def test_a_group_passes_its_roles_on(self, ann: User) -> None:
        team = Group.objects.create(name="support")
        Binding.objects.create(role=USER, group=team)
        assert not checks.holds(checks.principal(ann), LIST, bank=BANK.key)
        ann.groups.add(team)
        assert checks.holds(checks.principal(ann), LIST, bank=BANK.key)

    def test_pairs_of_several_bindings_add_up(self, ann: User) -> None:
        bind(ann, VIEWER, pairs=[["tenant", "emea"]])
        bind(ann, VIEWER, bank=BANK.key, pairs=[["tenant", "apac"]])
        who = checks.principal(ann)
        found = checks.condition(who, LIST, bank=BANK.key)
        assert found.alternatives == ((("tenant", "apac"),), (("tenant", "emea"),))
        assert checks.condition(who, LIST, bank=OTHER.key).alternatives == ((("tenant", "emea"),),)

    def test_all_questions_take_two_queries(self, ann: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        bind(ann, VIEWER)
        with django_assert_num_queries(2):
            who = checks.principal(ann)
            for permission in roles.PERMISSIONS:
                checks.holds(who, permission, bank=BANK.key)
            checks.banks(who)

    def test_a_binding_is_for_a_person_or_a_group(self, ann: User) -> None:
        with pytest.raises(IntegrityError):
            Binding.objects.create(role=VIEWER)

    def test_an_account_switched_off_is_refused(self, ann: User) -> None:
        ann.is_active = False
        with pytest.raises(Unauthenticated, match="ann is switched off"):
            checks.principal(ann)

    def test_a_superuser_of_django_holds_nothing_by_that(self, db: None) -> None:
        root = User.objects.create_superuser("root")
        assert not checks.holds(checks.principal(root), LIST, bank=BANK.key)

    def test_the_operator_holds_nothing(self, db: None) -> None:
        assert checks.banks(checks.OPERATOR) == frozenset()


class TestCheck:
    def test_the_refusal_names_permission_resource_and_person(self, ann: User) -> None:
        bind(ann, VIEWER)
        memory = MemoryName(BANK, "m1")
        with pytest.raises(PermissionDenied) as caught:
            checks.check(checks.principal(ann), UPDATE, resource=memory)
        assert caught.value.permission == UPDATE
        assert caught.value.principal == "ann"
        assert str(memory) in caught.value.message

    def test_a_scope_outside_the_pairs_is_refused(self, ann: User) -> None:
        bind(ann, VIEWER, pairs=[["tenant", "emea"]])
        who = checks.principal(ann)
        assert not checks.check(who, LIST, resource=BANK, scope={"tenant": "emea", "user_id": "1"}).everything
        with pytest.raises(PermissionDenied):
            checks.check(who, LIST, resource=BANK, scope={"user_id": "1"})

    def test_a_place_needs_a_role_on_all_banks(self, ann: User) -> None:
        bind(ann, "roles/aiplatform.user", bank=BANK.key)
        create = "aiplatform.reasoningEngines.create"
        with pytest.raises(PermissionDenied):
            checks.check(checks.principal(ann), create, resource=BANK.parent)
        bind(ann, "roles/aiplatform.user")
        assert checks.check(checks.principal(ann), create, resource=BANK.parent).everything


class TestRoles:
    def test_a_memory_user_is_viewer_and_editor_together(self) -> None:
        assert roles.ROLES[USER] == roles.ROLES[VIEWER] | roles.ROLES[EDITOR]

    def test_admin_holds_everything(self) -> None:
        assert roles.ROLES["roles/console.admin"] == roles.PERMISSIONS == frozenset().union(*roles.ROLES.values())

    def test_the_smallest_role_comes_first(self) -> None:
        assert roles.roles_with(LIST) == [VIEWER, USER, "roles/console.admin"]
        assert roles.roles_with("console.audit.list") == ["roles/console.admin"]
        assert roles.roles_with("no.such.permission") == []

    @pytest.mark.parametrize("text", ["memoryViewer", "memoryviewer", VIEWER, "aiplatform.memoryViewer"])
    def test_short_names(self, text: str) -> None:
        assert roles.role_named(text) == VIEWER

    def test_unknown_names(self) -> None:
        assert roles.role_named("memoryAdmin") is None
