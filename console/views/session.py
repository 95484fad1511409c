"""Signing in and out, what the browser remembers, and whether this console is alive."""

from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console import frame

_YEAR = 365 * 24 * 3600


def next_url(request: HttpRequest, default: str) -> str:
    """Where to go afterwards: the `next` of the form or address, if it is a page of this console."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe and wanted.startswith("/") else default  # `redirect` takes anything else for a view's name


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    target = next_url(request, reverse("banks"))
    if request.user.is_authenticated:
        return redirect(target)
    form = AuthenticationForm(request, data=request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(target)
    return render(request, "sign_in.html", {"form": form, "next": target}, status=422 if form.errors else 200)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign_in")


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Sets the theme: light, dark, or as the system has it."""
    theme = request.POST.get("theme", "")
    response = redirect(next_url(request, reverse("banks")))
    if theme in frame.THEMES:
        response.set_cookie(frame.THEME_COOKIE, theme, max_age=_YEAR, samesite="Lax", secure=request.is_secure())
    else:
        response.delete_cookie(frame.THEME_COOKIE, samesite="Lax")
    return response


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 where this process answers and its database does. It says nothing about banks elsewhere."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return JsonResponse({"status": "ok"})
