"""The zone of the reader, and times in words."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.test import RequestFactory
from django.utils import timezone as current

from console import zones

NOW = datetime(2026, 7, 25, 12, 0, tzinfo=UTC)


def request_with(cookie: str) -> datetime:
    request = RequestFactory().get("/")
    request.COOKIES[zones.COOKIE] = cookie
    return NOW.astimezone(zones.of(request))


def test_the_zone_is_the_browsers() -> None:
    assert request_with("Asia/Jerusalem").utcoffset() == timedelta(hours=3)
    assert request_with("America/Argentina/Buenos_Aires").utcoffset() == timedelta(hours=-3)


@pytest.mark.parametrize(
    "cookie",
    ["", "Nowhere/At_All", "../../etc/passwd", "/etc/passwd", "America", "a\0b", "x" * 5000, "💥", "Europe/Rome ", "."],
)
def test_a_zone_that_is_none_is_utc(cookie: str) -> None:
    assert request_with(cookie).tzname() == "UTC"


def test_no_cookie_is_utc() -> None:
    assert zones.of(RequestFactory().get("/")) is UTC


def test_an_instant_names_its_zone() -> None:
    moment = datetime(2026, 7, 25, 2, 0, 7, tzinfo=UTC)
    for name, text in (
        ("UTC", "25 Jul 2026, 02:00:07 UTC"),
        ("Asia/Jerusalem", "25 Jul 2026, 05:00:07 IDT"),
        ("America/Los_Angeles", "24 Jul 2026, 19:00:07 PDT"),
        ("America/Sao_Paulo", "24 Jul 2026, 23:00:07 UTC-03"),
        ("Asia/Kathmandu", "25 Jul 2026, 07:45:07 UTC+0545"),
    ):
        with current.override(ZoneInfo(name)):
            assert zones.exact(moment) == text


def test_a_zone_without_letters_is_an_offset() -> None:
    assert zones.label(NOW.astimezone(timezone(timedelta(hours=2)))) == "UTC+02:00"
    assert zones.label(datetime(2026, 1, 1)) == "UTC"  # noqa: DTZ001  # without a zone on purpose


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(days=29), "4 weeks ago"),
        (timedelta(days=30), "25 Jun 2026"),
        (timedelta(seconds=-30), "in less than a minute"),
        (timedelta(minutes=-1), "in 1 minute"),
        (timedelta(hours=-47), "in 47 hours"),
        (timedelta(days=-2), "in 2 days"),
        (timedelta(days=-30), "24 Aug 2026"),
    ],
)
def test_how_long_ago(ago: timedelta, text: str) -> None:
    assert zones.relative(NOW - ago, now=NOW) == text


def test_the_day_is_of_the_zone() -> None:
    moment = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)
    assert zones.relative(moment, now=NOW) == "1 May 2026"
    with current.override(ZoneInfo("Asia/Jerusalem")):
        assert zones.relative(moment, now=NOW) == "2 May 2026"
