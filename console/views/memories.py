"""Memories looked at: the list, one memory with its revisions, and a copy of it in other forms."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console import backend, htmx, paging, query, rows, snippets, status, timeline, zones
from console.listing import Listing
from console.table import Table
from memories.access import trail
from memories.client.bank import Bank
from memories.wire import names
from memories.wire.errors import InvalidArgument, NotFound, PermissionDenied
from memories.wire.resources import ListMemoryRevisionsResponse, Memory, ReasoningEngine

CONTROLS = {
    "create": "aiplatform.memories.create",
    "edit": "aiplatform.memories.update",
    "delete": "aiplatform.memories.delete",
    "roll_back": "aiplatform.memoryRevisions.rollback",
    "revisions": "aiplatform.memoryRevisions.list",
}


def may(session: backend.Session, name: names.BankName) -> dict[str, str]:
    """For each control the permission that the person lacks, empty where it may be used."""
    return {key: "" if session.holds(permission, name) else permission for key, permission in CONTROLS.items()}


def bank_context(request: HttpRequest, bank: Bank) -> dict[str, Any]:
    """What the frame of a bank's page needs: the bank, the picker, and what the person may do. One call, seldom two."""
    session = backend.session(request)
    engines = session.service.list_banks(location="-").reasoning_engines
    keyed = {names.BankName.parse(engine.name or "").key: engine for engine in engines}
    engine = keyed.get(bank.name.key) or _unlisted(bank)
    return {
        "bank": _choice(engine),
        "engine": engine,
        "picker": [_choice(found) for found in engines[:12]],
        "may": may(session, bank.name),
        "base": reverse("memories", args=[bank.name.location, bank.name.id]),
    }


def _unlisted(bank: Bank) -> ReasoningEngine:
    """A bank beyond the first hundred; without its title where the person may not read it. NotFound if it is none."""
    try:
        return bank.get()
    except PermissionDenied:
        return ReasoningEngine(name=str(bank.name))


def came_from(request: HttpRequest, base: str) -> str:
    """The list as the person left it, filter and all, where they come from it; else the plain list."""
    parts = urlsplit(request.headers.get("Referer", ""))
    here = parts.netloc == request.get_host() and parts.path == base and parts.query
    return f"{base}?{parts.query}" if here else base


def plain_row(memory: Memory, base: str) -> rows.Row:
    """A memory whose chips lead to the list filtered by that pair alone."""
    return rows.row(memory, url=base, link=Listing(base, query.Query(())).linker(), now=timezone.now())


def _choice(engine: ReasoningEngine) -> dict[str, str]:
    name = names.BankName.parse(engine.name or "")
    return {
        "title": engine.display_name or name.id,
        "location": name.location,
        "id": name.id,
        "key": name.key,
        "name": str(name),
        "url": reverse("memories", args=[name.location, name.id]),
    }


# --- the list ---------------------------------------------------------------------------------------------------------


@require_safe
def index(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    session = backend.session(request)
    source = session.bank(location, bank)
    pasted = (request.GET.get("add") or request.GET.get("q") or "").strip()
    if names.is_memory_name(pasted):
        found = names.MemoryName.parse(pasted, location=location)
        return redirect("memory", found.bank.location, found.bank.id, found.id)
    listing = Listing.read(request.path, request.GET)
    if listing.valid and request.GET.get("add"):
        return redirect(replace(listing, page="").url())

    zone, now = timezone.get_current_timezone(), timezone.now()
    context = bank_context(request, source) | {"listing": listing}
    context["pills"] = listing.pills()
    context["scope_query"] = query.of_scope(listing.query.scope).text
    context["zone"] = zones.label(timezone.localtime(now))
    context["advanced_url"] = listing.hand_written(zone)
    context["clear_url"] = listing.cleared
    if not listing.valid:
        return htmx.page(request, "memories/index.html", context, fragment="list", status=422)
    try:
        answer = source.list_memories(
            filter=listing.expression(zone),
            order_by=listing.order_by,
            page_size=listing.size,
            page_token=listing.page,
        )
    except InvalidArgument as error:
        context["refused"] = error.message
        return htmx.page(request, "memories/index.html", context, fragment="list", status=422)
    context["rows"] = Table(listing.path, link=listing.linker(), now=now).draw(answer.memories)
    context["columns"] = listing.columns()
    context["pager"] = paging.pager(listing, answer, shown=len(answer.memories))
    counted = status.counted(answer.total_size, capped=bool(answer.total_size_capped))
    context["status"] = status.line(session, source, now, counted, _("filtered by the bank"))
    return htmx.page(request, "memories/index.html", context, fragment="list")


# --- one memory -------------------------------------------------------------------------------------------------------


@require_safe
def show(request: HttpRequest, location: str, bank: str, memory: str) -> HttpResponse:
    session = backend.session(request)
    source = session.bank(location, bank)
    now = timezone.now()
    context = bank_context(request, source) | {"fetched": zones.exact(now)}
    name = names.MemoryName(source.name, memory)
    token = request.GET.get("revisions", "")
    revisions = _revisions(source, memory, context["may"], token=token)
    context |= {"later": bool(token), "older": revisions.next_page_token if revisions else ""}
    context |= {"id": memory, "name": str(name), "url": reverse("memory", args=[location, bank, memory])}
    done = trail.entries(resource=name, limit=200)
    try:
        found = source.get_memory(memory)
    except NotFound:
        if revisions is None or not revisions.memory_revisions:
            raise
        context["timeline"] = timeline.entries(revisions, done, current=None, later=bool(token), now=now)
        context |= {"deleted": True, "deletion": {} if token else timeline.deletion(revisions)}
        context["activity"] = timeline.activity(done)
        return render(request, "memories/deleted.html", context, status=404)
    context["row"] = plain_row(found, context["base"])
    context["back"] = came_from(request, context["base"])
    context["fact"] = found.fact or ""
    context["memory"] = found
    context["metadata"] = rows.metadata(found)
    context["activity"] = timeline.activity(done)
    if revisions is not None:
        context["timeline"] = timeline.entries(revisions, done, current=found, later=bool(token), now=now)
    return render(request, "memories/show.html", context)


def _revisions(bank: Bank, memory: str, lacks: dict[str, str], *, token: str) -> ListMemoryRevisionsResponse | None:
    """None where the person may not list them."""
    return None if lacks["revisions"] else bank.list_revisions(memory, page_size=50, page_token=token)


@require_safe
def copy(request: HttpRequest, location: str, bank: str, memory: str, form: str) -> HttpResponse:
    """The memory as JSON, or the call that reads it as curl or Python: plain text to copy."""
    source = backend.session(request).bank(location, bank)
    if form not in snippets.FORMS:
        raise Http404
    found: Memory = source.get_memory(memory)
    text = snippets.FORMS[form](found, request.build_absolute_uri("/").rstrip("/"))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
