"""Answers as a reader sees them: words, links, the form and what a browser would send of it."""

import re
from html.parser import HTMLParser

from django.http import HttpResponseBase

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}

type Attributes = dict[str, str | None]


class Reader(HTMLParser):
    """`fields` are those of the first form of `main` that is sent by POST, or of a fragment."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[tuple[str, Attributes]] = []
        self.links: list[tuple[str, str]] = []
        self.fields: dict[str, list[str]] = {}
        self._main = "<main" not in text
        self._form = 0  # 1 while in it, 2 after it
        self._link: tuple[str, list[str]] | None = None
        self._area: tuple[str, list[str]] | None = None
        self._choice: tuple[str, list[tuple[str, bool]]] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self._main = self._main or tag == "main"
        if tag == "a":
            self._link = (found.get("href") or "", [])
        if tag == "form" and self._main and found.get("method") == "post" and not self._form:
            self._form = 1
        if self._form == 1:
            self._field(tag, found)

    def _field(self, tag: str, found: Attributes) -> None:
        name, value = found.get("name") or "", found.get("value") or ""
        if tag == "input" and name:
            if found.get("type") != "checkbox":
                self._put(name, re.sub("[\r\n]", "", value))
            elif "checked" in found:
                self._put(name, value)
        elif tag == "textarea":
            self._area = (name, [])
        elif tag == "select":
            self._choice = (name, [])
        elif tag == "option" and self._choice:
            self._choice[1].append((value, "selected" in found))

    def _put(self, name: str, value: str) -> None:
        self.fields.setdefault(name, []).append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link:
            self.links.append((" ".join("".join(self._link[1]).split()), self._link[0]))
            self._link = None
        if tag == "textarea" and self._area:
            text = "".join(self._area[1]).removeprefix("\n")
            self._put(self._area[0], re.sub("\r\n|\r|\n", "\r\n", text))
            self._area = None
        if tag == "select" and self._choice:
            name, options = self._choice
            self._put(name, next((value for value, on in options if on), options[0][0]))
            self._choice = None
        if tag == "form" and self._form == 1:
            self._form = 2

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._link:
            self._link[1].append(data)
        if self._area:
            self._area[1].append(data)


def text_of(answer: HttpResponseBase) -> str:
    return bytes(answer.content).decode()  # type: ignore[attr-defined]  # no page of ours streams


def read(answer: HttpResponseBase) -> Reader:
    return Reader(text_of(answer))


def words_of(answer: HttpResponseBase) -> str:
    """The text that a reader sees, spaces made single."""
    return " ".join(" ".join(read(answer).words).split())


def links_of(answer: HttpResponseBase) -> list[str]:
    return [href for _words, href in read(answer).links]


def link(answer: HttpResponseBase, words: str) -> str:
    """Where the link with these words leads."""
    found = [href for text, href in read(answer).links if text == words]
    assert found, f"no link {words!r} in {words_of(answer)[:3000]}"
    return found[0]


def fields_of(answer: HttpResponseBase, **typed: str | list[str]) -> dict[str, str | list[str]]:
    """What a browser would send of the page's form, some of it typed anew."""
    found: dict[str, str | list[str]] = {**read(answer).fields}
    found.pop("csrfmiddlewaretoken", None)
    return found | typed


def is_whole(answer: HttpResponseBase) -> bool:
    """Whether it is a page, and not a part of one."""
    return "<!doctype html>" in text_of(answer)
