"""What a person sees when a bank refuses, lacks, or cannot be reached. Never an empty table."""

from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from console import htmx
from memories.access import roles
from memories.wire import errors


@dataclass(frozen=True, slots=True)
class Card:
    kind: str  # forbidden, missing, refused, busy or down: each its own picture
    title: str
    text: str
    status: int
    permission: str = ""
    roles: tuple[str, ...] = ()
    principal: str = ""
    detail: str = ""
    retry: bool = False
    back: str = ""


def card(error: errors.ApiError) -> Card:
    match error:
        case errors.PermissionDenied():
            holders = tuple(roles.roles_with(error.permission)) if error.permission else ()
            return Card(
                "forbidden",
                _("You may not do this"),
                _("Ask an administrator of this console for a role that holds the permission."),
                403,
                permission=error.permission,
                roles=holders,
                principal=error.principal,
                detail="" if error.permission else error.message,
            )
        case errors.Unauthenticated():
            text = _("The bank did not accept the credentials of this console.")
            return Card("forbidden", _("Not signed in to the bank"), text, 502, detail=error.message)
        case errors.NotFound():
            text = _("It may have been deleted, or the address may be wrong.")
            return Card("missing", _("Not found"), text, 404, detail=error.message)
        case errors.ResourceExhausted():
            text = _("The bank answers no more requests for now. Wait a moment, then try again.")
            return Card("busy", _("Too many requests"), text, 429, detail=error.message, retry=True)
        case errors.Aborted() | errors.AlreadyExists():
            text = _("Something changed meanwhile. Open it again to see how it is now.")
            return Card("refused", _("The bank refused"), text, 409, detail=error.message)
        case errors.InvalidArgument() | errors.FailedPrecondition() | errors.OutOfRange() | errors.Unimplemented():
            return Card("refused", _("The bank refused"), _("Nothing was changed."), 400, detail=error.message)
        case errors.DeadlineExceeded():
            text = _("The bank took too long. Whether a change was made is not known; look before you repeat it.")
            return Card("down", _("No answer in time"), text, 504, detail=error.message, retry=True)
        case _:
            text = _("Nothing can be shown for now, and nothing is known to be lost. Try again in a moment.")
            status = 503 if isinstance(error, errors.Unavailable) else 502
            return Card("down", _("The bank cannot be reached"), text, status, detail=error.message, retry=True)


def page(request: HttpRequest, error: errors.ApiError) -> HttpResponse:
    found = replace(card(error), back=_above(request, missing=isinstance(error, errors.NotFound)))
    response = htmx.page(request, "error.html", {"card": found}, fragment="card", status=found.status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
    return response


def _above(request: HttpRequest, *, missing: bool) -> str:
    """Where the page hangs: its memory, else the list of its bank; nothing for that list."""
    place = request.resolver_match.kwargs if request.resolver_match else {}
    if "bank" not in place:
        return ""
    url = reverse("memories", args=[place["location"], place["bank"]])
    if "memory" in place and not missing:
        memory = reverse("memory", args=[place["location"], place["bank"], place["memory"]])
        url = memory if memory != request.path else url
    return "" if url == request.path else url
