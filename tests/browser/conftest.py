import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.reader import Reader
from tests.browser.site import Shelf, Site, serving

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="memory-bank-browser-") as found:
        yield found


@pytest.fixture(scope="session")
def site(folder: str) -> Iterator[Site]:
    """The live server with the demo banks, one for the whole run."""
    with serving(folder) as found:
        yield found


@pytest.fixture(scope="session")
def broken(folder: str, site: Site) -> Iterator[Site]:
    """The same console before a bank that does not answer. A browser signed in at one is signed in at both."""
    with serving(folder, DJANGO_SETTINGS_MODULE="tests.browser.broken") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module: its event loop must be gone before tests that use the database in this process."""
    if not Path(CHROMIUM).exists():
        missing = f"there is no Chromium at {CHROMIUM}; set CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def sessions() -> dict[str, str]:
    """The session cookies by person, so that each signs in once in a module."""
    return {}


@pytest.fixture
def reader(browser: Browser, site: Site, sessions: dict[str, str]) -> Iterator[Callable[..., Reader]]:
    """Makes readers: a person (or nobody) at a window of their own. At the end nothing may have gone wrong in any."""
    made: list[Reader] = []

    def make(person: str = "support", **options: object) -> Reader:
        found = Reader.open(browser, site, **options)
        made.append(found)
        if person:
            found.is_signed_in(person, sessions)
        return found

    yield make
    for one in made:
        one.context.close()
    for one in made:
        assert one.faults == []


@pytest.fixture
def support(reader: Callable[..., Reader]) -> Reader:
    return reader()


@pytest.fixture
def shelf(site: Site, request: pytest.FixtureRequest) -> Shelf:
    """A bank of the test's own."""
    return site.bank(f"Bank of {request.node.name[:60]}")
