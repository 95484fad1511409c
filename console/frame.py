"""What the frame around every page needs."""

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest

THEME_COOKIE = "theme"
THEMES = ("light", "dark")


def frame(request: HttpRequest) -> dict[str, Any]:
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "theme": theme if theme in THEMES else "",
        "here": quote(request.get_full_path()),
    }
