"""Memories as rows: what is drawn says what is there, and nothing that is not."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from console import rows
from memories.wire.resources import Memory, MemoryMetadataValue, MemoryTopicId, StructuredContent
from memories.wire.times import Timestamp

NOW = datetime(2026, 7, 25, 12, 0, tzinfo=UTC)
NAME = "projects/p/locations/us-central1/reasoningEngines/1/memories/m-1"


def link(key: str, value: str) -> str:
    return "" if key == "held" else f"/list?q={key}"


def drawn(**fields: object) -> rows.Row:
    memory = Memory.model_validate({"name": NAME, "fact": "I like tea.", "scope": {"user_id": "1"}} | fields)
    return rows.row(memory, url="/banks/us-central1/1/memories", link=link, now=NOW)


def stamp(after: timedelta) -> Timestamp:
    return Timestamp.of(NOW + after)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two words", "two words"),
        (" a b  ", "␣a b␣␣"),
        ("  ", "␣␣"),
        ("a\tb", "a⟨U+0009⟩b"),
        ("a\nb", "a⟨U+000A⟩b"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("\x00", "⟨U+0000⟩"),
        ("é", "é"),
        ("e\u0301", "e\u0301"),
        ("קפה 😀", "קפה 😀"),
        ("", ""),
    ],
)
def test_what_has_no_shape_is_shown(text: str, shown: str) -> None:
    assert rows.visible(text) == shown


@given(st.text(max_size=20))
def test_whatever_is_shown_can_be_seen(text: str) -> None:
    shown = rows.visible(text)
    assert shown.isprintable()
    assert shown == shown.strip(" ")
    assert bool(shown) == bool(text)


@given(st.text("a ", max_size=6), st.text("a ", max_size=6))
def test_texts_that_differ_in_spaces_at_the_ends_look_different(one: str, other: str) -> None:
    assert (rows.visible(one) == rows.visible(other)) == (one == other)


def test_a_row_has_what_the_memory_has() -> None:
    row = drawn(
        create_time="2026-07-25T11:00:00Z",
        update_time="2026-07-25T11:59:30Z",
        display_name="Tea",
        topics=[{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "a|b"}],
    )
    assert row["id"] == "m-1"
    assert row["url"] == "/banks/us-central1/1/memories/m-1"
    assert row["fact"] == "I like tea."
    assert row["topics"] == ["User preferences", "a|b"]
    assert row["created"] == {"iso": "2026-07-25T11:00:00Z", "text": "1 hour ago", "exact": "25 Jul 2026, 11:00:00 UTC"}
    assert row["updated"] is not None
    assert row["updated"]["text"] == "just now"
    assert (row["expires"], row["schema"]) == (None, "")


def test_missing_times_stay_missing() -> None:
    row = drawn()
    assert (row["created"], row["updated"], row["expires"]) == (None, None, None)


def test_nothing_at_all_is_a_row_too() -> None:
    row = rows.row(Memory(), url="/x", link=link, now=NOW)
    assert (row["id"], row["fact"], row["chips"], row["topics"]) == ("", "", "", [])


def test_chips_stand_in_one_order_and_lead_to_the_narrower_list() -> None:
    one = drawn(scope={"b": "2", "a": "1"})
    assert one["chips"] == drawn(scope={"a": "1", "b": "2"})["chips"]
    assert one["chips"].index(">a:<") < one["chips"].index(">b:<")
    assert 'href="/list?q=a"' in one["chips"]
    assert "href" not in drawn(scope={"held": "x"})["chips"]


def test_chips_show_spaces_and_never_are_markup() -> None:
    chips = drawn(scope={"<b>": " \"'<img src=x onerror=alert(1)> "})["chips"]
    assert "<img" not in chips
    assert "&lt;b&gt;" in chips
    assert "␣" in chips


def test_what_four_lines_may_not_hold_is_long() -> None:
    assert not rows.is_long("x" * rows.LONG)
    assert rows.is_long("x" * (rows.LONG + 1))
    assert not rows.is_long("a\nb\nc\nd")
    assert rows.is_long("a\nb\nc\nd\ne")


@pytest.mark.parametrize(
    ("left", "text", "soon"),
    [
        (timedelta(seconds=-1), "expired", True),
        (timedelta(seconds=20), "expires in less than a minute", True),
        (timedelta(hours=5), "expires in 5 hours", True),
        (timedelta(days=6), "expires in 6 days", True),
        (timedelta(days=7), "expires in 7 days", False),
        (timedelta(days=29), "expires in 29 days", False),
        (timedelta(days=31), "expires on 25 Aug 2026", False),
    ],
)
def test_the_badge(left: timedelta, text: str, soon: bool) -> None:
    badge = rows.badge(stamp(left), NOW)
    assert badge is not None
    assert (badge["text"], badge["soon"]) == (text, soon)


def test_the_badge_names_the_day_of_the_zone() -> None:
    late = Timestamp.parse("2026-12-31T23:00:00Z")
    with timezone.override(ZoneInfo("Asia/Jerusalem")):
        badge = rows.badge(late, NOW)
    assert badge == {"text": "expires on 1 Jan 2027", "exact": "1 Jan 2027, 01:00:00 IST", "soon": False}


def test_structured_data_is_schema_and_fields() -> None:
    row = drawn(
        fact=None,
        structured_content=StructuredContent(
            schema_id="wardrobe", data={"size": 39.5, "colours": ["é"], "name": "Ann"}
        ),
    )
    assert row["schema"] == "wardrobe"
    assert row["structured"] == [("size", "39.5"), ("colours", '["é"]'), ("name", "Ann")]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (MemoryMetadataValue(string_value=" a\n"), "string", " a\n"),
        (MemoryMetadataValue(string_value=""), "string", ""),
        (MemoryMetadataValue(bool_value=True), "bool", "true"),
        (MemoryMetadataValue(bool_value=False), "bool", "false"),
        (MemoryMetadataValue(double_value=0.1), "double", "0.1"),
        (MemoryMetadataValue(double_value=3.0), "double", "3"),
        (MemoryMetadataValue(double_value=1e300), "double", str(int(1e300))),
        (
            MemoryMetadataValue(timestamp_value=Timestamp("2026-01-01T00:00:00.123456789Z")),
            "timestamp",
            "2026-01-01T00:00:00.123456789Z",
        ),
        (MemoryMetadataValue.receive({"newKind": 1}), "double", ""),
    ],
)
def test_the_kinds_of_metadata(value: MemoryMetadataValue, kind: str, text: str) -> None:
    assert rows.metadata_value(value) == (kind, text)


def test_metadata_is_sorted_and_its_times_are_of_the_zone() -> None:
    memory = Memory(
        metadata={
            "b": MemoryMetadataValue(timestamp_value=Timestamp("2026-07-25T02:00:00Z")),
            "a": MemoryMetadataValue(bool_value=True),
        }
    )
    with timezone.override(ZoneInfo("Asia/Jerusalem")):
        assert rows.metadata(memory) == [
            {"key": "a", "kind": "bool", "value": "true"},
            {"key": "b", "kind": "timestamp", "value": "25 Jul 2026, 05:00:00 IDT"},
        ]


def test_a_topic_is_its_title_or_its_label() -> None:
    assert rows.topic(MemoryTopicId(managed_memory_topic="USER_PREFERENCES")) == "User preferences"
    assert rows.topic(MemoryTopicId(custom_memory_topic_label="USER_PREFERENCES")) == "USER_PREFERENCES"
    assert rows.topic(MemoryTopicId(custom_memory_topic_label="Smith, Ann")) == "Smith, Ann"
