"""What holds for every page: zone, caching, htmx's redirects, and how errors of a bank look."""

from datetime import UTC

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.test import RequestFactory
from django.utils import timezone

from console import errors, htmx, zones
from console.middleware import Page
from memories.wire import errors as wire

BANK = "/banks/us-central1/1/memories"


def answer(response: HttpResponse, *, path: str = BANK, method: str = "GET", **headers: str) -> HttpResponse:
    request = RequestFactory().generic(method, path, headers=headers)
    return Page(lambda _request: response)(request)


def test_pages_are_kept_nowhere_and_differ_by_fragment_and_cookie() -> None:
    found = answer(HttpResponse("x"))
    assert found.headers["Cache-Control"] == "no-store"
    assert {name.strip() for name in found.headers["Vary"].split(",")} >= {"HX-Request-Type", "Cookie"}


def test_a_page_may_say_otherwise_about_caching() -> None:
    assert answer(HttpResponse("x", headers={"Cache-Control": "max-age=0"})).headers["Cache-Control"] == "max-age=0"


@pytest.mark.parametrize("path", ["/v1/x", "/v1beta1/projects/p", "/admin/v1/x"])
def test_the_api_is_left_alone(path: str) -> None:
    found = answer(HttpResponse("x"), path=path)
    assert "Vary" not in found.headers
    assert "Cache-Control" not in found.headers
    moved = answer(HttpResponseRedirect("/elsewhere"), path=path, method="POST", **{"HX-Request": "true"})
    assert moved.status_code == 302


# The redirect trap: the browser would follow it with htmx's headers, and a page would land inside a page.
@pytest.mark.parametrize(
    ("method", "target", "client_side"),
    [
        ("POST", BANK, True),
        ("POST", "/banks", True),
        ("DELETE", "/banks", True),
        ("GET", f"{BANK}?q=user_id%3A1", False),
        ("GET", "/sign-in?next=%2Fbanks", True),
        ("GET", f"{BANK}/m-1", True),
        ("GET", "/banks", True),
    ],
)
def test_htmx_is_redirected_as_a_whole_page(method: str, target: str, client_side: bool) -> None:
    found = answer(HttpResponseRedirect(target), method=method, **{"HX-Request": "true"})
    if client_side:
        assert (found.status_code, found.headers["HX-Redirect"]) == (200, target)
        assert not found.content
    else:
        assert (found.status_code, found.headers["Location"]) == (302, target)


def test_cookies_go_along() -> None:
    moved = HttpResponseRedirect("/banks")
    moved.set_cookie("theme", "dark")
    found = answer(moved, method="POST", **{"HX-Request": "true"})
    assert found.cookies["theme"].value == "dark"


def test_a_browser_is_redirected_as_ever() -> None:
    found = answer(HttpResponseRedirect("/banks"), method="POST")
    assert (found.status_code, found.headers["Location"]) == (302, "/banks")


def test_the_zone_of_the_cookie_holds_for_the_page_alone() -> None:
    seen: list[str] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(timezone.get_current_timezone_name())
        return HttpResponse("x")

    request = RequestFactory().get("/banks")
    request.COOKIES["timezone"] = "Asia/Jerusalem"
    Page(view)(request)
    assert seen == ["Asia/Jerusalem"]
    assert timezone.get_current_timezone_name() == "UTC"


def test_a_form_is_read_in_the_zone_in_which_it_was_drawn() -> None:
    request = RequestFactory().post("/banks", {"zone": "Asia/Jerusalem"})
    request.COOKIES["timezone"] = "Europe/Rome"
    assert str(zones.of(request)) == "Asia/Jerusalem"
    request = RequestFactory().post("/banks", {"zone": "../etc"})
    request.COOKIES["timezone"] = "Europe/Rome"
    assert str(zones.of(request)) == "Europe/Rome"
    assert zones.of(RequestFactory().get("/banks", {"zone": "Asia/Jerusalem"})) is UTC


# --- fragments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "fragment"),
    [
        ({}, False),
        ({"HX-Request": "true"}, False),
        ({"HX-Request": "true", "HX-Request-Type": "full"}, False),
        ({"HX-Request": "true", "HX-Request-Type": "partial"}, True),
        ({"HX-Target": "div#memories"}, False),
    ],
)
def test_what_asks_for_a_fragment(headers: dict[str, str], fragment: bool) -> None:
    assert htmx.is_fragment(RequestFactory().get("/", headers=headers)) is fragment


# --- errors of a bank -------------------------------------------------------------------------------------------------

KINDS: list[tuple[wire.ApiError, str, int]] = [
    (wire.PermissionDenied("no"), "forbidden", 403),
    (wire.Unauthenticated("no"), "forbidden", 502),
    (wire.NotFound("no"), "missing", 404),
    (wire.ResourceExhausted("no"), "busy", 429),
    (wire.Aborted("no"), "refused", 409),
    (wire.AlreadyExists("no"), "refused", 409),
    (wire.InvalidArgument("no"), "refused", 400),
    (wire.FailedPrecondition("no"), "refused", 400),
    (wire.OutOfRange("no"), "refused", 400),
    (wire.Unimplemented("no"), "refused", 400),
    (wire.DeadlineExceeded("no"), "down", 504),
    (wire.Unavailable("no"), "down", 503),
    (wire.Internal("no"), "down", 502),
    (wire.Unknown("no"), "down", 502),
    (wire.DataLoss("no"), "down", 502),
    (wire.Cancelled("no"), "down", 502),
]


@pytest.mark.parametrize(("error", "kind", "status"), KINDS, ids=lambda value: getattr(value, "status", None))
def test_each_error_has_its_picture(error: wire.ApiError, kind: str, status: int) -> None:
    found = errors.card(error)
    assert (found.kind, found.status, found.detail) == (kind, status, "no")
    assert found.title
    assert found.text


def test_only_what_may_pass_offers_another_try() -> None:
    assert {type(error) for error, _kind, _status in KINDS if errors.card(error).retry} == {
        wire.ResourceExhausted, wire.DeadlineExceeded, wire.Unavailable, wire.Internal, wire.Unknown, wire.DataLoss,
        wire.Cancelled,
    }  # fmt: skip


# D71, D72
def test_a_refusal_names_permission_roles_and_person() -> None:
    error = wire.PermissionDenied.lacking("aiplatform.memories.list", resource="r", principal="nora")
    found = errors.card(error)
    assert found.permission == "aiplatform.memories.list"
    assert found.roles[0] == "roles/aiplatform.memoryViewer"
    assert "roles/console.admin" in found.roles
    assert found.principal == "nora"
    assert found.detail == ""


def page(error: Exception, **headers: str) -> HttpResponse | None:
    request = RequestFactory().get("/banks", headers=headers)
    request.user = AnonymousUser()
    return Page(lambda _request: HttpResponse()).process_exception(request, error)


@pytest.mark.parametrize(("seconds", "header"), [(None, None), (0.2, "1"), (2.6, "3"), (30, "30")])
def test_when_to_come_back_is_passed_on(seconds: float | None, header: str | None) -> None:
    found = page(wire.Unavailable("asleep", retry_after=seconds), **{"HX-Request-Type": "partial"})
    assert found is not None
    assert found.headers.get("Retry-After") == header


def test_a_fault_of_our_own_is_not_dressed_up() -> None:
    assert page(ValueError("a bug")) is None
