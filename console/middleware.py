"""What holds for every page: the zone of its times, how htmx is redirected, and how a bank's error looks."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from console import errors, zones
from memories.wire.errors import ApiError

_API = ("/v1/", "/v1beta1/", "/admin/")


class Page:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_API):
            return self.get_response(request)
        with timezone.override(zones.of(request)):
            response = self.get_response(request)
        patch_vary_headers(response, ["HX-Request-Type", "Cookie"])
        response.headers.setdefault("Cache-Control", "no-store")  # pages show personal data
        return _client_side(request, response)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return errors.page(request, exception) if isinstance(exception, ApiError) else None


def _client_side(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The browser follows a redirect with htmx's headers, and a whole page would land inside another one.

    A GET that is redirected to a tidier URL of the same page is left alone.
    """
    if "HX-Request" not in request.headers or not 300 <= response.status_code < 400:
        return response
    target = response.headers["Location"]
    if request.method == "GET" and urlsplit(target).path == request.path:
        return response
    moved = HttpResponse(headers={"HX-Redirect": target})
    moved.cookies = response.cookies
    return moved
