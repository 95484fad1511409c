"""Timestamps and durations as the wire writes them, kept as text so that nothing is rounded on the way through."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\s?([Zz]|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_DURATION = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
MAX_SECONDS = 315_576_000_000  # of google.protobuf.Duration


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch; a moment without a zone is UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


class Timestamp(str):
    """RFC 3339 text in UTC, such as `2030-01-02T03:04:05.678901Z`.

    Any offset, or none (read as UTC), is taken and becomes `Z`; up to nine fraction digits are kept.
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError for what is not a time, days that do not exist included."""
        found = _TIME.fullmatch(text.strip())
        if not found:
            raise ValueError("expected a time such as 2026-01-31T09:30:00Z")
        day, clock, fraction, offset = found.groups()
        text = f"{day}T{clock}"
        try:
            moment = datetime.fromisoformat(text)
            if offset and offset not in "Zz":
                moment = datetime.fromisoformat(f"{text}{offset}").astimezone(UTC)
                text = moment.isoformat()[:19]
        except (ValueError, OverflowError) as error:
            raise ValueError(f"expected a time that exists, such as 2026-01-31T09:30:00Z ({error})") from None
        return cls(f"{text}.{fraction}Z" if fraction and fraction.strip("0") else f"{text}Z")

    @classmethod
    def of(cls, moment: datetime) -> Self:
        return cls.of_micros(to_micros(moment))

    @classmethod
    def of_micros(cls, micros: int) -> Self:
        """Microseconds since the epoch, written with 0, 3 or 6 fraction digits."""
        seconds, rest = divmod(micros, 1_000_000)
        text = (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]
        if not rest:
            return cls(f"{text}Z")
        return cls(f"{text}.{rest // 1000:03}Z" if rest % 1000 == 0 else f"{text}.{rest:06}Z")

    @property
    def micros(self) -> int:
        """Microseconds since the epoch, cut (never rounded up)."""
        return to_micros(self.datetime)

    @property
    def datetime(self) -> datetime:
        whole, _, fraction = self[:-1].partition(".")
        return datetime.fromisoformat(f"{whole}.{fraction[:6]:0<6}+00:00")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(strict=True))


class Duration(str):
    """Seconds with `s`, such as `3600s` or `3.5s`."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        found = _DURATION.fullmatch(text)
        if not found or int(found[2]) > MAX_SECONDS:
            raise ValueError("expected a duration in seconds, such as 3600s or 3.5s")
        return cls(text)

    @classmethod
    def of_seconds(cls, seconds: int) -> Self:
        return cls(f"{seconds}s")

    @property
    def micros(self) -> int:
        found = _DURATION.fullmatch(self)
        if not found:
            raise ValueError(f"{self!r} is not a duration")
        size = int(found[2]) * 1_000_000 + int(f"{found[3] or '':0<6}"[:6])
        return -size if found[1] else size

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(strict=True))
