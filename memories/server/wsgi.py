"""The server as a WSGI application without Django's middleware and signals, for calls from within the process.

Going through the whole handler would switch the page's language, lose its script prefix, and close its connection.
"""

import http
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.urls import Resolver404, resolve
from rest_framework.response import Response

from memories.server import door


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    request = WSGIRequest(environ)
    try:
        found = resolve(request.path_info, settings.MEMORY_BANK_URLS)
        response: HttpResponse = found.func(request, *found.args, **found.kwargs)
    except Resolver404:
        response = door.no_such_path(request)
    if isinstance(response, Response):
        response.render()
    reason = http.HTTPStatus(response.status_code).phrase
    start_response(f"{response.status_code} {reason}", list(response.items()))
    # Not the response itself: its close() would send request_finished in the middle of the outer request.
    return [response.content]
