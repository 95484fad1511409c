"""The structured view: what the memories of one complete scope say, field by field."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console import backend, differences, htmx, profiles, query, rows, status
from console.links import Links, exactly
from console.scope_bar import ScopeBar
from console.views.changes import require
from console.views.memories import bank_context
from console.views.scopes import LIST, RETRIEVE, choices, nearly
from memories.client.bank import Bank
from memories.wire import schemas
from memories.wire.resources import ListMemoriesResponse, ReasoningEngine

SOURCES = 100


@require_safe
def index(request: HttpRequest, location: str, bank: str) -> HttpResponse:
    session = backend.session(request)
    source = session.bank(location, bank)
    require(request, RETRIEVE, source.name)
    bar, now = ScopeBar.read(request.path, request.GET), timezone.now()
    context = bank_context(request, source) | {"bar": bar, "pills": bar.pills(), "scope_query": bar.pairs.text}
    listable, links = session.holds(LIST, source.name), Links(source.name)
    context["lacks"] = "" if listable else LIST
    if not bar.complete:
        context |= choices(source, links, now, listable=listable) | {"status": status.line(session, source, now)}
        return htmx.page(request, "profiles/index.html", context, fragment="view", status=422 if bar.faults else 200)
    engine: ReasoningEngine = context["engine"]
    found = source.retrieve_profiles(bar.scope).profiles
    if found:
        memories = _sources(source, bar, listable=listable)
        context["panels"] = profiles.panels(
            found, memories.memories, config=engine.config, scope=bar.scope, url=context["base"], now=now
        )
        context["unlinked"] = bool(memories.next_page_token)
        context["json"] = json.dumps({id: one.wire() for id, one in found.items()}, ensure_ascii=False, indent=2)
    else:
        near = nearly(source, bar.scope, listable=listable)
        context["near"] = [differences.near(one, bar.scope, links, now=now) for one in near.scopes]
        context["declared"] = _declared(engine, bar.scope)
    context |= {
        "chips": rows.chips(bar.scope, links.pair),
        "memories_url": links.memories(bar.scope),
        "retrieve_url": links.retrieve(bar.scope),
        "status": status.line(session, source, now),
    }
    return htmx.page(request, "profiles/index.html", context, fragment="view")


def _sources(bank: Bank, bar: ScopeBar, *, listable: bool) -> ListMemoriesResponse:
    """The structured memories behind the profiles, the one updated last first; none where they may not be listed."""
    if not listable:
        return ListMemoriesResponse()
    only = query.Query((query.Token("type", "", ":", "structured"),)).expression(timezone.get_current_timezone())
    return bank.list_memories(filter=f"{exactly(bar.scope)} AND {only}", order_by="update_time desc", page_size=SOURCES)


def _declared(engine: ReasoningEngine, scope: dict[str, str]) -> list[dict[str, Any]]:
    """The schemas of the scope, with the number of their fields."""
    found = schemas.schemas_of(engine.config, scope)
    return [{"id": id, "fields": len(schemas.fields(schema))} for id, schema in found.items()]
