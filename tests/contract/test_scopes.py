"""The scopes of a bank: each of them reached, in every order, both ways; searched; what looks like them; near ones."""

import time
import unicodedata

import pytest

from memories.client.bank import Bank
from memories.wire.errors import InvalidArgument
from memories.wire.resources import ListScopesResponse, Memory, NewMemory
from memories.wire.scopes import canonical
from tests.contract.world import World

pytestmark = pytest.mark.contract

NFC, NFD = unicodedata.normalize("NFC", "josé"), unicodedata.normalize("NFD", "josé")


def fill(bank: Bank, *scopes: dict[str, str]) -> None:
    """A memory in each, in order."""
    bank.batch_create([NewMemory(memory=Memory(fact=f"fact {n}", scope=one)) for n, one in enumerate(scopes)])


def names(page: ListScopesResponse) -> list[str]:
    return [one.scope["user_id"] for one in page.scopes]


@pytest.fixture
def many(bank: Bank) -> Bank:
    """Scopes u-00 to u-24: u-n was first written at the nth minute, holds n % 4 + 1 memories, the last later."""
    new = []
    for n in range(25):
        for k in range(n % 4 + 1):
            at = f"2026-01-01T00:{n:02}:{k:02}Z"
            memory = {"fact": f"{n} {k}", "scope": {"user_id": f"u-{n:02}"}, "createTime": at, "updateTime": at}
            new.append(NewMemory(memory=Memory.read(memory)))
    bank.batch_create(new)
    return bank


@pytest.mark.parametrize("order", ["last_write_time", "first_write_time", "memory_count", "memoryCount"])
@pytest.mark.parametrize("way", ["", " desc"])
@pytest.mark.parametrize("search", ["", "u-"])
def test_walking_both_ways(many: Bank, order: str, way: str, search: str) -> None:
    def page(token: str | None = None) -> ListScopesResponse:
        return many.list_scopes(order_by=order + way, search=search, page_size=10, page_token=token or "")

    first = page()
    second = page(first.next_page_token)
    third = page(second.next_page_token)
    seen = names(first) + names(second) + names(third)
    assert len(seen) == len(set(seen)) == 25
    counts = [one.memory_count for one in first.scopes + second.scopes + third.scopes]
    wanted = seen if order != "memory_count" and order != "memoryCount" else counts
    assert wanted == sorted(wanted, reverse=bool(way))
    assert third.next_page_token is None
    assert first.previous_page_token is None
    assert names(page(third.previous_page_token)) == names(second)
    assert names(page(second.previous_page_token)) == names(first)
    assert names(page(first.last_page_token)) == seen[15:]
    assert [one.total_size for one in (first, second, third)] == [25, 25, 25]
    assert [one.start_index for one in (first, second, third)] == [0, 10, 20]


def test_the_last_written_first_by_default(many: Bank) -> None:
    assert names(many.list_scopes(page_size=3)) == ["u-24", "u-23", "u-22"]
    many.create_memory(Memory(fact="new", scope={"user_id": "u-03"}))
    first = many.list_scopes(page_size=1).scopes[0]
    assert (first.scope["user_id"], first.memory_count) == ("u-03", 5)


def test_search(bank: Bank) -> None:
    fill(
        bank,
        {"user_id": "Ann", "app_name": "Shop"},
        {"user_id": "ann", "tenant": "Éire"},
        {"user_id": "bob", "x": "%_\\"},
    )

    def found(search: str) -> list[str]:
        return sorted(names(bank.list_scopes(search=search)))

    assert found("ann") == ["Ann", "ann"]
    assert found("USER_ID:ANN") == ["Ann", "ann"]
    assert found("ann shop") == ["Ann"]
    assert found(unicodedata.normalize("NFD", "éIRE")) == ["ann"]
    assert found("%_\\") == ["bob"]
    assert found("app_name tenant") == []
    assert found("  ") == ["Ann", "ann", "bob"]
    assert bank.list_scopes(search="ann").memory_count == 2


@pytest.mark.parametrize("text", ['" \\ ( ) [ ] { }', "^ ~ * ? : ; '", "% _ #", "\n\t"])
def test_any_text_can_be_searched(bank: Bank, text: str) -> None:
    fill(bank, {"user_id": "1"})
    assert bank.list_scopes(search=text).total_size in (0, 1)


def test_by_pair(bank: Bank) -> None:
    fill(
        bank,
        {"user_id": "u-1"},
        {"user_id": "u-1", "app": "a"},
        {"user_id": "u-12"},
        {"user_id": "U-1"},
        {"app": "u-1"},
    )
    page = bank.list_scopes(filter='scope.user_id="u-1"')
    assert sorted(canonical(one.scope) for one in page.scopes) == ['{"app":"a","user_id":"u-1"}', '{"user_id":"u-1"}']
    assert (page.total_size, page.memory_count) == (2, 2)
    assert bank.list_scopes(filter='scope.user_id="u-1" AND scope.app="a"').total_size == 1
    assert bank.list_scopes(filter='scope.user_id="u"').total_size == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"filter": "fact:x"},
        {"filter": 'scope.a="1" OR scope.b="2"'},
        {"filter": 'scope="{}"'},
        {"filter": "("},
        {"order_by": "name"},
        {"order_by": "memory_count up"},
        {"page_token": "x"},
    ],
)
def test_what_cannot_be_asked(bank: Bank, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidArgument):
        bank.list_scopes(**wrong)  # type: ignore[arg-type]


def test_a_token_belongs_to_its_list(many: Bank) -> None:
    token = many.list_scopes(page_size=5).next_page_token or ""
    for other in ({"search": "u-"}, {"order_by": "memory_count"}, {"filter": 'scope.user_id="u-01"'}):
        with pytest.raises(InvalidArgument):
            many.list_scopes(page_token=token, **other)  # type: ignore[arg-type]


def test_look_alikes(bank: Bank) -> None:
    """D14, D15: two scopes that may be meant to be one are shown apart, and each names the other."""
    fill(bank, {"user_id": "u-7"}, {"user_id": "U-7"}, {"user_id": "u-7", "app_name": "shop"}, {"user_id": "u-77"})
    found = {
        canonical(one.scope): [(near.scope, near.difference) for near in one.look_alikes or ()]
        for one in bank.list_scopes().scopes
    }
    assert found['{"user_id":"u-7"}'] == [
        ({"user_id": "U-7"}, "case"),
        ({"app_name": "shop", "user_id": "u-7"}, "more keys"),
    ]
    assert found['{"app_name":"shop","user_id":"u-7"}'] == [
        ({"user_id": "u-7"}, "fewer keys"),
        ({"user_id": "U-7"}, "fewer keys"),
    ]
    assert found['{"user_id":"u-77"}'] == []


def test_a_scope_goes_with_its_last_memory_and_comes_back(bank: Bank) -> None:
    scope = {"user_id": "u-7", "app_name": "shop"}
    for _time in range(2):
        made = bank.create_memory(Memory(fact="x", scope=scope))
        assert bank.list_scopes(filter='scope.user_id="u-7"').total_size == 1
        assert [one.scope for one in bank.near_scopes({"user_id": "U-7", "app_name": "shop"}).scopes] == [scope]
        bank.delete_memory((made.name or "").rpartition("/")[2])
        assert bank.list_scopes(search="u-7").total_size == 0
    fill(bank, scope, scope)
    assert bank.purge(filter='scope.user_id="u-7"', force=True) == 2
    assert bank.list_scopes().scopes == []
    assert bank.near_scopes({"user_id": "U-7", "app_name": "shop"}).scopes == []


def test_what_has_expired_is_not_counted(bank: Bank) -> None:
    """D63"""
    fill(bank, {"user_id": "1"}, {"user_id": "1"})
    bank.create_memory(Memory.read({"fact": "goes", "scope": {"user_id": "1"}, "ttl": "0.3s"}))
    bank.create_memory(Memory.read({"fact": "goes", "scope": {"user_id": "2"}, "ttl": "0.3s"}))
    time.sleep(0.4)
    page = bank.list_scopes()
    assert [(one.scope["user_id"], one.memory_count) for one in page.scopes] == [("1", 2)]
    assert page.total_size == 1
    assert bank.list_scopes(search="user_id").memory_count == 2
    assert bank.near_scopes({"user_id": "2"}).memory_count == 0


def test_only_what_one_may_see(world: World, bank: Bank) -> None:
    fill(
        bank,
        {"tenant": "emea", "user_id": "1"},
        {"tenant": "apac", "user_id": "1"},
        {"user_id": "1"},
        {"tenant": "EMEA", "user_id": "1"},
    )
    part = world.service("emea").bank(bank.name)
    page = part.list_scopes()
    assert [one.scope for one in page.scopes] == [{"tenant": "emea", "user_id": "1"}]
    assert (page.total_size, page.scopes[0].look_alikes) == (1, None)
    assert part.list_scopes(filter='scope.user_id="1"').total_size == 1
    assert part.list_scopes(search="apac").scopes == []
    near = part.near_scopes({"tenant": "Emea", "user_id": "1"})
    assert [one.scope for one in near.scopes] == [{"tenant": "emea", "user_id": "1"}]
    assert part.near_scopes({"user_id": "1"}).memory_count == 0


MISTAKES = {
    "case": ({"app_name": "shop", "user_id": "U-7"}, "case"),
    "space": ({"app_name": "shop", "user_id": " u-7"}, "spaces"),
    "missing key": ({"user_id": "u-7"}, "more keys"),
    "extra key": ({"app_name": "shop", "user_id": "u-7", "device": "k"}, "fewer keys"),
    "Unicode form": ({"app_name": "shop", "user_id": NFD}, "unicode form"),
    "wrong key name": ({"app_name": "shop", "uid": "u-7"}, "key name"),
    "another spelling of the key": ({"appName": "shop", "userId": "u-7"}, "spelling"),
    "prefix": ({"app_name": "shop", "user_id": "u-"}, "prefix"),
    "trailing colon": ({"app_name": "shop", "user_id": "u-7:"}, "spelling"),
    "other app": ({"app_name": "blog", "user_id": "u-7"}, "other value"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_empty_retrieval_names_the_scope_that_was_meant(bank: Bank, mistake: str) -> None:
    """D15"""
    asked, difference = MISTAKES[mistake]
    meant = {"app_name": "shop", "user_id": NFC if difference == "unicode form" else "u-7"}
    fill(
        bank,
        meant,
        {"app_name": "other", "user_id": "z-9"},
        *({"app_name": "shop", "user_id": f"x-{n}"} for n in range(60)),
    )
    assert bank.retrieve(asked).retrieved_memories == []
    first = bank.near_scopes(asked).scopes[0]
    assert (first.scope, first.difference) == (meant, difference)


def test_another_order_of_the_keys_is_the_same_scope(bank: Bank) -> None:
    """D17"""
    fill(bank, {"a": "1", "b": "2"}, {"b": "2", "a": "1"})
    (scope,) = bank.list_scopes().scopes
    assert scope.memory_count == 2
    assert bank.near_scopes({"b": "2", "a": "1"}).memory_count == 2
