"""What would an agent get? The question, the ranked answer, and what is kept from it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console import backend, differences, htmx, retrieved, rows, snippets, status
from console.links import Links
from console.retrieval_form import MAX_TOP, TYPES, RetrievalForm
from console.views.changes import require
from console.views.memories import bank_context
from console.views.scopes import LIST, RETRIEVE, choices, nearly
from memories.client.bank import Bank
from memories.wire.errors import InvalidArgument
from memories.wire.resources import RetrieveMemoriesResponse

BEYOND = 5  # shown behind the cut
KEPT_OUT = 10


@require_safe
def index(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    session = backend.session(request)
    source = session.bank(location, bank)
    require(request, RETRIEVE, source.name)
    form, links, now = RetrievalForm(request.GET, path=request.path), Links(source.name), timezone.now()
    listable = session.holds(LIST, source.name)
    context = bank_context(request, source) | {"tab": "retrieve", "form": form, "lacks": "" if listable else LIST}
    context["status"] = status.line(session, source, now)
    if not form.is_valid():
        return htmx.page(request, "retrieval/index.html", context, fragment="view", status=422)
    if not form.bar.complete:
        context |= choices(source, links, now, listable=listable)
        return htmx.page(request, "retrieval/index.html", context, fragment="view")
    try:
        answer = _asked(source, form)
    except InvalidArgument as error:
        form.add_error(None, error.message)
        return htmx.page(request, "retrieval/index.html", context, fragment="view", status=422)
    context |= {
        "asked": form.request(),
        "chips": rows.chips(form.bar.scope, links.pair),
        "requests": snippets.retrieval(form.request(), source.name, request.build_absolute_uri("/").rstrip("/")),
        "memories_url": links.memories(form.bar.scope),
        "structured_url": links.structured(form.bar.scope),
    }
    if answer.retrieved_memories:
        context |= _ranked(source, form, answer, url=context["base"])
    else:
        near = nearly(source, form.bar.scope, listable=listable)
        context |= {
            "empty": True,
            "own": near.memory_count or 0,
            "near": [differences.near(one, form.bar.scope, links, now=now) for one in near.scopes],
            "plain_url": links.retrieve(form.bar.scope),
        }
    return htmx.page(request, "retrieval/index.html", context, fragment="view")


def _asked(bank: Bank, form: RetrievalForm) -> RetrieveMemoriesResponse:
    """The answer, and behind the cut a few more."""
    cleaned = form.cleaned_data
    return bank.retrieve(
        form.bar.scope,
        query=cleaned["query"],
        top_k=min(form.most + BEYOND, MAX_TOP),
        filter=cleaned["filter"],
        groups=form.groups,
        types=cleaned["types"],
    )


def _ranked(bank: Bank, form: RetrievalForm, answer: RetrieveMemoriesResponse, *, url: str) -> dict[str, Any]:
    cleaned, now = form.cleaned_data, timezone.now()
    got = answer.retrieved_memories
    wide = RetrieveMemoriesResponse()
    if form.narrowed:
        wide = bank.retrieve(
            form.bar.scope, query=cleaned["query"], top_k=min(len(got) + KEPT_OUT, MAX_TOP), types=list(TYPES)
        )
    cut = form.most if cleaned["query"] else len(got)
    edge = got[cut - 1].distance if cleaned["query"] and len(got) >= cut else None
    near = [one for one in wide.retrieved_memories if edge is None or (one.distance or 0) <= edge]
    out = retrieved.kept_out(near, got, types=cleaned["types"], groups=form.groups)[:KEPT_OUT]
    far = retrieved.scale(got, [one for one, _why in out])
    drawn = retrieved.draw(got, url=url, far=far, now=now)
    kept = retrieved.draw([one for one, _why in out], url=url, far=far, now=now)
    for row, (_one, why) in zip(kept, out, strict=True):
        row["why"] = why
    return {
        "rows": drawn[:cut],
        "beyond": drawn[cut:],
        "kept_out": kept,
        "far": f"{far:g}",
        "ranked": bool(cleaned["query"]),
        "further": bool(answer.next_page_token),
        "at_most": form.most >= MAX_TOP,
    }
