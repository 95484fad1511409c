"""Lists: pages, counts, orders, scopes and filters. What users reported as missing, doubled or somebody else's."""

import random
from typing import Any

import pytest

from memories.client.bank import Bank
from memories.wire import errors
from memories.wire.filters import quote
from memories.wire.resources import Memory, MemoryTopicId, NewMemory
from memories.wire.scopes import canonical
from memories.wire.times import Timestamp
from tests.contract.world import SCOPE, World, done, fails, id_of

pytestmark = [pytest.mark.contract]

START = 1_767_225_600_000_000  # 2026-01-01


def fill(bank: Bank, count: int, *, scope: dict[str, str] | None = None, step: int = 1_000_000) -> list[str]:
    """That many memories, one each `step` microseconds; their facts, newest first."""
    new = [
        NewMemory(
            memory=Memory(
                fact=f"fact {number}",
                scope=scope or SCOPE,
                create_time=Timestamp.of_micros(START + number * step),
                update_time=Timestamp.of_micros(START + number * step),
            )
        )
        for number in range(count)
    ]
    for start in range(0, count, 500):
        bank.batch_create(new[start : start + 500])
    return [one.memory.fact or "" for one in reversed(new)]


def walk(bank: Bank, *, backwards: bool = False, **options: Any) -> list[list[str]]:
    """The facts of each page."""
    pages, token = [], ""
    while True:
        page = bank.list_memories(page_token=token, **options)
        pages.append([one.fact or "" for one in page.memories])
        token = (page.previous_page_token if backwards else page.next_page_token) or ""
        if not token:
            return pages


class TestPages:
    def test_every_memory_exactly_once(self, bank: Bank) -> None:
        """D02, D04"""
        facts = fill(bank, 1050)
        pages = walk(bank, page_size=100)
        assert [len(page) for page in pages] == [100] * 10 + [50]
        assert [fact for page in pages for fact in page] == facts

    def test_the_size_asked_for_is_cut_and_still_has_a_token(self, bank: Bank) -> None:
        """D05"""
        fill(bank, 1001)
        first = bank.list_memories(page_size=5000)
        assert len(first.memories) == 1000
        assert first.next_page_token
        assert len(bank.list_memories(page_size=5000, page_token=first.next_page_token).memories) == 1
        assert len(bank.list_memories(page_size=0).memories) == 100

    @pytest.mark.parametrize("name", ["offset", "page", "limit", "pagesize", "Filter"])
    def test_an_unknown_parameter_is_no_silence(self, world: World, bank: Bank, name: str) -> None:
        """D05"""
        error = fails(world.call("GET", f"/v1beta1/{bank.name}/memories?{name}=1"), 400, "INVALID_ARGUMENT")
        assert name in error["message"]

    @pytest.mark.parametrize("size", ["-1", "x", "1.5", "٣"])
    def test_a_size_that_is_none(self, world: World, bank: Bank, size: str) -> None:
        path = f"/v1beta1/{bank.name}/memories"
        fails(world.call("GET", path, params={"pageSize": size}), 400, "INVALID_ARGUMENT")

    def test_the_last_page_holds_something_and_no_token_leads_nowhere(self, bank: Bank) -> None:
        fill(bank, 40)
        assert [len(page) for page in walk(bank, page_size=20)] == [20, 20]
        assert walk(bank, page_size=40) == [[f"fact {n}" for n in reversed(range(40))]]

    def test_one_persons_pages_are_counted_and_complete(self, bank: Bank) -> None:
        """D01"""
        fill(bank, 30, scope={"user_id": "u-0002"})
        facts = fill(bank, 25)
        options: dict[str, Any] = {"filter": 'scope.user_id="u-0001"', "page_size": 20}
        first = bank.list_memories(**options)
        assert (len(first.memories), first.total_size, first.start_index) == (20, 25, 0)
        assert not first.total_size_capped
        assert first.previous_page_token is None
        second = bank.list_memories(page_token=first.next_page_token or "", **options)
        assert (len(second.memories), second.total_size, second.start_index) == (5, 25, 20)
        assert second.next_page_token is None
        assert [one.fact for one in first.memories + second.memories] == facts

    def test_back_again_and_to_the_end(self, bank: Bank) -> None:
        facts = fill(bank, 55)
        first = bank.list_memories(page_size=20)
        last = bank.list_memories(page_size=20, page_token=first.last_page_token or "")
        assert last.next_page_token is None
        assert last.last_page_token is None
        assert [one.fact for one in last.memories][-1] == facts[-1]
        pages: list[list[str | None]] = []
        page = last
        while True:
            pages.insert(0, [one.fact for one in page.memories])
            if not page.previous_page_token:
                break
            page = bank.list_memories(page_size=20, page_token=page.previous_page_token)
        assert [fact for one in pages for fact in one] == facts

    @pytest.mark.parametrize("order", ["", "create_time", "create_time desc", "update_time", "update_time desc"])
    def test_equal_times_are_never_split_or_doubled(self, bank: Bank, order: str) -> None:
        fill(bank, 60, step=0)
        facts = [fact for page in walk(bank, page_size=7, order_by=order) for fact in page]
        assert sorted(facts) == sorted(f"fact {n}" for n in range(60))

    def test_a_token_belongs_to_its_query(self, world: World, bank: Bank) -> None:
        fill(bank, 30)
        token = bank.list_memories(page_size=10).next_page_token or ""
        path = f"/v1beta1/{bank.name}/memories"
        for params in (
            {"filter": 'scope.user_id="u-0001"', "pageToken": token},
            {"orderBy": "update_time", "pageToken": token},
            {"pageToken": token[:-2] + ("AA" if token[-2:] != "AA" else "BB")},
            {"pageToken": "2"},
            {"pageToken": "é"},
        ):
            error = fails(world.call("GET", path, params=params | {"pageSize": "10"}), 400, "INVALID_ARGUMENT")
            assert error["details"][0]["fieldViolations"][0]["field"] == "pageToken"

    def test_a_token_of_another_bank(self, world: World, bank: Bank) -> None:
        fill(bank, 3)
        token = bank.list_memories(page_size=1).next_page_token
        made = done(world.call("POST", f"/v1beta1/{bank.name.parent}/reasoningEngines"))["response"]["name"]
        fails(world.call("GET", f"/v1beta1/{made}/memories", params={"pageToken": token}), 400, "INVALID_ARGUMENT")

    def test_what_is_deleted_meanwhile_shifts_nothing(self, bank: Bank) -> None:
        facts = fill(bank, 30)
        first = bank.list_memories(page_size=10)
        for one in first.memories[5:]:
            bank.delete_memory(id_of(one))
        second = bank.list_memories(page_size=10, page_token=first.next_page_token or "")
        assert [one.fact for one in second.memories] == facts[10:20]


class TestOrder:
    def test_each_order(self, bank: Bank) -> None:
        facts = fill(bank, 5)
        oldest = bank.list_memories(order_by="create_time").memories[0]
        bank.update_memory(id_of(oldest), Memory(fact="edited"), mask=["fact"])
        edited = [*facts[:-1], "edited"]
        assert walk(bank)[0] == edited
        assert walk(bank, order_by="create_time desc")[0] == edited
        assert walk(bank, order_by="create_time")[0] == edited[::-1]
        assert walk(bank, order_by="update_time desc")[0] == ["edited", *facts[:-1]]
        assert walk(bank, order_by="updateTime")[0] == [*facts[:-1][::-1], "edited"]

    @pytest.mark.parametrize("order", ["fact", "create_time up", "create_time,", "create_time desc desc", ";"])
    def test_an_order_that_is_none(self, world: World, bank: Bank, order: str) -> None:
        path = f"/v1beta1/{bank.name}/memories"
        error = fails(world.call("GET", path, params={"orderBy": order}), 400, "INVALID_ARGUMENT")
        assert error["details"][0]["fieldViolations"][0]["field"] == "orderBy"


def put(bank: Bank, scope: dict[str, str], fact: str = "f") -> Memory:
    return bank.create_memory(Memory(fact=fact, scope=scope))


def found(bank: Bank, filter: str) -> list[str]:
    page = bank.list_memories(filter=filter)
    assert page.total_size == len(page.memories)
    return sorted(one.fact or "" for one in page.memories)


AWKWARD = [
    "acme-eu-west",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "Smith, Ann",
    "u-1 OR user_id:u-2",
    "team:blue",
    'O\'Brien "Q"',
    "back\\slash",
    " padded ",
    "ann+test@example.com",
    "a#b&c=d?e%f",
    "josé@example.com",
    "jose\u0301@example.com",
    "<img src=x onerror=alert(1)>",
    "%41",
    "נועה",
    "line\nbreak",
    "😀",
    "{}",
    "null",
    "x" * 1024,
]


class TestScopes:
    @pytest.mark.parametrize("value", AWKWARD)
    def test_any_value_that_is_taken_is_found(self, bank: Bank, value: str) -> None:
        """D18, D20, D21, D22, D26, D27"""
        put(bank, {"user_id": value}, "mine")
        put(bank, {"user_id": "somebody else"}, "other")
        assert found(bank, f"scope.user_id={quote(value)}") == ["mine"]
        assert found(bank, f"scope={quote(canonical({'user_id': value}))}") == ["mine"]
        assert bank.list_memories(filter=f"scope.user_id={quote(value)}").memories[0].scope == {"user_id": value}

    @pytest.mark.parametrize("key", ["my:key", "my key", "a.b", 'q"', "AND", "fact", "ключ", "k" * 256])
    def test_any_key_that_is_taken_is_found(self, bank: Bank, key: str) -> None:
        put(bank, {key: "v"}, "mine")
        put(bank, {"user_id": "v"}, "other")
        assert found(bank, f"scope.{quote(key)}={quote('v')}") == ["mine"]

    def test_never_a_prefix_another_case_or_another_form(self, bank: Bank) -> None:
        """D16"""
        values = ["u-1", "u-12", "U-1", "u-1 ", "josé", "jose\u0301"]
        for value in values:
            put(bank, {"user_id": value}, value)
        for value in values:
            assert found(bank, f"scope.user_id={quote(value)}") == [value]

    def test_the_order_of_keys_is_nothing(self, bank: Bank) -> None:
        """D17"""
        put(bank, {"a": "1", "b": "2"}, "one")
        put(bank, {"b": "2", "a": "1"}, "two")
        assert found(bank, 'scope="{\\"b\\": \\"2\\", \\"a\\": \\"1\\"}"') == ["one", "two"]
        (scope,) = bank.list_scopes().scopes
        assert (scope.scope, scope.memory_count) == ({"a": "1", "b": "2"}, 2)
        assert all(list(one.scope or {}) == ["a", "b"] for one in bank.list_memories().memories)

    def test_an_extra_key_is_another_scope(self, bank: Bank) -> None:
        """D14"""
        put(bank, {"user_id": "u-7"}, "alone")
        put(bank, {"app_name": "shop", "user_id": "u-7"}, "shop")
        assert found(bank, 'scope.user_id="u-7"') == ["alone", "shop"]
        assert found(bank, 'scope="{\\"user_id\\": \\"u-7\\"}"') == ["alone"]
        counts = {canonical(one.scope): one.memory_count for one in bank.list_scopes().scopes}
        assert counts == {'{"app_name":"shop","user_id":"u-7"}': 1, '{"user_id":"u-7"}': 1}

    def test_a_star_is_refused_and_an_operator_is_text(self, world: World, bank: Bank) -> None:
        """D21"""
        put(bank, {"user_id": "u-1"})
        assert found(bank, 'scope.user_id="u-1*"') == []
        assert found(bank, 'scope.user_id="u-1 OR user_id:u-2"') == []
        error = fails(
            world.call("POST", f"/v1beta1/{bank.name}/memories", body={"fact": "f", "scope": {"user_id": "u-1*"}}),
            400,
            "INVALID_ARGUMENT",
        )
        assert "*" in error["message"]

    @pytest.mark.parametrize("filter", ['scope.user_id=""', 'scope="{\\"user_id\\": \\"\\"}"', 'scope="{}"'])
    def test_an_empty_value_never_matches_all(self, bank: Bank, filter: str) -> None:
        """D26"""
        put(bank, SCOPE)
        with pytest.raises(errors.InvalidArgument):
            bank.list_memories(filter=filter)

    def test_more_than_a_hundred_scopes(self, bank: Bank) -> None:
        """D04"""
        new = [NewMemory(memory=Memory(fact="f", scope={"user_id": f"u-{n}"})) for n in range(101)]
        bank.batch_create(new)
        first = bank.list_scopes()
        second = bank.list_scopes(page_token=first.next_page_token or "")
        seen = {one.scope["user_id"] for one in first.scopes + second.scopes}
        assert len(first.scopes) == 100
        assert seen == {f"u-{n}" for n in range(101)}
        assert second.next_page_token is None


class TestFilters:
    @pytest.fixture
    def mixed(self, bank: Bank) -> Bank:
        facts = [
            "I have a peanut allergy",
            "PEANUT butter is fine",
            "私はPythonでADKを使っています",
            "חובב קפה שחור",
            "Perché no?\nE poi caffè",
            '50% of "this" [is] (odd) {text} ^ ~ * ? : ; \' \\ _ #',
        ]
        for number, fact in enumerate(facts):
            topic = (
                MemoryTopicId(managed_memory_topic="USER_PREFERENCES")
                if number % 2
                else MemoryTopicId(custom_memory_topic_label="a|b")
            )
            bank.create_memory(
                Memory(fact=fact, scope={"n": str(number)}, topics=[topic], display_name=f"name {number}")
            )
        return bank

    @pytest.mark.parametrize(
        ("filter", "numbers"),
        [
            ('fact=~"(?is).*peanut.*"', "01"),
            ('fact=~".*peanut.*"', "0"),
            ('fact=~"peanut"', ""),
            ('fact:"Peanut"', "01"),
            ('fact:"python"', "2"),
            ('fact:"使って"', "2"),
            ('fact:"קפה"', "3"),
            ('fact:"CAFFÈ"', "4"),
            ('fact:"caffe\u0300"', "4"),
            ('fact:"no?\nE"', "4"),
            ('fact=~".*no.*poi.*"', "4"),
            ('fact="חובב קפה שחור"', "3"),
            ('fact="חובב"', ""),
            ("topics.managed_memory_topic: USER_PREFERENCES", "135"),
            ('topics.custom_memory_topic_label: "a|b"', "024"),
            ('topics.customMemoryTopicLabel="a|b" AND fact:"peanut"', "0"),
            ('topics.managed_memory_topic: USER_PREFERENCES OR topics.custom_memory_topic_label: "a|b"', "012345"),
            ('scope.n="0" AND fact:"peanut" OR fact:"קפה"', "0"),
            ('scope.n="0" OR scope.n="1" AND fact:"butter"', "1"),
            ('NOT fact:"peanut"', "2345"),
            ('-fact:"peanut" scope.n="3"', "3"),
            ('(scope.n="0" AND fact:"peanut") OR scope.n="3"', "03"),
            ('scope.n!="0"', "12345"),
            ('create_time>="2020-01-01T00:00:00Z"', "012345"),
            ('createTime<"2020-01-01"', "BAD"),
            ("update_time>1577836800000000", "012345"),
            ('create_time>="2020-01-01T00:00:00Z" AND create_time<="2020-02-01T00:00:00Z"', ""),
            ('display_name="name 4"', "4"),
            ("memory_type=NATURAL_LANGUAGE_COLLECTION", "012345"),
            ("memory_type=STRUCTURED_PROFILE", ""),
        ],
    )
    def test_what_is_found(self, mixed: Bank, filter: str, numbers: str) -> None:
        """D53"""
        if numbers == "BAD":
            with pytest.raises(errors.InvalidArgument):
                mixed.list_memories(filter=filter)
            return
        page = mixed.list_memories(filter=filter)
        assert "".join(sorted((one.scope or {})["n"] for one in page.memories)) == numbers
        assert page.total_size == len(numbers)

    @pytest.mark.parametrize("character", list("\"\\()[]{}^~*?:;'%_#"))
    def test_every_character_is_searched_as_itself(self, mixed: Bank, character: str) -> None:
        """D32"""
        filter = f"fact:{quote(character)}"
        assert [
            (one.scope or {})["n"] for one in mixed.list_memories(filter=filter).memories if "odd" in (one.fact or "")
        ] == ["5"]
        assert all(character in (one.fact or "") for one in mixed.list_memories(filter=filter).memories)

    @pytest.mark.parametrize(
        ("filter", "column"),
        [
            ('fact=~"(["', 7),
            ("foo=1", 1),
            ('update_time>="yesterday"', 14),
            ('update_time>="2026-02-30T00:00:00Z"', 14),
            ("fact='x'", 6),
            ('(fact="x"', 1),
            ('fact="x")', 9),
            ("AND", 1),
            ('fact="x" AND', 13),
            ('fact="x" OR', 12),
            ("fact", 5),
            ("fact=", 6),
            ('fact="x', 6),
            ('scope="{"', 7),
            ("topics.managed_memory_topic:NO_SUCH", 29),
            ("fact>3", 1),
            ("(" * 50 + "fact=x" + ")" * 50, None),
            ("NOT " * 2000 + "fact=x", None),
            ('fact="' + "x" * 9000 + '"', None),
            ('fact=~"(a{1000}){1000}"', 7),
        ],
    )
    def test_what_is_no_filter_is_refused_with_its_column(
        self, world: World, bank: Bank, filter: str, column: int | None
    ) -> None:
        """D28, D29"""
        path = f"/v1beta1/{bank.name}/memories"
        error = fails(world.call("GET", path, params={"filter": filter}), 400, "INVALID_ARGUMENT")
        (violation,) = error["details"][0]["fieldViolations"]
        assert violation["field"] == "filter"
        if column is not None:
            assert f"column {column}:" in violation["description"]

    def test_a_plus_and_a_percent_20_are_spaces(self, world: World, bank: Bank) -> None:
        put(bank, {"user_id": "a b"}, "mine")
        put(bank, {"user_id": "a+b"}, "plus")
        for written, fact in (("a+b", "mine"), ("a%20b", "mine"), ("a%2Bb", "plus")):
            path = f"/v1beta1/{bank.name}/memories?filter=scope.user_id%3D%22{written}%22"
            assert [one["fact"] for one in done(world.call("GET", path))["memories"]] == [fact]

    def test_random_memories_agree_with_the_exact_test(self, bank: Bank) -> None:
        chance = random.Random(7)
        words = ["tea", "Tea", "té", "מים", "rice", "a", "b"]
        rows = [
            ({"u": chance.choice("xyz"), "t": chance.choice("pq")}, " ".join(chance.choices(words, k=3)))
            for _ in range(120)
        ]
        bank.batch_create([NewMemory(memory=Memory(fact=fact, scope=scope)) for scope, fact in rows])
        for _ in range(15):
            who, team, word = chance.choice("xyzw"), chance.choice("pq"), chance.choice(words)
            filter = f'scope.u="{who}" AND NOT scope.t="{team}" AND fact:"{word}"'
            expected = sorted(
                fact
                for scope, fact in rows
                if scope["u"] == who and scope["t"] != team and word.casefold() in fact.casefold()
            )
            page = bank.list_memories(filter=filter, page_size=200)
            assert sorted(one.fact or "" for one in page.memories) == expected
