from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from console import backend, rows, zones
from memories.wire.names import BankName


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The banks on which the person holds any permission about memories."""
    session = backend.session(request)
    answer = session.service.list_banks(location="-", page_size=100, page_token=request.GET.get("page", ""))
    now = timezone.now()
    found = []
    for engine in answer.reasoning_engines:
        name = BankName.parse(engine.name or "")
        found.append(
            {
                "title": engine.display_name or name.id,
                "description": engine.description or "",
                "location": name.location,
                "id": name.id,
                "name": str(name),
                "created": rows.time(engine.create_time, now),
                "updated": rows.time(engine.update_time, now),
                "may_list": session.holds("aiplatform.memories.list", name),
            }
        )
    return render(
        request,
        "banks/index.html",
        {
            "banks": found,
            "next": answer.next_page_token,
            "later": bool(request.GET.get("page")),
            "fetched": zones.exact(now),
        },
    )
