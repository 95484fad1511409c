from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console import actions, backend, diffs, errors, htmx, rows, timeline
from console.forms import ReasonForm
from console.views.changes import require
from console.views.memories import bank_context
from memories.wire.errors import Aborted, ApiError, NotFound
from memories.wire.names import MemoryName


@require_http_methods(["GET", "HEAD", "POST"])
def rollback(request: HttpRequest, location: str, bank: str, memory: str, revision: str) -> HttpResponse:
    """What rolling back would change, and doing it. A deleted memory is revived."""
    session = backend.session(request)
    source = session.bank(location, bank)
    require(request, "aiplatform.memoryRevisions.rollback", MemoryName(source.name, memory))
    here = reverse("memory", args=[location, bank, memory])
    form = ReasonForm(request.POST if request.method == "POST" else None)
    failure = None
    if request.method == "POST" and form.is_valid():
        try:
            actions.roll_back(source, memory, revision, **form.cleaned_data)
        except Aborted as error:
            text = _("The memory changed after this question was asked. Below is how it is now.")
            failure = replace(errors.card(error), title=_("Not rolled back"), text=text, detail="")
        except ApiError as error:
            failure = errors.card(error)
        else:
            messages.info(request, _("Rolled back. The fact before it is kept as a revision."))
            return redirect(here)
    target = source.get_revision(memory, revision)
    try:
        current = source.get_memory(memory)
    except NotFound:
        current = None
    content = current.structured_content if current else None
    before = "" if current is None else rows.lines(content.data) if content else current.fact or ""
    context = bank_context(request, source) | {
        "form": form,
        "failure": failure,
        "url": here,
        "id": memory,
        "revision": revision,
        "deleted": current is None,
        "if_match": (current and current.update_time) or "",
        "text": timeline.text(target),
        "parts": diffs.words(before, timeline.text(target)),
        "same": before == timeline.text(target),
        "when": rows.time(target.create_time, timezone.now()),
    }
    status = 200 if request.method != "POST" else failure.status if failure else 422
    return htmx.page(request, "memories/rollback.html", context, fragment="dialog", status=status)
