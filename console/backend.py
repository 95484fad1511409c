"""Where the banks are: the one way from a request to a bank."""

from typing import cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.module_loading import import_string

from memories.access import checks
from memories.client.bank import Bank, Service
from memories.wire.names import BankName


class Session:
    """The signed-in person and the banks as that person may use them. Made once for a request."""

    def __init__(self, request: HttpRequest) -> None:
        self.user = cast(User, request.user)

    @cached_property
    def principal(self) -> checks.Principal:
        return checks.principal(self.user)

    @cached_property
    def service(self) -> Service:
        server = import_string(settings.MEMORY_BANK_SERVER)
        return Service.in_process(
            server,
            principal=self.principal,
            project=settings.MEMORY_BANK_PROJECT,
            location=settings.MEMORY_BANK_LOCATION,
        )

    def bank(self, location: str, bank: str) -> Bank:
        return self.service.bank(BankName(settings.MEMORY_BANK_PROJECT, location, bank))

    def holds(self, permission: str, name: BankName) -> bool:
        """For drawing controls; the door that owns the data checks again."""
        return checks.holds(self.principal, permission, bank=name.key)


def session(request: HttpRequest) -> Session:
    found: Session | None = getattr(request, "_bank_session", None)
    if found is None:
        found = Session(request)
        request._bank_session = found  # type: ignore[attr-defined]
    return found
