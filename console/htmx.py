"""htmx 4: which answers are fragments, and what a page answers to it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page. (HX-Request alone is also sent for whole pages.)"""
    return request.headers.get("HX-Request-Type") == "partial"


def page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, fragment: str, status: int = 200
) -> HttpResponse:
    """The page, or the partial `fragment` of its template where htmx asks for one."""
    name = f"{template}#{fragment}" if is_fragment(request) else template
    return render(request, name, dict(context), status=status)
