"""What stands under a page that shows data: where it is from, as whom, when, and whether it was counted."""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from console import zones
from console.backend import Session
from memories.client.bank import Bank


def line(session: Session, bank: Bank, now: datetime, *more: str) -> list[str]:
    return [
        _("In this process, %(location)s") % {"location": bank.name.location},
        _("as %(person)s") % {"person": session.principal.name},
        _("fetched %(when)s") % {"when": zones.exact(now)},
        *more,
        _("times in %(zone)s") % {"zone": zones.label(timezone.localtime(now))},
    ]


def counted(total: int | None, *, capped: bool) -> str:
    if total is None:
        return _("not counted")
    return _("counted up to %(n)s") % {"n": f"{total:,}"} if capped else _("counted")
