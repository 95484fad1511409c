"""The filter bar: what is typed becomes conditions, conditions become the bar's text and the API's filter."""

from datetime import UTC, date, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from console import query
from console.query import Query, Token, pair
from memories.wire import filters
from memories.wire.times import Timestamp, to_micros

ROME = ZoneInfo("Europe/Rome")
JERUSALEM = ZoneInfo("Asia/Jerusalem")


def tokens(text: str) -> list[Token]:
    """The tokens of a text that has no fault."""
    found, faults = query.parse(text)
    assert faults == []
    return list(found.tokens)


def fault(text: str) -> str:
    """The message of the one fault of a text."""
    _found, faults = query.parse(text)
    assert len(faults) == 1, faults
    return faults[0].message


def words(value: str) -> Token:
    return Token("fact", "", ":", value)


def time(key: str, op: str, value: str) -> Token:
    return Token("time", key, op, value)


# --- text to tokens ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user_id:123", pair("user_id", "123")),
        ('user_id:"a b"', pair("user_id", "a b")),
        ('"my key":"a: b"', pair("my key", "a: b")),
        ('"my:key":v', pair("my:key", "v")),
        ("user_id:team:blue", pair("user_id", "team:blue")),
        ("user_id:http://x.example/a?b=c", pair("user_id", "http://x.example/a?b=c")),
        (r'user_id:"O\'Brien \"Q\""', pair("user_id", r"O\'Brien " + '"Q"')),
        ('user_id:"O\'Brien \\"Q\\""', pair("user_id", 'O\'Brien "Q"')),
        ('user_id:" padded "', pair("user_id", " padded ")),
        ('user_id:"a\\\\"', pair("user_id", "a\\")),
        ("user_id:a\\b", pair("user_id", "a\\b")),
        ('user_id:a"b', pair("user_id", 'a"b')),
        ("user_id:O'Brien", pair("user_id", "O'Brien")),
        ("tenant:Smith,", pair("tenant", "Smith,")),
        ("scope.fact:x", pair("fact", "x")),
        ('"fact":x', pair("fact", "x")),
        ('scope."my key":x', pair("my key", "x")),
        ("scope.created:2026-01-01", pair("created", "2026-01-01")),
        ('"created":2026-01-01', pair("created", "2026-01-01")),
        ("scope:x", pair("scope", "x")),
        ("fact:peanut", words("peanut")),
        ("FACT:peanut", words("peanut")),
        ('fact:"two words"', words("two words")),
        ("fact:a:b", words("a:b")),
        ("peanut", words("peanut")),
        ('"re:invent"', words("re:invent")),
        ('"two words"', words("two words")),
        ("topic:USER_PREFERENCES", Token("topic", "", ":", "USER_PREFERENCES")),
        ("topic:a|b", Token("topic", "", ":", "a|b")),
        ('topic:"Smith, Ann"', Token("topic", "", ":", "Smith, Ann")),
        ("type:natural", Token("type", "", ":", "natural")),
        ("created:2026-01-31", time("created", ":", "2026-01-31")),
        ("created=2026-01-31", time("created", ":", "2026-01-31")),
        ("Created>=2026-01-31", time("created", ">=", "2026-01-31")),
        ('updated<"2026-01-31"', time("updated", "<", "2026-01-31")),
        ("expires<=2026-01-31T09:30", time("expires", "<=", "2026-01-31T09:30")),
        ("updated>2026-01-31t09:30:00z", time("updated", ">", "2026-01-31T09:30:00Z")),
        ("created>=2026-01-31T09:30:00+02:00", time("created", ">=", "2026-01-31T09:30:00+02:00")),
        # Not times: no comparison, or no field of that name.
        ("created", words("created")),
        ("recreated:2026", pair("recreated", "2026")),
    ],
)
def test_one_token(text: str, expected: Token) -> None:
    assert tokens(text) == [expected]
    assert tokens(f"  {text}\t\n") == [expected]


def test_tokens_stand_side_by_side() -> None:
    assert tokens('user_id:123 app:shop peanut "two words" created>=2026-01-01') == [
        pair("user_id", "123"),
        pair("app", "shop"),
        words("peanut"),
        words("two words"),
        time("created", ">=", "2026-01-01"),
    ]


def test_the_same_condition_twice_is_one() -> None:
    assert tokens("user_id:1 peanut user_id:1 fact:peanut") == [pair("user_id", "1"), words("peanut")]


def test_nothing_is_no_condition() -> None:
    for text in ("", " ", "\t\n "):
        assert tokens(text) == []
        assert Query(()).expression(UTC) == ""


def test_free_words_are_all_wanted() -> None:
    assert tokens("red green") == [words("red"), words("green")]


# D32: the box takes any sign as the text to look for.
@pytest.mark.parametrize("sign", list("\\()[]{}^~*?;'%_#:\"&=+<>|!@$/,.-"))
def test_any_sign_alone_is_text(sign: str) -> None:
    assert tokens(sign) == [words(sign)]


def test_all_signs_together_are_text() -> None:
    found, faults = query.parse("\" \\ ( ) [ ] { } ^ ~ * ? : ; ' % _ #")
    assert faults == []
    assert [token.kind for token in found.tokens] == ["fact"] * 18


# --- faults -----------------------------------------------------------------------------------------------------------


# D26: an empty value is never "match all".
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("user_id:", "The value is missing; write user_id:123."),
        ('user_id:""', "The value is missing; write user_id:123."),
        ('"my key":', 'The value is missing; write "my key":123.'),
        ("scope.fact:", "The value is missing; write scope.fact:123."),
        ("fact:", "The value is missing; write fact:words."),
        ("topic:", "The value is missing; write topic:words."),
        ("created:", "The day is missing; write created>=2026-01-31."),
        ("created>=", "The day is missing; write created>=2026-01-31."),
        ('"":v', "The key is missing; write key:value."),
        ('user_id:"abc', 'This quote is never closed; add “"”.'),
        ('fact:"abc', 'This quote is never closed; add “"”.'),
        ('""', "Between these quotes is nothing; write the words to look for."),
        ("type:other", "A type is natural or structured; write type:natural or type:structured."),
        (
            "created:yesterday",
            "“yesterday” is not a day that exists; write created>=2026-01-31 or created>=2026-01-31T09:30.",
        ),
        (
            "updated<2026-02-30",
            "“2026-02-30” is not a day that exists; write updated>=2026-01-31 or updated>=2026-01-31T09:30.",
        ),
    ],
)
def test_a_fault_says_what_to_do(text: str, says: str) -> None:
    assert fault(text) == says


@pytest.mark.parametrize(
    "value",
    [
        "2026-13-01",
        "2026-1-1",
        "26-01-01",
        "20260101",
        "2026-W01-1",
        "2026-001",
        "1900-01-01",
        "9999-12-31",
        "١٩٩٩-01-01",
        "2026-01-01T",
        "2026-01-01T25:00",
        "2026-01-01T09:60",
        "2026-02-30T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ],
)
def test_days_that_nobody_can_mean_are_refused(value: str) -> None:
    for op in (":", ">=", "<", "<=", ">"):
        assert "is not a day that exists" in fault(f"created{op}{value}")


def test_faults_say_where_they_stand_and_spare_the_rest() -> None:
    text = 'user_id:1  app: peanut created>=soon "my key":'
    found, faults = query.parse(text)
    assert found.tokens == (pair("user_id", "1"), words("peanut"))
    assert [text[one.start : one.end] for one in faults] == ["app:", "created>=soon", '"my key":']


def test_a_quote_that_is_never_closed_takes_the_rest() -> None:
    text = 'a user_id:"b c d'
    found, faults = query.parse(text)
    assert found.tokens == (words("a"),)
    assert [text[one.start : one.end] for one in faults] == ['user_id:"b c d']


def test_a_text_that_is_too_long_is_kept_whole() -> None:
    text = "a " * query.MAX_LENGTH
    found, faults = query.parse(text)
    assert found.tokens == ()
    assert text[faults[0].start : faults[0].end] == text
    assert "longer than 2000 characters" in faults[0].message
    assert query.parse("a" * query.MAX_LENGTH)[1] == []


@given(st.text(max_size=60))
@example('user_id:"\\')
@example("created:9999-12-31T23:59:59Z")
@example("created>0001-01-01T00:00:00Z")
@example("created:0001-01-01T00:00:00+14:00")
@example("expires>9998-12-31")
def test_no_text_breaks_it(text: str) -> None:
    found, faults = query.parse(text)
    for one in faults:
        assert 0 <= one.start < one.end <= len(text)
        assert one.message
    filters.check(filters.parse(found.expression(ROME)) if found.tokens else filters.parse('fact="x"'))
    assert query.parse(found.text) == (found, [])


@given(st.text(alphabet='ab:" \\.scopefact()*>=<created2026-01T', max_size=40))
def test_no_text_of_the_signs_that_matter_breaks_it(text: str) -> None:
    test_no_text_breaks_it.hypothesis.inner_test(text)  # type: ignore[attr-defined]  # set by the decorator


# --- tokens to text and back ------------------------------------------------------------------------------------------

ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
KEYS = ANY | st.sampled_from(
    [
        "fact",
        "FACT",
        "Topic",
        "type",
        "created",
        "CREATED",
        "updated",
        "expires",
        "scope",
        "scope.",
        "scope.x",
        "Scope.x",
        "my key",
        "a:b",
        'a"b',
        "a\\",
        "user_id",
        "-",
        "created>",
        "e-mail",
        "user.name",
        "ключ",
        "scope.created",
    ]
)
VALUES = ANY | st.sampled_from(
    [
        "123",
        "a b",
        " a ",
        'O\'Brien "Q"',
        "team:blue",
        "\\",
        '\\"',
        "u-1*",
        "u-1 OR user_id:u-2",
        '"',
        "é",
        "e\u0301",
        "​",
    ]
)
DAYS = st.dates(date(1970, 1, 1), date(9998, 12, 30)).map(str)
TOKENS = st.one_of(
    st.builds(pair, KEYS, VALUES),
    st.builds(words, VALUES),
    st.builds(lambda value: Token("topic", "", ":", value), VALUES | st.sampled_from(filters.MANAGED_TOPICS)),
    st.sampled_from([Token("type", "", ":", "natural"), Token("type", "", ":", "structured")]),
    st.builds(time, st.sampled_from(list(query.TIMES)), st.sampled_from([":", ">=", "<=", ">", "<"]), DAYS),
)


@given(st.lists(TOKENS, max_size=6))
@example([pair("FACT", "v"), pair("Topic", "v"), pair("type", "v"), pair("Created", "v"), pair("scope.x", "v")])
def test_tokens_survive_the_way_through_the_bar(given_tokens: list[Token]) -> None:
    wanted = Query(tuple(dict.fromkeys(given_tokens)))
    assert query.parse(wanted.text) == (wanted, []) or len(wanted.text) > query.MAX_LENGTH


@given(st.lists(TOKENS, max_size=6))
def test_what_it_sends_parses_and_checks(given_tokens: list[Token]) -> None:
    expression = Query(tuple(given_tokens)).expression(JERUSALEM)
    if given_tokens:
        filters.check(filters.parse(expression))
    else:
        assert expression == ""


@given(KEYS, VALUES)
def test_a_scope_pair_matches_itself_and_nothing_near(key: str, value: str) -> None:
    expression = Query((pair(key, value),)).expression(UTC)
    matches = filters.predicate(filters.check(filters.parse(expression)))
    assert matches(lambda path: value if path == ("scope", key) else None)
    assert not matches(lambda path: value + "2" if path == ("scope", key) else None)
    assert not matches(lambda path: None)


@given(VALUES)
def test_words_are_literal(value: str) -> None:
    matches = filters.predicate(filters.check(filters.parse(Query((words(value),)).expression(UTC))))
    assert matches(lambda path: f"before\n{value}\nafter" if path == ("fact",) else None)
    assert not matches(lambda path: "" if path == ("fact",) else None)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (pair("user_id", "123"), "user_id:123"),
        (pair("my key", "a: b"), '"my key":"a: b"'),
        (pair("fact", "x"), "scope.fact:x"),
        (pair("created", "x"), "scope.created:x"),
        (pair("user_id", " a "), 'user_id:" a "'),
        (pair("e-mail", "josé@example.com"), "e-mail:josé@example.com"),
        (words("peanut"), "fact:peanut"),
        (words("two words"), 'fact:"two words"'),
        (time("created", ">=", "2026-01-31"), "created>=2026-01-31"),
    ],
)
def test_the_text_of_a_token(token: Token, text: str) -> None:
    assert token.text == text


def test_conditions_are_added_once_and_taken_away() -> None:
    asked = Query((pair("a", "1"), words("x")))
    assert asked.having(pair("a", "1")) is asked
    assert asked.having(pair("b", "2")).text == "a:1 fact:x b:2"
    assert asked.without(0).text == "fact:x"
    assert asked.scope == {"a": "1"}


# --- the filter of the API --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("user_id:123", 'scope.user_id="123"'),
        ('"my key":"a: b"', 'scope."my key"="a: b"'),
        ("topic:USER_PREFERENCES", 'topics.managed_memory_topic:"USER_PREFERENCES"'),
        ("topic:a|b", 'topics.custom_memory_topic_label:"a|b"'),
        ("type:structured", 'memory_type="STRUCTURED_PROFILE"'),
        ("a:1 b:2", 'scope.a="1" AND scope.b="2"'),
        ("created>=2026-01-31T09:30:00Z", 'create_time>="2026-01-31T09:30:00Z"'),
        ("updated<2026-01-31T09:30:00+02:00", 'update_time<"2026-01-31T07:30:00Z"'),
    ],
)
def test_the_expression(text: str, expression: str) -> None:
    found = Query(tuple(tokens(text))).expression(UTC)
    assert filters.parse(found) == filters.parse(expression)


# D21: neither `*` nor OR is more than text.
@pytest.mark.parametrize("value", ["u-1*", "u-1 OR user_id:u-2", 'u-1" OR scope.user_id="u-2'])
def test_a_value_never_widens_the_filter(value: str) -> None:
    asked = Query((pair("user_id", value),))
    parsed = filters.parse(asked.expression(UTC))
    assert parsed == filters.Restriction(("scope", "user_id"), "=", value)


def test_the_fact_token_is_what_google_documents() -> None:
    found = filters.parse(Query((words("peanut (raw)"),)).expression(UTC))
    assert isinstance(found, filters.Restriction)
    assert (found.field, found.op) == (("fact",), "=~")
    assert str(found.value).startswith("(?is).*peanut")


def matching(text: str, zone: ZoneInfo, *moments: str) -> list[bool]:
    """Whether memories created at these moments match."""
    matches = filters.predicate(filters.check(filters.parse(Query(tuple(tokens(text))).expression(zone))))

    def one(moment: str) -> bool:
        micros = to_micros(Timestamp.parse(moment).datetime)
        return matches(lambda path: micros if path == ("create_time",) else None)

    return [one(moment) for moment in moments]


# D59: 02:00 in UTC is the same day in Jerusalem, 23:00 is the next one.
def test_a_day_is_a_day_of_the_zone() -> None:
    early, late = "2026-07-25T02:00:00Z", "2026-07-25T23:00:00Z"
    assert matching("created:2026-07-25", ZoneInfo("UTC"), early, late) == [True, True]
    assert matching("created:2026-07-25", JERUSALEM, early, late) == [True, False]
    assert matching("created:2026-07-26", JERUSALEM, early, late) == [False, True]
    assert matching("created:2026-07-24", ZoneInfo("America/Los_Angeles"), early, late) == [True, False]


@pytest.mark.parametrize(
    ("op", "expected"),
    # A second before the day, its first, its last, the first after it.
    [
        (":", [False, True, True, False]),
        ("=", [False, True, True, False]),
        (">=", [False, True, True, True]),
        (">", [False, False, False, True]),
        ("<", [True, False, False, False]),
        ("<=", [True, True, True, False]),
    ],
)
def test_comparisons_take_the_whole_day(op: str, expected: list[bool]) -> None:
    edges = [
        "2026-07-24T20:59:59.999999Z",
        "2026-07-24T21:00:00Z",
        "2026-07-25T20:59:59.999999Z",
        "2026-07-25T21:00:00Z",
    ]
    assert matching(f"created{op}2026-07-25", JERUSALEM, *edges) == expected


def test_days_when_the_clocks_change_have_23_and_25_hours() -> None:
    for day, hours in (("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)):
        start, end = (Timestamp.parse(str(part.value)).datetime for part in filters_of(f"created:{day}", ROME))
        assert end - start == timedelta(hours=hours)


def filters_of(text: str, zone: ZoneInfo) -> list[filters.Restriction]:
    found = filters.parse(Query(tuple(tokens(text))).expression(zone))
    assert isinstance(found, filters.And)
    return [part for part in found.parts if isinstance(part, filters.Restriction)]


def test_a_minute_is_a_minute() -> None:
    edges = ["2026-01-31T08:29:59Z", "2026-01-31T08:30:00Z", "2026-01-31T08:30:59.999Z", "2026-01-31T08:31:00Z"]
    assert matching("created:2026-01-31T09:30", ROME, *edges) == [False, True, True, False]
    assert matching("created>=2026-01-31T09:30", ROME, *edges) == [False, True, True, True]


def test_a_time_that_names_its_zone_is_of_that_zone() -> None:
    for zone in (ROME, JERUSALEM):
        assert matching("created>=2026-01-31T00:00:00Z", zone, "2026-01-30T23:59:59Z", "2026-01-31T00:00:00Z") == [
            False,
            True,
        ]


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "before", "value", "name"),
    [
        ("user_id:1", "scope has", "user_id:1", True),
        ("peanut", "fact contains", "peanut", False),
        ("topic:x", "topic is", "x", False),
        ("type:natural", "type is", "natural language", False),
        ("created:2026-01-31", "created on", "2026-01-31", False),
        ("updated<=2026-01-31", "updated up to", "2026-01-31", False),
        ("expires>2026-01-31", "expiring after", "2026-01-31", False),
    ],
)
def test_the_sentence(text: str, before: str, value: str, name: bool) -> None:
    found = query.phrase(tokens(text)[0])
    assert (found.before, found.value, found.name) == (before, value, name)


@pytest.mark.parametrize("key", list(query.TIMES))
@pytest.mark.parametrize("op", [":", ">=", "<=", ">", "<"])
def test_each_comparison_has_words(key: str, op: str) -> None:
    assert query.phrase(time(key, op, "2026-01-31")).before
