"""The scopes of a bank, and everything about one pair."""

import re
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from console import backend, differences, htmx, paging, query, rows, scope_list, status
from console.links import Links
from console.scope_list import ScopeList
from console.views.changes import require
from console.views.memories import bank_context
from memories.client.bank import Bank
from memories.wire import filters, likeness, scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import ListScopesResponse, NearScopesResponse

PAIR_PAGE = 100
CHOICES = 20
LIST, RETRIEVE = "aiplatform.memories.list", "aiplatform.memories.retrieve"


@require_safe
def index(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    session = backend.session(request)
    source = session.bank(location, bank)
    listing, now = ScopeList.read(request.path, request.GET), timezone.now()
    context = bank_context(request, source) | {"tab": "scopes", "listing": listing}
    if not source.offers("list_scopes"):
        return htmx.page(request, "scopes/index.html", context | {"lacking": True}, fragment="list")
    answer = source.list_scopes(
        search=listing.search, order_by=listing.order_by, page_size=listing.size, page_token=listing.page
    )
    links = Links(source.name)
    context |= {
        "rows": [scope_list.row(one, links, now=now) for one in answer.scopes],
        "columns": listing.columns(),
        "pager": paging.pager(listing, answer, shown=len(answer.scopes)),
        "status": status.line(session, source, now, _counted(answer)),
    }
    return htmx.page(request, "scopes/index.html", context, fragment="list")


@require_safe
def pair(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    """Every scope that holds a pair, and which of them an agent reads that asks with the pair alone."""
    session = backend.session(request)
    source = session.bank(location, bank)
    require(request, LIST, source.name)
    key, value, now = request.GET.get("key", ""), request.GET.get("value", ""), timezone.now()
    context = bank_context(request, source) | {"tab": "scopes", "key": key, "value": value}
    if not source.offers("list_scopes"):
        return render(request, "scopes/pair.html", context | {"lacking": True})
    try:
        asked = scopes.validate({key: value}, field="pair")
    except InvalidArgument as error:
        asking = bool(key or value)
        context["fault"] = error.violations[0][1] if asking else ""
        return render(request, "scopes/pair.html", context, status=422 if asking else 200)
    token = request.GET.get("page", "")
    answer = source.list_scopes(
        filter=filters.text(filters.Restriction(("scope", key), "=", value)),
        page_size=PAIR_PAGE,
        page_token=token,
    )
    near = source.near_scopes(asked)
    links, shown = Links(source.name), f"{rows.visible(key)}:{rows.visible(value)}"
    context |= {
        "shown": shown,
        "summary": _summary(shown, answer, asked, near.memory_count or 0),
        "rows": [scope_list.row(one, links, now=now) | _read(asked, one.scope) for one in answer.scopes],
        "near": [differences.near(one, asked, links, now=now) for one in near.scopes if one.scope.get(key) != value],
        "memories_url": links.to("memories", q=query.of_scope(asked).text),
        "retrieve_url": links.retrieve(asked),
        "previous_url": links.to("pair", key=key, value=value, page=answer.previous_page_token)
        if answer.previous_page_token
        else "",
        "next_url": links.to("pair", key=key, value=value, page=answer.next_page_token)
        if answer.next_page_token
        else "",
        "status": status.line(session, source, now, _counted(answer)),
    }
    return render(request, "scopes/pair.html", context)


def choices(bank: Bank, links: Links, now: datetime, *, listable: bool) -> dict[str, Any]:
    """The scopes written last, to choose one where a page needs it; None where they cannot be listed."""
    if not (listable and bank.offers("list_scopes")):
        return {"choices": None}
    answer = bank.list_scopes(page_size=CHOICES)
    found = [scope_list.row(one, links, now=now) for one in answer.scopes]
    for row, one in zip(found, answer.scopes, strict=True):
        row["chips"] = rows.chips(one.scope, lambda key, value: "")  # the row is a link, not its pairs
    return {"choices": found, "more": bool(answer.next_page_token)}


def nearly(bank: Bank, scope: dict[str, str], *, listable: bool) -> NearScopesResponse:
    """The scopes that may have been meant; none where they may not be listed."""
    return bank.near_scopes(scope) if listable and bank.offers("near_scopes") else NearScopesResponse()


def _summary(shown: str, answer: ListScopesResponse, asked: scopes.Scope, own: int) -> list[str]:
    """What the pair is found in, and what an agent reads of it, as sentences."""
    pair, total, memories = format_html('<b dir="ltr">{}</b>', shown), answer.total_size, answer.memory_count
    if answer.total_size_capped or total is None or memories is None:
        said = [_said(_("%(pair)s is in more than %(n)s scopes."), pair=pair, n=f"{total or 0:,}")]
        beyond = 0
    else:
        words = ngettext("%(pair)s is in one scope", "%(pair)s is in %(n)s scopes", total)
        more = ngettext("with one memory.", "with %(m)s memories in all.", memories)
        said = [_said(f"{words}, {more}", pair=pair, n=f"{total:,}", m=f"{memories:,}")]
        beyond = memories - own
    chip = rows.chips(asked, lambda key, value: "")
    words = ngettext(
        "An agent that asks with exactly %(chip)s reads one of them",
        "An agent that asks with exactly %(chip)s reads %(n)s of them",
        own,
    )
    rest = ngettext("; one is out of its reach.", "; %(b)s are out of its reach.", beyond) if beyond else "."
    return [*said, _said(f"{words}{rest}", chip=chip, n=f"{own:,}", b=f"{beyond:,}")]


def _said(text: str, **parts: str) -> str:
    """A translated text with its `%(name)s` filled in, escaped unless they are markup of ours."""
    braced = text.replace("{", "{{").replace("}", "}}")
    return format_html(re.sub(r"%\((\w+)\)s", r"{\1}", braced), **parts)


def _counted(answer: ListScopesResponse) -> str:
    return status.counted(answer.total_size, capped=bool(answer.total_size_capped))


def _read(asked: scopes.Scope, found: scopes.Scope) -> dict[str, Any]:
    """Whether an agent that asks with the one scope reads the other, and which keys keep it from it."""
    more = [rows.visible(one.key) for one in likeness.differences(asked, found)]
    return {"read": not more, "more": more}
