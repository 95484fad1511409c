"""The state of the list is its URL: whatever is shown can be sent to a colleague."""

from datetime import UTC
from urllib.parse import parse_qs, urlencode, urlsplit
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from console import query
from console.listing import Listing
from memories.wire import filters

PATH = "/banks/us-central1/1/memories"
ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


def read(text: str) -> Listing:
    return Listing.read(PATH, QueryDict(text))


def again(url: str) -> Listing:
    """The state that an address stands for."""
    parts = urlsplit(url)
    assert parts.path == PATH
    return read(parts.query)


def test_the_default_is_the_bare_path() -> None:
    plain = read("")
    assert plain.url() == PATH
    assert (plain.order_by, plain.size, plain.page, plain.filtered, plain.valid) == (
        "create_time desc",
        50,
        "",
        False,
        True,
    )
    assert plain.expression(UTC) == ""


@pytest.mark.parametrize(
    "text",
    [
        "q=user_id%3A1",
        "q=user_id%3A1&sort=updated&size=20&page=abc",
        "filter=fact%3D%22x%22&sort=-updated",
        "size=100",
        "sort=created",
    ],
)
def test_an_address_stands_for_itself(text: str) -> None:
    assert parse_qs(urlsplit(read(text).url()).query) == parse_qs(text)


@pytest.mark.parametrize(
    "text", ["sort=name", "sort=", "size=7", "size=-1", "size=1000", "size=x", "sort=created%27--"]
)
def test_what_is_not_offered_is_the_default(text: str) -> None:
    assert read(text).url() == PATH


@given(st.dictionaries(ANY, ANY, max_size=3), ANY)
def test_conditions_survive_the_address(scope: dict[str, str], words: str) -> None:
    tokens = [query.pair(key, value) for key, value in scope.items()]
    wanted = query.Query((*tokens, query.Token("fact", "", ":", words)))
    found = again(Listing(PATH, wanted).url())
    assert found.query == wanted
    assert found.valid


@given(ANY, ANY)
def test_a_chip_adds_its_pair(key: str, value: str) -> None:
    start = read("q=user_id%3A1&sort=updated&size=20&page=abc")
    found = again(start.linker()(key, value))
    assert found.query.scope == {"user_id": "1"} | {key: value} or (key, value) == ("user_id", "1")
    assert (found.order, found.size, found.page) == ("updated", 20, "")


def test_a_chip_that_is_held_leads_nowhere() -> None:
    narrow = read("q=user_id%3A1").linker()
    assert narrow("user_id", "1") == ""
    assert narrow("user_id", "2") != ""


@given(ANY, ANY)
def test_a_chip_narrows_an_expression(key: str, value: str) -> None:
    start = read('filter=fact%3D"x"+OR+fact%3D"y"')
    found = again(start.linker()(key, value))
    assert found.valid
    assert found.advanced is not None
    parsed = filters.parse(found.advanced)
    assert isinstance(parsed, filters.And)
    assert parsed.parts[-1] == filters.Restriction(("scope", key), "=", value)


def test_the_expression_to_edit_says_the_same() -> None:
    start = read("q=user_id%3A1+peanut+created%3A2026-01-31&page=abc&size=20")
    zone = ZoneInfo("Asia/Jerusalem")
    found = again(start.hand_written(zone))
    assert found.expression(UTC) == start.expression(zone)
    assert found.query.tokens == ()
    assert (found.page, found.size) == ("", 20)


def test_clearing_keeps_order_and_size() -> None:
    assert read("q=a%3A1&sort=updated&size=20&page=p").cleared == f"{PATH}?sort=updated&size=20"
    assert read("filter=x&size=20").cleared == f"{PATH}?size=20"


def test_taking_a_condition_away_goes_to_the_first_page() -> None:
    start = read("q=a%3A1+b%3A2&page=p")
    assert again(start.without(0)).query.scope == {"b": "2"}
    assert again(start.without(0)).page == ""
    assert start.pills()[1]["remove"] == start.without(1)


def test_a_condition_taken_back_stands_in_the_box() -> None:
    start = read("q=a%3A1+b%3A2")
    edited = again(str(start.pills()[0]["edit"]))
    assert edited.query.scope == {"b": "2"}
    assert edited.typed == "a:1"


def test_sorting_turns_round() -> None:
    assert again(read("").sorted_by("created")).order == "created"
    assert again(read("sort=created").sorted_by("created")).order == "-created"
    assert again(read("").sorted_by("updated")).order == "-updated"
    assert again(read("sort=-updated&page=p&q=a%3A1").sorted_by("updated")).url() == f"{PATH}?q=a%3A1&sort=updated"


def test_columns_say_how_they_are_sorted() -> None:
    assert [column["sort"] for column in read("").columns()] == ["descending", ""]
    assert [column["sort"] for column in read("sort=updated").columns()] == ["", "ascending"]


def test_pages_and_sizes() -> None:
    start = read("q=a%3A1&page=p")
    assert again(start.at("next token/+=")).page == "next token/+="
    assert start.at(None) == start.at("") == ""
    assert again(start.first).page == ""
    assert again(start.sized(20)).url() == f"{PATH}?q=a%3A1&size=20"


# D26, D29: what is wrong is kept as typed, and nothing is listed.
def test_a_fault_is_kept_in_the_box() -> None:
    found = read("q=a%3A1&add=user_id%3A+created%3Esoon")
    assert not found.valid
    assert found.typed == "user_id: created>soon"
    assert found.query.scope == {"a": "1"}
    assert [text for text, _message in found.faults] == ["user_id:", "created>soon"]


def test_the_two_boxes_are_joined_once() -> None:
    assert read("q=a%3A1&add=a%3A1+b%3A2").query.text == "a:1 b:2"


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ('foo="1"', 1),
        ("fact='x'", 6),
        ('(fact="x"', 1),
        ('fact="x")', 9),
        ("AND", 1),
        ('update_time>="yesterday"', 14),
        ('update_time>="2026-02-30T00:00:00Z"', 14),
        ('fact=~"(["', 7),
    ],
)
def test_a_wrong_expression_says_where(expression: str, column: int) -> None:
    found = read(urlencode({"filter": expression}))
    assert not found.valid
    assert found.advanced == expression
    assert found.expression_fault is not None
    assert found.expression_fault.column == column
    assert found.expression_fault.expected


def test_an_empty_expression_is_no_filter() -> None:
    found = read("filter=+")
    assert found.valid
    assert not found.expression(UTC)


# D59: the sentence says which day is meant, and of which zone.
def test_a_day_is_shown_with_its_zone() -> None:
    with timezone.override(ZoneInfo("Asia/Jerusalem")):
        (pill,) = read("q=created%3A2026-07-25").pills()
    assert pill["before"] == "created on"
    assert pill["value"] == "25 Jul 2026 (IDT)"
    assert pill["name"] is False


def test_pills_make_spaces_visible() -> None:
    (pill,) = read("q=user_id%3A%22+a+%22").pills()
    assert (pill["key"], pill["shown"]) == ("user_id", "␣a␣")


def test_a_topic_is_shown_by_its_title() -> None:
    (pill,) = read("q=topic%3AUSER_PREFERENCES").pills()
    assert pill["value"] == "User preferences"
