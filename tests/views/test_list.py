"""The list of a bank's memories: filter, chips, counts, pages, and the pictures of nothing to show."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponseBase
from django.test import Client

from memories.wire.times import Timestamp
from tests import made
from tests.made import People, person, signed_in
from tests.views.answers import HTMX, is_whole, link, links_of, read, text_of, words_of
from tests.views.place import SCOPE, Place


def facts_of(answer: HttpResponseBase) -> list[str]:
    """The facts of the rows, in order."""
    body = text_of(answer).partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'<div class="text(?: long)?" dir="auto">(.*?)</div>', body, re.DOTALL)


def count_of(answer: HttpResponseBase) -> str:
    found = re.search(r'<p id="count">(.*?)</p>', text_of(answer), re.DOTALL)
    assert found, words_of(answer)
    return " ".join(re.sub("<[^>]*>", "", found[1]).split())


def listed(client: Client, place: Place, **state: str) -> HttpResponseBase:
    answer = client.get(place.list, state)
    assert answer.status_code == 200, words_of(answer)
    return answer


def chip(answer: HttpResponseBase, pair: str) -> str:
    """Where the first chip of the pair leads."""
    return next(href for words, href in read(answer).links if words == pair)


def refused(client: Client, place: Place, **state: str) -> HttpResponseBase:
    answer = client.get(place.list, state)
    assert answer.status_code == 422
    assert "Nothing is listed until the filter is mended" in words_of(answer)
    assert facts_of(answer) == []
    return answer


def box_of(answer: HttpResponseBase, id: str = "add") -> str:
    return next(
        found.get("value") or "" for tag, found in read(answer).tags if tag == "input" and found.get("id") == id
    )


def tell_many(place: Place, count: int, scope: dict[str, str] | None = None) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    made.tell_all(
        place.bank.name,
        [
            {"fact": f"fact {n:03}", "scope": scope or SCOPE, "createTime": Timestamp.of(at + timedelta(minutes=n))}
            for n in range(count)
        ],
    )


# --- chips, counts, pages ---------------------------------------------------------------------------------------------


def test_newest_first(place: Place, as_viewer: Client) -> None:
    tell_many(place, 3)
    assert facts_of(listed(as_viewer, place)) == ["fact 002", "fact 001", "fact 000"]
    assert facts_of(listed(as_viewer, place, sort="created")) == ["fact 000", "fact 001", "fact 002"]


# D01
def test_a_chip_and_the_next_page(place: Place, as_viewer: Client) -> None:
    tell_many(place, 25)
    made.tell(place.bank.name, "somebody else's", {"user_id": "u-0002"})
    first = listed(as_viewer, place, size="20")
    narrow = as_viewer.get(chip(first, "user_id:u-0001"))
    assert count_of(narrow) == "1–20 of 25"
    assert "Memories whose scope has user_id:u-0001" in words_of(narrow)
    following = link(narrow, "Next")
    assert parse_qs(urlsplit(following).query)["q"] == ["user_id:u-0001"]
    second = as_viewer.get(following)
    assert count_of(second) == "21–25 of 25"
    assert len(facts_of(second)) == 5
    assert "user_id:u-0001" in words_of(second)
    assert sorted(facts_of(narrow) + facts_of(second)) == [f"fact {n:03}" for n in range(25)]
    back = as_viewer.get(link(second, "Previous"))
    assert facts_of(back) == facts_of(narrow)


def test_pages_from_end_to_end(place: Place, as_viewer: Client) -> None:
    tell_many(place, 45)
    seen: list[str] = []
    answer = listed(as_viewer, place, size="20")
    assert count_of(answer) == "1–20 of 45"
    for count in ("21–40 of 45", "41–45 of 45"):
        seen += facts_of(answer)
        answer = as_viewer.get(link(answer, "Next"))
        assert count_of(answer) == count
    seen += facts_of(answer)
    assert seen == [f"fact {n:03}" for n in reversed(range(45))]
    assert "Next" not in [words for words, _href in read(answer).links]
    last = as_viewer.get(link(listed(as_viewer, place, size="20"), "Last"))
    assert facts_of(last)[-1] == "fact 000"
    first = as_viewer.get(link(answer, "First"))
    assert count_of(first) == "1–20 of 45"


def test_every_link_of_a_page_keeps_the_state(place: Place, as_viewer: Client) -> None:
    tell_many(place, 45)
    answer = listed(as_viewer, place, q="user_id:u-0001", sort="updated", size="20")
    for words in ("Next", "Last", "Created", "Updated ↑", "50", "100"):
        state = parse_qs(urlsplit(link(answer, words)).query)
        assert state["q"] == ["user_id:u-0001"]
        if words in ("Next", "Last", "50", "100"):
            assert state["sort"] == ["updated"]
        if not words.isdigit():
            assert state["size"] == ["20"]


@pytest.mark.parametrize("page", ["nonsense", "a" * 3000, "%00", "💥"])
def test_a_page_that_is_none_says_so(page: str, place: Place, as_viewer: Client) -> None:
    tell_many(place, 3)
    answer = as_viewer.get(place.list, {"page": page})
    assert answer.status_code == 422
    assert facts_of(answer) == []
    assert link(answer, "Memories") == place.list


def test_the_form_goes_to_the_first_page(place: Place, as_viewer: Client) -> None:
    tell_many(place, 45)
    second = as_viewer.get(link(listed(as_viewer, place, size="20", sort="created"), "Next"))
    fields = {found.get("name"): found.get("value") for tag, found in read(second).tags if tag == "input"}
    assert {"sort": "created", "size": "20"}.items() <= fields.items()
    assert "page" not in fields


# --- the filter -------------------------------------------------------------------------------------------------------


def test_what_is_typed_becomes_a_tidy_address(place: Place, as_viewer: Client) -> None:
    place.add("I like tea.")
    answer = as_viewer.get(place.list, {"q": "user_id:u-0001", "add": "tea", "sort": "created", "page": "old"})
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{place.list}?q=user_id%3Au-0001+fact%3Atea&sort=created"
    by_htmx = as_viewer.get(place.list, {"add": "tea"}, headers=HTMX)
    assert by_htmx.status_code == 302  # the browser follows it and asks for the same fragment


def test_conditions_are_joined(place: Place, as_viewer: Client) -> None:
    place.add(
        "I like tea.", scope={"user_id": "1", "app_name": "shop"}, topics=[{"managedMemoryTopic": "USER_PREFERENCES"}]
    )
    place.add("I like tea.", scope={"user_id": "1"})
    place.add("I like coffee.", scope={"user_id": "1", "app_name": "shop"})
    answer = listed(as_viewer, place, q="user_id:1 app_name:shop tea topic:USER_PREFERENCES")
    assert facts_of(answer) == ["I like tea."]
    assert (
        "Memories whose scope has user_id:1 , scope has app_name:shop , fact contains tea , and whose topic is"
        " User preferences" in words_of(answer)
    )
    for index, words in enumerate(["Remove user_id:1", "Remove app_name:shop", "Remove fact:tea"]):
        fewer = parse_qs(urlsplit(link(answer, words)).query)["q"][0]
        assert len(fewer.split()) == 3
        assert ["user_id:1", "app_name:shop", "fact:tea", "topic:USER_PREFERENCES"][index] not in fewer.split()


# D14: two agents that write differently about one person.
def test_the_same_person_under_two_scopes(place: Place, as_viewer: Client) -> None:
    place.add("alone", scope={"user_id": "u-7"})
    place.add("in the shop", scope={"user_id": "u-7", "app_name": "shop"})
    answer = listed(as_viewer, place, q="user_id:u-7")
    assert facts_of(answer) == ["in the shop", "alone"]
    assert count_of(answer) == "1–2 of 2"
    assert "user_id:u-7" in words_of(answer)
    exact = listed(as_viewer, place, filter='scope="{\\"user_id\\": \\"u-7\\"}"')
    assert facts_of(exact) == ["alone"]


# D16
def test_a_value_is_never_a_beginning(place: Place, as_viewer: Client) -> None:
    place.add("one", scope={"user_id": "u-1"})
    place.add("twelve", scope={"user_id": "u-12"})
    place.add("capital", scope={"user_id": "U-1"})
    assert facts_of(listed(as_viewer, place, q="user_id:u-1")) == ["one"]


# D17
def test_the_order_of_the_pairs_does_not_matter(place: Place, as_viewer: Client) -> None:
    place.add("first", scope={"a": "1", "b": "2"})
    place.add("second", scope={"b": "2", "a": "1"})
    answer = listed(as_viewer, place, q="b:2 a:1")
    assert count_of(answer) == "1–2 of 2"
    chips = re.findall(r'<td class="c-scope">(.*?)</td>', text_of(listed(as_viewer, place)))
    assert chips[0] == chips[1]
    assert chips[0].index(">a:<") < chips[0].index(">b:<")


# D18, D20, D22, D27: any value that can be written can be found, by its chip and by hand.
VALUES = [
    "acme-eu-west",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "Smith, Ann",
    "a|b",
    "ann+test@example.com",
    "a#b&c=d?e%f",
    "josé@example.com",
    "jose\u0301@example.com",
    "team:blue",
    'O\'Brien "Q"',
    " padded ",
    "back\\slash",
    "%41",
    "+",
    "/../..",
    "https://x.example/?a=b&c=d#e",
    "two\nlines",
    "נועה",
    "😀",
    "null",
    "0",
    "AND",
    "(a OR b)",
    "<b>",
]


@pytest.mark.parametrize("value", VALUES)
def test_any_scope_value_is_found(value: str, place: Place, as_viewer: Client) -> None:
    memory = place.add("the one", scope={"user_id": value})
    place.add("the other", scope={"user_id": f"{value}x"})
    answer = listed(as_viewer, place)
    leads = [href for words, href in read(answer).links if words.startswith("user_id:")]
    narrow = [as_viewer.get(href) for href in leads]
    assert [facts_of(one) for one in narrow] == [["the other"], ["the one"]]
    assert count_of(narrow[1]) == "1–1 of 1"
    # The same address again (a reload, a copied link), and without the bar.
    assert facts_of(as_viewer.get(narrow[1].request["PATH_INFO"] + "?" + narrow[1].request["QUERY_STRING"])) == [
        "the one"
    ]
    advanced = as_viewer.get(link(narrow[1], "Advanced"))
    assert facts_of(advanced) == ["the one"]
    assert as_viewer.get(place.url("memory", memory)).status_code == 200


@pytest.mark.parametrize(
    "key", ["my key", "my:key", "fact", "FACT", "created", "scope", "scope.x", 'q"q', "ключ", "a.b", "-"]
)
def test_any_scope_key_is_found(key: str, place: Place, as_viewer: Client) -> None:
    place.add("the one", scope={key: "v"})
    place.add("the other", scope={"other": "v"})
    answer = listed(as_viewer, place)
    href = next(href for words, href in read(answer).links if words.endswith(":v") and not words.startswith("other"))
    assert facts_of(as_viewer.get(href)) == ["the one"]


# D27
@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("user_id:team:blue", {"user_id": "team:blue"}),
        ('"my:key":v', {"my:key": "v"}),
        ('user_id:"O\'Brien \\"Q\\""', {"user_id": 'O\'Brien "Q"'}),
        ('user_id:" padded "', {"user_id": " padded "}),
    ],
)
def test_colons_and_quotes(text: str, scope: dict[str, str], place: Place, as_viewer: Client) -> None:
    place.add("the one", scope=scope)
    place.add("the other")
    answer = listed(as_viewer, place, q=text)
    assert facts_of(answer) == ["the one"]
    if scope.get("user_id") == " padded ":
        assert "␣padded␣" in words_of(answer)


# D21
@pytest.mark.parametrize(
    "text", ["user_id:u-1*", 'user_id:"u-1 OR user_id:u-2"', "user_id:.*", "user_id:u-_", "user_id:%"]
)
def test_signs_do_not_widen_a_filter(text: str, place: Place, as_viewer: Client) -> None:
    place.add("one", scope={"user_id": "u-1"})
    place.add("two", scope={"user_id": "u-2"})
    assert "No memory matches" in words_of(listed(as_viewer, place, q=text))


# D32
@pytest.mark.parametrize("sign", [*"\"\\()[]{}^~*?:;'%_#", "\" \\ ( ) [ ] { } ^ ~ * ? : ; ' % _ #"])
def test_any_sign_is_looked_for_as_it_is(sign: str, place: Place, as_viewer: Client) -> None:
    place.add(f"with {sign} in it")
    place.add("without")
    answer = as_viewer.get(place.list, {"add": sign}, follow=True)
    assert answer.status_code == 200
    (fact,) = facts_of(answer)
    assert fact.startswith("with ")


def test_words_ignore_case_and_how_an_accent_is_written(place: Place, as_viewer: Client) -> None:
    place.add("I like CAFÉ crème.")
    for words in ("café", "CAFE\u0301", "Crème"):
        assert len(facts_of(listed(as_viewer, place, q=words))) == 1


# D26, D29
@pytest.mark.parametrize(
    ("text", "marked", "says"),
    [
        ("user_id:", "user_id:", "The value is missing"),
        ('user_id:""', 'user_id:""', "The value is missing"),
        ("tea created>=yesterday", "created>=yesterday", "is not a day that exists"),
        ("updated>=2026-02-30", "updated>=2026-02-30", "is not a day that exists"),
        ('user_id:"abc', 'user_id:"abc', "This quote is never closed"),
    ],
)
def test_a_wrong_condition_is_marked_and_kept(
    text: str, marked: str, says: str, place: Place, as_viewer: Client
) -> None:
    place.add("I like tea.")
    answer = refused(as_viewer, place, add=text)
    said = words_of(answer)
    assert f"{marked} " in said
    assert says in said
    assert box_of(answer) == marked
    assert link(answer, "Clear") == place.list
    part = as_viewer.get(place.list, {"add": text}, headers=HTMX)
    assert part.status_code == 422
    assert not is_whole(part)


def test_a_filter_too_long_is_kept_whole(place: Place, as_viewer: Client) -> None:
    text = "tea " * 501
    answer = refused(as_viewer, place, add=text)
    assert box_of(answer) == text
    assert "shorten it" in words_of(answer)


# D28, D29
@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('foo="1"', "Column 1:"),
        ("update_time>='2026-01-01'", "Column 14:"),
        ('fact=~"(["', "Column 7:"),
        ('(fact="x"', "Column 1:"),
        ("AND", "Column 1:"),
        ('update_time>="2026-02-30T00:00:00Z"', "Column 14:"),
    ],
)
def test_a_wrong_expression_is_marked_and_kept(expression: str, says: str, place: Place, as_viewer: Client) -> None:
    place.add("I like tea.")
    answer = refused(as_viewer, place, filter=expression)
    assert says in words_of(answer)
    assert box_of(answer, "filter") == expression
    assert link(answer, "Simple filter") == place.list


def test_an_expression_works_and_chips_narrow_it(place: Place, as_viewer: Client) -> None:
    place.add("I like tea.", scope={"user_id": "1"})
    place.add("I like cocoa.", scope={"user_id": "2"})
    place.add("I like milk.", scope={"user_id": "2"})
    answer = listed(as_viewer, place, filter='fact:"tea" OR fact:"cocoa"')
    assert sorted(facts_of(answer)) == ["I like cocoa.", "I like tea."]
    assert "Memories that match the expression" in words_of(answer)
    narrow = as_viewer.get(chip(answer, "user_id:2"))
    assert facts_of(narrow) == ["I like cocoa."]


# D59
def test_a_day_is_a_day_of_the_reader(place: Place, as_viewer: Client) -> None:
    made.tell(place.bank.name, "early", SCOPE, createTime="2026-07-25T02:00:00Z", updateTime="2026-07-25T02:00:00Z")
    made.tell(place.bank.name, "late", SCOPE, createTime="2026-07-25T23:00:00Z", updateTime="2026-07-25T23:00:00Z")
    utc = listed(as_viewer, place, q="created:2026-07-25")
    assert facts_of(utc) == ["late", "early"]
    assert "created on 25 Jul 2026 (UTC)" in words_of(utc)
    assert "times in UTC" in words_of(utc)
    as_viewer.cookies["timezone"] = "Asia/Jerusalem"
    there = listed(as_viewer, place, q="created:2026-07-25")
    assert facts_of(there) == ["early"]
    assert "created on 25 Jul 2026 (IDT)" in words_of(there)
    assert "25 Jul 2026, 05:00:00 IDT" in words_of(there)
    assert 'datetime="2026-07-25T02:00:00Z"' in text_of(there)
    assert facts_of(listed(as_viewer, place, q="created:2026-07-26")) == ["late"]
    as_viewer.cookies["timezone"] = "Nowhere/Else"
    assert facts_of(listed(as_viewer, place, q="created:2026-07-25")) == ["late", "early"]


# --- nothing to show --------------------------------------------------------------------------------------------------


# D07
def test_no_match_is_not_an_empty_bank(place: Place, as_support: Client) -> None:
    empty = listed(as_support, place)
    assert "This bank holds no memories yet" in words_of(empty)
    assert "No memory matches" not in words_of(empty)
    place.add("I like tea.")
    for state in ({"filter": 'fact=~".*zzzz.*"'}, {"q": "zzzz"}):
        none = listed(as_support, place, **state)
        assert "No memory matches" in words_of(none)
        assert "holds no memories" not in words_of(none)
        assert 'role="search"' in text_of(none)
        assert facts_of(as_support.get(link(none, "Clear"))) == ["I like tea."]
        assert facts_of(as_support.get(link(none, "Clear the filter"))) == ["I like tea."]


def test_an_empty_bank_offers_to_begin(place: Place, as_support: Client, as_viewer: Client) -> None:
    assert link(listed(as_support, place), "Create the first one") == place.url("memory_create")
    assert "Create the first one" not in words_of(listed(as_viewer, place))


def test_expired_memories_are_not_listed_or_counted(place: Place, as_viewer: Client) -> None:
    made.tell(place.bank.name, "gone", SCOPE, expireTime="2026-01-01T00:00:00Z")
    made.tell(place.bank.name, "here", SCOPE, expireTime="2999-01-01T00:00:00Z")
    answer = listed(as_viewer, place)
    assert facts_of(answer) == ["here"]
    assert count_of(answer) == "1–1 of 1"


# --- a full name pasted -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("box", ["add", "q"])
def test_a_pasted_resource_name_opens_the_memory(box: str, place: Place, as_viewer: Client) -> None:
    memory = place.add()
    elsewhere = Place.make()
    for name in (
        place.name(memory),
        f" {place.name(memory)} ",
        f"reasoningEngines/{place.bank.name.id}/memories/{memory}",
    ):
        answer = as_viewer.get(elsewhere.list, {box: name})
        assert answer.status_code == 302
        assert answer.headers["Location"] == place.url("memory", memory)
    by_htmx = as_viewer.get(place.list, {box: place.name(memory)}, headers=HTMX)
    assert by_htmx.headers["HX-Redirect"] == place.url("memory", memory)


def test_a_pasted_name_of_other_spellings(place: Place, as_viewer: Client) -> None:
    memory = place.add()
    name = place.name(memory).replace("reasoningEngines", "memoryBanks").replace("local-project", "1234567")
    assert as_viewer.get(place.list, {"add": name}).headers["Location"] == place.url("memory", memory)


# --- who may do what --------------------------------------------------------------------------------------------------


def test_controls_of_a_viewer_do_not_work_and_say_why(place: Place, as_viewer: Client) -> None:
    memory = place.add()
    answer = listed(as_viewer, place)
    text = text_of(answer)
    for needed in ("memories.update", "memories.delete", "memories.create"):
        assert f"needs aiplatform.{needed}" in words_of(answer)
    assert 'data-path="/edit"' not in text
    assert 'data-path="/delete"' not in text
    assert not [href for href in links_of(answer) if href.endswith(("/edit", "/delete", "/new", "/create"))]
    assert place.url("memory", memory) in links_of(answer)


def test_controls_of_support_work(place: Place, as_support: Client) -> None:
    place.add()
    answer = listed(as_support, place)
    assert "needs aiplatform" not in words_of(answer)
    assert link(answer, "Create memory") == place.url("memory_create")


def test_creating_begins_with_the_filter(place: Place, as_support: Client) -> None:
    place.add()
    href = link(listed(as_support, place, q="user_id:u-0001 tea"), "Create memory")
    assert parse_qs(urlsplit(href).query)["q"] == ["user_id:u-0001 fact:tea"]


# D71, D72
def test_who_may_not_list_sees_why(place: Place, as_nobody: Client) -> None:
    place.add()
    answer = as_nobody.get(place.list)
    assert answer.status_code == 403
    said = words_of(answer)
    assert "aiplatform.memories.list" in said
    assert "roles/aiplatform.memoryViewer" in said
    assert "nora" in said
    assert "holds no memories" not in said


def test_a_role_on_another_bank_is_none_here(place: Place, people: People) -> None:
    other = Place.make()
    client = signed_in(person("otto", role="roles/aiplatform.memoryViewer", bank=other.bank.name.key))
    assert client.get(other.list).status_code == 200
    assert client.get(place.list).status_code == 403


def test_the_status_line_says_whose_eyes(place: Place, as_viewer: Client) -> None:
    place.add()
    said = words_of(listed(as_viewer, place))
    for part in ("In this process, us-central1", "as vera", "counted", "filtered by the bank", "times in UTC"):
        assert part in said


def test_long_facts_are_cut_with_a_mark(place: Place, as_viewer: Client) -> None:
    """D10: four thousand characters are all there, more are a click away."""
    place.add("x" * 4000)
    memory = place.add("y" * 5000)
    answer = listed(as_viewer, place)
    cut, whole = facts_of(answer)
    assert whole == "x" * 4000
    assert cut == "y" * 4096 + "…"
    assert link(answer, "Read all 5,000 characters") == place.url("memory", memory)
    assert "y" * 5000 in text_of(as_viewer.get(place.url("memory", memory)))
    copied = as_viewer.get(place.url("memory_copy", memory, "json"))
    assert "y" * 5000 in text_of(copied)
