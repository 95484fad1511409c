"""Memories created, edited and deleted. Invalid input is 422 with the form; success is a redirect."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console import actions, backend, diffs, errors, htmx, query, rows, timeline, zones
from console.forms import TITLES, CreateForm, MemoryForm, ReasonForm, changed, editable
from console.views.memories import bank_context, plain_row
from console.views.session import next_url
from memories.access import checks, trail
from memories.wire.errors import Aborted, AlreadyExists, ApiError, InvalidArgument, NotFound, PermissionDenied
from memories.wire.names import BankName, MemoryName
from memories.wire.resources import Memory, ReasoningEngine

_FORM = require_http_methods(["GET", "HEAD", "POST"])


def require(request: HttpRequest, permission: str, resource: BankName | MemoryName) -> None:
    """A form that could not be sent is not shown; the door checks again when it is.

    Sent all the same, it is a refused change that the door never sees, so its row in the trail is written here.
    """
    principal = backend.session(request).principal
    try:
        checks.check(principal, permission, resource=resource)
    except PermissionDenied as error:
        if request.method == "POST":
            reason = request.POST.get("reason", "")
            status = error.status
            trail.record(
                principal, action=permission, resource=str(resource), outcome="refused", status=status, reason=reason
            )
        raise


@_FORM
def create(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    source = backend.session(request).bank(location, bank)
    require(request, "aiplatform.memories.create", source.name)
    context = bank_context(request, source)
    if request.method != "POST":
        asked, _faults = query.parse(request.GET.get("q", ""))
        return render(request, "memories/create.html", context | {"form": CreateForm(scope=asked.scope)})
    form = CreateForm(request.POST)
    if "more" in request.POST:
        form.grow()
        return render(request, "memories/create.html", context | {"form": form})
    if form.is_valid():
        try:
            made = actions.create(
                source, form.result(), memory_id=form.cleaned_data["memory_id"], reason=form.cleaned_data["reason"]
            )
        except AlreadyExists as error:
            form.add_error("memory_id", error.message)
        except InvalidArgument as error:
            form.refuse(error)
        else:
            messages.info(request, _("Memory created."))
            return redirect("memory", location, bank, (made.name or "").rpartition("/")[2])
    return render(request, "memories/create.html", context | {"form": form}, status=422)


@_FORM
def edit(request: HttpRequest, location: str, bank: str, memory: str) -> HttpResponse:
    source = backend.session(request).bank(location, bank)
    name = MemoryName(source.name, memory)
    require(request, "aiplatform.memories.update", name)
    context = bank_context(request, source) | {"id": memory, "url": reverse("memory", args=[location, bank, memory])}
    if request.method != "POST":
        base = source.get_memory(memory)
        form = MemoryForm(memory=base, structured=bool(base.structured_content))
        return _edit_page(request, context, form, base)
    base = _base(request)
    form = MemoryForm(request.POST, memory=base, structured=bool(base.structured_content))
    if "more" in request.POST:
        form.grow()
        return _edit_page(request, context, form, base)
    if not form.is_valid():
        return _edit_page(request, context, form, base, status=422)
    mine, reason = form.result(), form.cleaned_data["reason"]
    try:
        sent = actions.edit(source, memory, base=base, mine=mine, reason=reason)
    except actions.Conflict as conflict:
        current = conflict.current
        again = MemoryForm(memory=conflict.merged, structured=form.structured)
        again.initial["reason"] = reason
        context |= {
            "theirs": [str(TITLES[field]) for field in conflict.theirs],
            "both": _both(conflict),
            "changed_at": rows.time(current.update_time, timezone.now()),
            "changed_by": next((entry.person for entry in trail.entries(resource=name) if entry.outcome == "done"), ""),
        }
        return _edit_page(request, context, again, current, status=409)
    except NotFound:
        form.add_error(None, _("This memory was deleted meanwhile. What you typed is still here; copy what you need."))
        return _edit_page(request, context, form, base, status=409)
    except InvalidArgument as error:
        form.refuse(error)
        return _edit_page(request, context, form, base, status=422)
    if sent:
        fields = ", ".join(str(TITLES[field]) for field in sent)
        messages.info(request, _("Saved: %(fields)s.") % {"fields": fields})
    elif source.get_memory(memory).update_time != base.update_time:
        messages.warning(request, _("You changed nothing, but somebody else did meanwhile. This is how it is now."))
    else:
        messages.info(request, _("Nothing was changed."))
    return redirect("memory", location, bank, memory)


def _base(request: HttpRequest) -> Memory:
    """The memory as the form was drawn from it."""
    try:
        base = Memory.receive(json.loads(request.POST.get("base", "")))
    except (ValueError, RecursionError):
        base = Memory()
    if base.update_time is None:  # without it nobody could tell whether the memory changed meanwhile
        raise InvalidArgument("The form came without what it was drawn from. Load the page again.")
    return base


def _both(conflict: actions.Conflict) -> list[dict[str, Any]]:
    """The fields that they changed and so did I: both values, and what saving mine would change."""
    found = []
    for field in changed(conflict.current, conflict.merged):
        if field in conflict.theirs:
            theirs, mine = rows.text(conflict.current, field), rows.text(conflict.merged, field)
            title = str(TITLES[field])
            found.append({"title": title, "theirs": theirs, "mine": mine, "parts": diffs.words(theirs, mine)})
    return found


def _edit_page(
    request: HttpRequest, context: dict[str, Any], form: MemoryForm, base: Memory, *, status: int = 200
) -> HttpResponse:
    engine: ReasoningEngine = context["engine"]
    ttl = engine.config.ttl_config and engine.config.ttl_config.default_ttl
    context |= {
        "form": form,
        "ttl_expiry": zones.exact(timezone.now() + timedelta(microseconds=ttl.micros)) if ttl else "",
        "chips": plain_row(base, context["base"])["chips"],
        "structured": form.structured,
        "schema": base.structured_content.schema_id if base.structured_content else "",
        "base_json": json.dumps(editable(base).wire(), ensure_ascii=False),
    }
    return render(request, "memories/edit.html", context, status=status)


@_FORM
def delete(request: HttpRequest, location: str, bank: str, memory: str) -> HttpResponse:
    """The question, a page of its own or a dialog, and the deletion."""
    source = backend.session(request).bank(location, bank)
    require(request, "aiplatform.memories.delete", MemoryName(source.name, memory))
    here = reverse("memory", args=[location, bank, memory])
    target = next_url(request, reverse("memories", args=[location, bank]))
    failure = None
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            actions.delete(source, memory, **form.cleaned_data)
        except NotFound:
            messages.info(request, _("The memory was already gone."))
            return redirect(target)
        except Aborted as error:
            text = _("The memory changed after this question was asked. Below is how it is now.")
            failure = replace(errors.card(error), title=_("Not deleted"), text=text, detail="")
        except ApiError as error:
            failure = errors.card(error)
        else:
            messages.info(request, _("Memory deleted."), extra_tags=here)
            return redirect(target if not target.startswith(here) else reverse("memories", args=[location, bank]))
    found = source.get_memory(memory)
    context = bank_context(request, source)
    engine: ReasoningEngine = context["engine"]
    context |= {
        "if_match": found.update_time or "",
        "row": plain_row(found, context["base"]),
        "form": form,
        "failure": failure,
        "restorable": zones.exact(timezone.now() + timeline.REVIVABLE),
        "undo": not engine.config.disable_memory_revisions,
        "next": target,
        "url": here,
    }
    status = 200 if request.method != "POST" else failure.status if failure else 422
    return htmx.page(request, "memories/delete.html", context, fragment="dialog", status=status)
