"""The zone in which times are shown, and times in words."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

COOKIE = "timezone"


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo | None:
    """The zone of the tz database, None for a name that it does not have."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def of(request: HttpRequest) -> tzinfo:
    """The zone the browser told us in a cookie; UTC until then. A form sends along the zone in which it was drawn."""
    drawn = request.POST.get("zone", "") if request.method == "POST" else ""
    return zone(drawn) or zone(request.COOKIES.get(COOKIE, "")) or UTC


def label(moment: datetime) -> str:
    """`UTC`, `CET`, or an offset where the zone has no letters."""
    name = moment.tzname() or "UTC"
    return name if name[0].isalpha() else f"UTC{name}"


def exact(moment: datetime) -> str:
    """The instant to the second in the current zone, the zone named."""
    local = timezone.localtime(moment)
    return f"{day(local)}, {local:%H:%M:%S} {label(local)}"


def day(local: datetime) -> str:
    return _day(local.date(), get_language())


@lru_cache(maxsize=4096)
def _day(date: date, language: str | None) -> str:
    return formats.date_format(date, "j M Y")


def relative(moment: datetime, *, now: datetime) -> str:
    """How long ago (or in what time) within 30 days, else the day in the current zone."""
    span = now - moment
    if abs(span) >= timedelta(days=30):
        return day(timezone.localtime(moment))
    return _ago(span) if span >= timedelta(0) else until(-span)


def _ago(span: timedelta) -> str:
    minutes, hours, days = _units(span)
    if span.total_seconds() < 60:
        return _("just now")
    if minutes < 60:
        return ngettext("%(n)d minute ago", "%(n)d minutes ago", minutes) % {"n": minutes}
    if hours < 24:
        return ngettext("%(n)d hour ago", "%(n)d hours ago", hours) % {"n": hours}
    if days < 14:
        return ngettext("%(n)d day ago", "%(n)d days ago", days) % {"n": days}
    weeks = days // 7
    return ngettext("%(n)d week ago", "%(n)d weeks ago", weeks) % {"n": weeks}


def until(span: timedelta) -> str:
    minutes, hours, days = _units(span)
    if span.total_seconds() < 60:
        return _("in less than a minute")
    if minutes < 60:
        return ngettext("in %(n)d minute", "in %(n)d minutes", minutes) % {"n": minutes}
    if hours < 48:
        return ngettext("in %(n)d hour", "in %(n)d hours", hours) % {"n": hours}
    return ngettext("in %(n)d day", "in %(n)d days", days) % {"n": days}


def _units(span: timedelta) -> tuple[int, int, int]:
    seconds = int(span.total_seconds())
    return seconds // 60, seconds // 3600, seconds // 86400
