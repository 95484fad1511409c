"""Times and durations as text: nothing rounded, any offset read, what does not exist refused."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memories.wire.times import Duration, Timestamp, from_micros, to_micros

moments = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2030-01-02T03:04:05Z", "2030-01-02T03:04:05Z"),
        ("2030-01-02t03:04:05z", "2030-01-02T03:04:05Z"),
        ("2030-01-02T03:04:05", "2030-01-02T03:04:05Z"),
        ("2030-01-02 03:04:05", "2030-01-02T03:04:05Z"),
        (" 2030-01-02T03:04:05Z ", "2030-01-02T03:04:05Z"),
        ("2030-01-02T03:04:05+00:00", "2030-01-02T03:04:05Z"),
        ("2030-01-02T03:04:05-00:00", "2030-01-02T03:04:05Z"),
        ("2030-01-02T03:04:05.678901+02:00", "2030-01-02T01:04:05.678901Z"),
        ("2030-01-01T23:30:00-0530", "2030-01-02T05:00:00Z"),
        ("2030-01-02T03:04:05.1Z", "2030-01-02T03:04:05.1Z"),
        ("2030-01-02T03:04:05.123456789Z", "2030-01-02T03:04:05.123456789Z"),
        ("2030-01-02T03:04:05.000000001Z", "2030-01-02T03:04:05.000000001Z"),
        ("2030-01-02T03:04:05.000Z", "2030-01-02T03:04:05Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
        ("2028-02-29T00:00:00Z", "2028-02-29T00:00:00Z"),
    ],
)
def test_a_time_becomes_utc_and_keeps_its_digits(text: str, same: str) -> None:
    assert Timestamp.parse(text) == same
    assert isinstance(Timestamp.parse(text), Timestamp)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2030-01-02",
        "2030-01-02T03:04Z",
        "2026-02-30T00:00:00Z",
        "2027-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-01T24:00:01Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z",
        "2026-01-01T00:00:00ZZ",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "10000-01-01T00:00:00Z",
        "-2026-01-01T00:00:00Z",
        "1767225600",
        "٢٠٢٦-01-01T00:00:00Z",
    ],
)
def test_what_is_not_a_time(text: str) -> None:
    with pytest.raises(ValueError, match="expected a time"):
        Timestamp.parse(text)


@given(st.text(max_size=40))
def test_no_text_raises_anything_but_value_error(text: str) -> None:
    for kind in (Timestamp, Duration):
        try:
            kind.parse(text)
        except ValueError as error:
            assert str(error).startswith("expected a")


@given(moments)
@example(datetime(1, 1, 1, tzinfo=UTC))
@example(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
@example(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
def test_a_moment_round_trips(moment: datetime) -> None:
    written = Timestamp.of(moment)
    assert written.datetime == moment
    assert Timestamp.parse(written) == written
    assert from_micros(written.micros) == moment
    assert len(written.partition(".")[2]) in (0, 4, 7)


@given(moments, moments)
def test_micros_sort_as_moments_do(one: datetime, other: datetime) -> None:
    assert (to_micros(one) < to_micros(other)) == (one < other)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-1439, 1439))  # noqa: DTZ001
def test_an_offset_does_not_move_the_instant(local: datetime, minutes: int) -> None:
    moment = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert Timestamp.parse(moment.isoformat()).datetime == moment


def test_a_moment_without_a_zone_is_utc() -> None:
    assert Timestamp.of(datetime(2030, 1, 2)) == "2030-01-02T00:00:00Z"  # noqa: DTZ001


def test_nine_digits_are_cut_never_rounded_up() -> None:
    assert Timestamp.parse("1970-01-01T00:00:00.999999999Z").micros == 999_999


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("0s", 0),
        ("3600s", 3_600_000_000),
        ("3.5s", 3_500_000),
        ("0.000000001s", 0),
        ("1.123456789s", 1_123_456),
        ("-1.5s", -1_500_000),
        ("315576000000s", 315_576_000_000_000_000),
    ],
)
def test_durations(text: str, micros: int) -> None:
    duration = Duration.parse(text)
    assert (duration, duration.micros) == (text, micros)


@pytest.mark.parametrize(
    "text", ["", "s", "3600", "1h", "1 s", " 1s", "1s\n", "1.s", ".5s", "1e3s", "1.1234567890s", "315576000001s", "٣s"]
)
def test_what_is_not_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match="expected a duration"):
        Duration.parse(text)


def test_a_duration_of_seconds() -> None:
    assert Duration.of_seconds(90) == "90s"
    assert Duration.parse(Duration.of_seconds(90)).micros == 90_000_000
