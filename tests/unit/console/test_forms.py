"""Forms: what is not touched stays as it was, byte for byte; what is typed is kept, and judged with words."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from console import forms, rows
from console.forms import CreateForm, MemoryForm, ReasonForm
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryMetadataValue, MemoryTopicId, StructuredContent
from memories.wire.times import Timestamp

FULL: dict[str, Any] = {
    "fact": "I live in Rome.\nI like tea.",
    "displayName": "Home",
    "description": "Where the guest lives.",
    "topics": [
        {"customMemoryTopicLabel": "a|b"},
        {"managedMemoryTopic": "USER_PREFERENCES"},
        {"customMemoryTopicLabel": "Smith, Ann"},
        {"managedMemoryTopic": "USER_PERSONAL_INFO"},
    ],
    "metadata": {
        "text": {"stringValue": " two  words "},
        "number": {"doubleValue": 0.1},
        "whole": {"doubleValue": 3.0},
        "yes": {"boolValue": True},
        "no": {"boolValue": False},
        "moment": {"timestampValue": "2026-01-31T09:30:00.123456789Z"},
        "empty": {"stringValue": ""},
    },
    "expireTime": "2030-05-06T07:08:09.123456Z",
    "updateTime": "2026-01-01T00:00:00Z",
}


def memory(**fields: Any) -> Memory:
    return Memory.model_validate(FULL | fields)


def posted(shown: MemoryForm, **typed: str | list[str]) -> QueryDict:
    """What a browser sends of the form as it was drawn, with some fields typed anew.

    A text area sends line ends as CR LF, a line of text loses them, a time loses seconds that are zero.
    """
    data = QueryDict(mutable=True)
    for name in shown.fields:
        value = typed.pop(name, shown[name].value())
        if isinstance(value, list):
            data.setlist(name, [item for item in value if item in dict(rows.TOPICS)])
            continue
        text = str(value or "")
        match type(shown.fields[name].widget).__name__:
            case "Textarea":
                text = re.sub("\r\n|\r|\n", "\r\n", text)
            case "DateTimeInput":
                text = re.sub(r"(T\d\d:\d\d):00$", r"\1", text)
            case _:
                text = re.sub("[\r\n]", "", text)
        data[name] = text
    for pair in shown.pair_rows:
        data.appendlist("metadata_key", re.sub("[\r\n]", "", pair["key"]))
        data.appendlist("metadata_kind", pair["kind"])
        data.appendlist("metadata_value", re.sub("[\r\n]", "", pair["value"]))
    for name, item in typed.items():
        data.setlist(name, item if isinstance(item, list) else [item])
    return data


def sent(base: Memory, **typed: str | list[str]) -> MemoryForm:
    """The form as it comes back from a browser."""
    structured = bool(base.structured_content)
    data = posted(MemoryForm(memory=base, structured=structured), **typed)
    return MemoryForm(data, memory=base, structured=structured)


def result(base: Memory, **typed: str | list[str]) -> Memory:
    form = sent(base, **typed)
    assert form.is_valid(), form.errors
    return form.result()


def errors_of(base: Memory, **typed: str | list[str]) -> dict[str, list[str]]:
    form = sent(base, **typed)
    assert not form.is_valid()
    return {field: [str(error) for error in found] for field, found in form.errors.items()}


# --- what is not touched stays ----------------------------------------------------------------------------------------


# D33
def test_nothing_typed_changes_nothing() -> None:
    base = memory()
    assert forms.changed(base, result(base)) == []
    kept = result(base)
    assert kept.wire()["metadata"] == FULL["metadata"]
    assert kept.wire()["topics"] == FULL["topics"]
    assert kept.expire_time == FULL["expireTime"]


# D33
def test_only_the_fact_changes() -> None:
    base = memory()
    mine = result(base, fact="I live in Milan.")
    assert forms.changed(base, mine) == ["fact"]
    assert mine.fact == "I live in Milan."


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
KEY = TEXT.filter(lambda text: text.strip("\r\n"))  # a row without any sign is an empty row
VALUE = st.one_of(
    st.builds(lambda text: {"stringValue": text}, TEXT | st.just("")),
    st.builds(lambda number: {"doubleValue": number}, st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(lambda yes: {"boolValue": yes}, st.booleans()),
    st.builds(
        lambda moment, fraction: {"timestampValue": f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction}Z"},
        st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001
        st.from_regex(r"[0-9]{1,9}", fullmatch=True),
    ),
)
TOPIC = st.one_of(
    st.builds(lambda label: {"customMemoryTopicLabel": label}, TEXT),
    st.builds(lambda name: {"managedMemoryTopic": name}, st.sampled_from(list(rows.TOPICS))),
)


@given(
    st.fixed_dictionaries(
        {"fact": TEXT.filter(lambda text: any(sign.isalnum() for sign in text))},
        optional={
            "displayName": TEXT,
            "description": TEXT,
            "topics": st.lists(TOPIC, max_size=4),
            "metadata": st.dictionaries(KEY, VALUE, max_size=3),
            "expireTime": st.datetimes(datetime(2030, 1, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001
                lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"
            ),
        },
    ),
    st.sampled_from(["UTC", "Asia/Jerusalem", "America/Sao_Paulo", "Europe/Rome"]),
)
@example({"fact": "a", "topics": [{"customMemoryTopicLabel": " padded "}]}, "UTC")
@example({"fact": "a", "topics": [{"customMemoryTopicLabel": "two\nlines"}]}, "UTC")
@example({"fact": "a", "topics": [{"customMemoryTopicLabel": "line\u2028separator"}]}, "UTC")
@example({"fact": "a", "topics": [{"customMemoryTopicLabel": "x"}, {"customMemoryTopicLabel": "x"}]}, "UTC")
@example({"fact": "a", "displayName": "two\nlines"}, "UTC")
@example({"fact": "a", "metadata": {"key": {"stringValue": "two\nlines"}}}, "UTC")
@example({"fact": "a", "metadata": {"two\nlines": {"stringValue": "x"}}}, "UTC")
@example({"fact": "a\r\nb\rc\nd", "description": "\r\n a \n"}, "UTC")
@example({"fact": "a", "expireTime": "2030-01-01T00:00:00.5Z"}, "UTC")
@example({"fact": "a", "expireTime": "2030-10-27T01:30:00Z"}, "Europe/Rome")  # the second 02:30 of that night
@example({"fact": "a", "metadata": {"n": {"doubleValue": 5e-324}, "m": {"doubleValue": 1.7976931348623157e308}}}, "UTC")
def test_whatever_a_memory_holds_an_untouched_form_keeps_it(fields: dict[str, Any], zone: str) -> None:
    base = Memory.model_validate(fields)
    with timezone.override(ZoneInfo(zone)):
        assert forms.changed(base, result(base)) == []


def test_topics_keep_their_order_and_new_ones_come_last() -> None:
    base = memory()
    mine = result(base, topics=["KEY_CONVERSATION_DETAILS", "USER_PREFERENCES"], labels="new\r\nSmith, Ann\r\n\r\nnew")
    assert [found.label for found in mine.topics or []] == [
        "USER_PREFERENCES",
        "Smith, Ann",
        "KEY_CONVERSATION_DETAILS",
        "new",
    ]


def test_a_topic_that_the_form_does_not_know_stays() -> None:
    base = Memory.receive({"fact": "x", "topics": [{"managedMemoryTopic": "NEWER"}, {"customMemoryTopicLabel": "a"}]})
    assert forms.changed(base, result(base)) == []
    assert [found.label for found in result(base, labels="b").topics or []] == ["NEWER", "b"]


def test_everything_can_be_taken_away() -> None:
    base = memory()
    mine = result(
        base,
        display_name="",
        description="",
        topics=[],
        labels="",
        expires="",
        metadata_key=[""],
        metadata_kind=["string"],
        metadata_value=[""],
    )
    assert forms.changed(base, mine) == ["display_name", "description", "topics", "metadata", "expire_time"]
    assert (mine.topics, mine.metadata, mine.expire_time) == (None, None, None)


def test_unset_and_empty_are_the_same() -> None:
    assert forms.changed(Memory(), Memory(topics=[], metadata={}, display_name="", description="")) == []


def test_line_ends_typed_in_a_browser_are_plain() -> None:
    assert result(memory(), fact="one\r\ntwo").fact == "one\ntwo"


# --- the four kinds of metadata ---------------------------------------------------------------------------------------


def typed(*rows: tuple[str, str, str]) -> dict[str, str | list[str]]:
    """Rows of metadata as (key, kind, value)."""
    keys, kinds, values = zip(*rows, strict=True)
    return {"metadata_key": list(keys), "metadata_kind": list(kinds), "metadata_value": list(values)}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", " as typed ", {"stringValue": " as typed "}),
        ("string", "true", {"stringValue": "true"}),
        ("string", "", {"stringValue": ""}),
        ("double", "0.9", {"doubleValue": 0.9}),
        ("double", " 42 ", {"doubleValue": 42.0}),
        ("double", "-1e3", {"doubleValue": -1000.0}),
        ("bool", "true", {"boolValue": True}),
        ("bool", "False", {"boolValue": False}),
        ("timestamp", "2026-01-31T09:30", {"timestampValue": "2026-01-31T07:30:00Z"}),
        ("timestamp", "2026-07-31", {"timestampValue": "2026-07-30T21:00:00Z"}),
        ("timestamp", "2026-01-31T09:30:00Z", {"timestampValue": "2026-01-31T09:30:00Z"}),
        ("timestamp", "2026-01-31T09:30:00+05:30", {"timestampValue": "2026-01-31T04:00:00Z"}),
        ("unheard of", "x", {"stringValue": "x"}),
    ],
)
def test_a_value_is_of_its_kind(kind: str, text: str, value: dict[str, Any]) -> None:
    with timezone.override(ZoneInfo("Asia/Jerusalem")):
        mine = result(memory(), **typed(("key", kind, text)))
    assert mine.wire()["metadata"] == {"key": value}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("n", "double", "many"), "“many” is not a number; write it as 0.9 or 42."),
        (("n", "double", ""), "“” is not a number; write it as 0.9 or 42."),
        (("n", "double", "nan"), "“nan” is not a number; write it as 0.9 or 42."),
        (("n", "double", "inf"), "“inf” is not a number; write it as 0.9 or 42."),
        (("n", "double", "1e999"), "“1e999” is not a number; write it as 0.9 or 42."),
        (("n", "bool", "maybe"), "Write true or false."),
        (("n", "timestamp", "soon"), "“soon” is not a time that exists; write 2026-01-31T09:30."),
        (
            ("n", "timestamp", "2026-02-30T09:30"),
            "“2026-02-30T09:30” is not a time that exists; write 2026-01-31T09:30.",
        ),
        (("n", "timestamp", "9999-12-31T23:59"), None),
        (("", "string", "lost"), "Give this value a key, or empty the row."),
    ],
)
def test_a_value_that_is_none_says_why(row: tuple[str, str, str], says: str | None) -> None:
    form = sent(memory(), **typed(row))
    if says is None:
        assert form.is_valid(), form.pairs
        return
    assert not form.is_valid()
    assert form.non_field_errors() == ["One of the metadata rows cannot be saved; see below."]
    assert [pair["error"] for pair in form.pairs] == [says]
    assert (form.pairs[0]["key"], form.pairs[0]["value"]) == (row[0], row[2])  # what was typed is kept


def test_a_key_stands_once() -> None:
    form = sent(memory(), **typed(("a", "string", "1"), ("a", "string", "2")))
    assert not form.is_valid()
    assert [pair["error"] for pair in form.pairs] == ["", "This key is there twice; each key may stand once."]


def test_empty_rows_are_left_out() -> None:
    assert result(memory(), **typed(("", "double", ""), ("a", "string", "1"))).wire()["metadata"] == {
        "a": {"stringValue": "1"}
    }


def test_rows_of_unequal_length_lose_nothing_that_has_a_key() -> None:
    data = posted(MemoryForm(memory=Memory(fact="x")), metadata_key=["a"], metadata_value=["1"], metadata_kind=[])
    form = MemoryForm(data, memory=Memory(fact="x"))
    assert form.is_valid()
    assert form.result().wire()["metadata"] == {"a": {"stringValue": "1"}}


# --- fact, expiry, structured data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", ["", " ", "\n\t", "\u200b", "\u2060 \ufeff", "\u00ad"])
def test_a_blank_fact_is_refused(fact: str) -> None:
    assert errors_of(memory(), fact=fact)["fact"] == ["A fact cannot be blank. Write what is to be remembered."]


def test_a_fact_of_emoji_or_signs_is_one() -> None:
    for fact in ("☕", "?", "قهوة", "é"):
        assert result(memory(), fact=fact).fact == fact


def test_spaces_around_a_fact_are_kept() -> None:
    assert result(memory(), fact="  as typed  ").fact == "  as typed  "


def test_a_fact_too_large_says_by_how_much() -> None:
    assert result(memory(), fact="é" * 32768).fact
    assert errors_of(memory(), fact="é" * 32769)["fact"] == ["The fact has 65538 bytes; at most 65536 fit. Shorten it."]


def test_the_expiry_is_a_time_of_the_zone() -> None:
    with timezone.override(ZoneInfo("Asia/Jerusalem")):
        assert sent(memory()).initial["expires"] == "2030-05-06T10:08:09"
        assert result(memory(), expires="2031-01-01T00:00").expire_time == "2030-12-31T22:00:00Z"
    with timezone.override(UTC):
        assert result(memory(), expires="2031-01-01T00:00").expire_time == "2031-01-01T00:00:00Z"


def test_an_expiry_that_is_no_time_is_refused() -> None:
    assert errors_of(memory(), expires="2031-02-30T00:00") == {
        "expires": ["“2031-02-30T00:00” is not a time that exists; write 2026-01-31T09:30."]
    }


STRUCTURED = StructuredContent(schema_id="wardrobe", data={"size": 39.5, "tags": ["é", None], "deep": {"a": 1}})


def test_structured_data_is_edited_as_json() -> None:
    base = Memory(structured_content=STRUCTURED, scope={"u": "1"})
    form = sent(base)
    assert "fact" not in form.fields
    assert forms.changed(base, result(base)) == []
    mine = result(base, structured_data='{"size": 40}')
    assert mine.wire() == {"structuredContent": {"schemaId": "wardrobe", "data": {"size": 40}}}
    assert forms.changed(base, mine) == ["structured_content"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "This is not JSON:"),
        ("[1]", "Expected a JSON object"),
        ("", "This is not JSON:"),
        ('{"a": NaN}', "This is not JSON:"),
        ("[" * 100_000, "This is not JSON:"),
    ],
)
def test_structured_data_that_is_none_says_why(text: str, says: str) -> None:
    found = errors_of(Memory(structured_content=STRUCTURED), structured_data=text)
    assert found["structured_data"][0].startswith(says)


def test_the_banks_refusal_stands_beside_its_field() -> None:
    form = sent(memory())
    assert form.is_valid()
    form.refuse(
        InvalidArgument.of(
            [
                ("fact", "is blank."),
                ("displayName", "is too long."),
                ("expireTime", "is past."),
                ("topics[0].label", "is odd."),
                ("scope.user_id", "is odd."),
                ("", "The bank is odd."),
            ]
        )
    )
    errors = {field: [str(one) for one in found] for field, found in form.errors.items()}
    assert errors["fact"] == ["is blank."]
    assert errors["display_name"] == ["is too long."]
    assert errors["expires"] == ["is past."]
    assert errors["topics"] == ["is odd."]
    assert errors["__all__"][0] == "scope.user_id: is odd."
    assert errors["__all__"][1].endswith("The bank is odd.")


def test_one_more_row_judges_nothing() -> None:
    data = posted(MemoryForm(memory=memory()), fact="", **typed(("n", "double", "many")))
    form = MemoryForm(data, memory=memory())
    form.grow()
    assert len(form.pair_rows) == 3
    assert not form.errors
    assert form["fact"].value() == ""
    assert form.pairs[0]["value"] == "many"


def test_what_is_kept_of_a_memory_to_compare_with() -> None:
    kept = forms.editable(memory(name="projects/p/locations/l/reasoningEngines/1/memories/m", scope={"a": "1"}))
    assert set(kept.wire()) == {
        "fact", "displayName", "description", "topics", "metadata", "expireTime", "updateTime", "scope"
    }  # fmt: skip


def test_each_field_that_can_change_has_a_title() -> None:
    assert set(forms.TITLES) == set(forms.FIELDS)


# --- creating ---------------------------------------------------------------------------------------------------------


def creating(scope: list[tuple[str, str]], **typed: str) -> CreateForm:
    data = QueryDict(mutable=True)
    data.update({"fact": "I like tea."} | typed)
    data.setlist("scope_key", [key for key, _value in scope])
    data.setlist("scope_value", [value for _key, value in scope])
    return CreateForm(data)


# D17, D18, D20, D22, D27
@pytest.mark.parametrize(
    "scope",
    [
        {"b": "2", "a": "1"},
        {"tenant": "acme-eu-west", "user_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
        {"user_id": "Smith, Ann"},
        {"user_id": "a#b&c=d?e%f"},
        {"my:key": "team:blue"},
        {"user_id": " padded "},
        {"user_id": 'O\'Brien "Q"'},
    ],
)
def test_a_scope_is_taken_as_typed(scope: dict[str, str]) -> None:
    form = creating(list(scope.items()))
    assert form.is_valid(), form.errors
    assert form.result().scope == dict(sorted(scope.items()))


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        ([], "at least one pair"),
        ([("", "")], "at least one pair"),
        ([("user_id", "")], "The value is empty"),
        ([("", "1")], "A key is empty"),
        ([("user_id", "u-1*")], "must not contain '*'"),
        ([(str(number), "1") for number in range(6)], "at most 5 pairs"),
    ],
)
def test_a_scope_that_is_none_says_why(scope: list[tuple[str, str]], says: str) -> None:
    form = creating(scope)
    assert not form.is_valid()
    assert says in form.scope_error
    assert form.non_field_errors() == ["The scope cannot be used; see below."]
    assert [(row["key"], row["value"]) for row in form.scope_rows if row["key"] or row["value"]] == [
        pair for pair in scope if any(pair)
    ]


def test_a_scope_holds_a_key_once() -> None:
    form = creating([("a", "1"), ("a", "2")])
    assert not form.is_valid()
    assert all("twice" in pair["error"] for pair in form.scope_pairs)


def test_the_filter_gives_the_scope_to_begin_with() -> None:
    form = CreateForm(scope={"user_id": "1"})
    assert [(row["key"], row["value"]) for row in form.scope_rows] == [("user_id", "1"), ("", "")]
    assert len(CreateForm(scope={str(number): "1" for number in range(5)}).scope_rows) == 5
    assert len(CreateForm().scope_rows) == 2


@pytest.mark.parametrize("memory_id", ["a", "my-memory-1", "a" * 63, ""])
def test_an_id_may_be_chosen(memory_id: str) -> None:
    assert creating([("a", "1")], memory_id=memory_id).is_valid()


@pytest.mark.parametrize("memory_id", ["A", "1a", "a-", "a_b", "é", "a" * 64, "a/b", "a\n"])
def test_an_id_that_is_none_says_which_are(memory_id: str) -> None:
    form = creating([("a", "1")], memory_id=memory_id)
    if memory_id.strip() == "a":
        assert form.is_valid()  # a space or line end around it is not part of it
        return
    assert form.errors["memory_id"] == ["Use 1 to 63 of a-z, 0-9 and “-”, a letter first, a letter or digit last."]


def test_a_reason_is_short() -> None:
    assert ReasonForm({"reason": "T-1"}).is_valid()
    assert not ReasonForm({"reason": "x" * 501}).is_valid()


def test_a_topic_is_an_id() -> None:
    assert MemoryTopicId(custom_memory_topic_label="x").label == "x"
    assert isinstance(MemoryMetadataValue(timestamp_value=Timestamp("2026-01-01T00:00:00Z")).value, str)
