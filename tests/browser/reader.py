"""Somebody at a browser: what they do by the words they see, and everything that goes wrong meanwhile."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Locator, Page

from tests.browser.site import Site

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 400, "height": 800}
SESSION = "sessionid"

# Chromium's line for an answer that is an error. Which answers may be errors is for each test to say.
_STATUS = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
_WATCH = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


@dataclass
class Reader:
    context: BrowserContext
    page: Page
    site: Site
    faults: list[str] = field(default_factory=list)
    """Errors of the console, of scripts, of the content policy, dialogs of a script, answers of 5xx."""
    allowed: set[int] = field(default_factory=set)
    """Statuses of 5xx that a test wants."""
    actions: int = 0

    @classmethod
    def open(cls, browser: Browser, site: Site, **options: Any) -> "Reader":
        given = {"viewport": WIDE, "locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce"} | options
        context = browser.new_context(**given)
        context.add_init_script(_WATCH)
        context.set_default_timeout(10_000)
        page = context.new_page()
        found = cls(context, page, site)
        page.on("console", found._console)
        page.on("pageerror", lambda error: found.faults.append(f"script: {error}"))
        page.on("dialog", found._dialog)
        page.on("response", lambda answer: found._answer(answer.status, answer.url))
        return found

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _STATUS.match(message.text):
            if not (self.allowed and "status of 5" in message.text):
                self.faults.append(f"console: {message.text}")
        elif "Content Security Policy" in message.text:
            self.faults.append(message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _answer(self, status: int, url: str) -> None:
        if status >= 500 and status not in self.allowed:
            self.faults.append(f"{status} of {url}")
        if urlsplit(url).netloc != urlsplit(self.site.url).netloc and not self.allowed:
            self.faults.append(f"asked elsewhere: {url}")

    # --- signing in ---

    def is_signed_in(self, person: str, sessions: dict[str, str]) -> None:
        """Signs the person in, or uses the session of the time before."""
        if person not in sessions:
            self.signs_in(person)
            sessions[person] = next(c["value"] for c in self.context.cookies() if c["name"] == SESSION)
            self.actions = 0
        self.context.add_cookies([{"name": SESSION, "value": sessions[person], "url": self.site.url}])

    def signs_in(self, person: str) -> None:
        if "/sign-in" not in self.page.url:
            self.page.goto(f"{self.site.url}/sign-in")
        self.fills("Username", person)
        self.fills("Password", self.site.passwords[person], enter=True)
        self.page.wait_for_url(lambda url: "/sign-in" not in url)

    # --- what a reader does, by the words on the screen ---

    def goes(self, url: str) -> int:
        answer = self.page.goto(url if url.startswith("http") else self.site.url + url)
        return answer.status if answer else 0

    def fills(self, label: str, text: str, *, enter: bool = False) -> None:
        self.actions += 1
        box = self.page.get_by_label(label).and_(self.page.locator("input:visible, textarea:visible"))
        box.first.fill(text)
        if enter:
            box.first.press("Enter")

    def clicks(self, words: str, *, within: Locator | None = None) -> None:
        """A link or button with exactly these words."""
        self.actions += 1
        self.control(words, within=within).click()

    def control(self, words: str, *, within: Locator | None = None) -> Locator:
        place = within or self.page.locator("body")
        found = place.get_by_role("link", name=words, exact=True).or_(
            place.get_by_role("button", name=words, exact=True)
        )
        return found.locator("visible=true").first

    def sees(self, *texts: str) -> None:
        """All of the texts, now or in a moment."""
        for text in texts:
            self.page.get_by_text(text).locator("visible=true").first.wait_for()

    @property
    def text(self) -> str:
        """All words of the page's main part that can be seen, spaces made single."""
        return " ".join(self.page.locator("main").inner_text().split())

    @property
    def facts(self) -> list[str]:
        return [text.strip() for text in self.page.locator("td.c-fact .text").all_inner_texts()]

    # --- where the keyboard is ---

    @property
    def focus(self) -> str:
        """The focused element: its label or words."""
        found: str = self.page.evaluate(
            """() => {
              const at = document.activeElement;
              if (!at || at === document.body) return "";
              const label = at.labels?.[0]?.textContent;
              const named = at.getAttribute("aria-label") || label || at.textContent || at.title;
              return named.trim().replace(/\\s+/g, " ");
            }"""
        )
        return found

    def tabs_to(self, words: str, *, back: bool = False, most: int = 80) -> None:
        """Presses Tab until the focus is on what has these words."""
        for _press in range(most):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            if self.focus == words:
                return
        raise AssertionError(f"the keyboard never comes to {words!r}; it is at {self.focus!r}")

    def presses(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def types(self, text: str) -> None:
        self.page.keyboard.type(text)

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")
