"""Looking into a bank as a person would: scopes, a pair, the structured view, and what an agent would get."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from memories.wire.resources import Memory
from tests.browser.reader import Reader
from tests.browser.site import Shelf

pytestmark = pytest.mark.browser

SCHEMA = {
    "type": "OBJECT",
    "title": "Traveller",
    "properties": {"seat": {"type": "STRING"}, "meal": {"type": "STRING"}},
}


@pytest.fixture
def place(shelf: Shelf) -> str:
    """The address of a bank in which one person is under three scopes."""
    shelf.add("I live in Rome.", scope={"user_id": "u-7"})
    shelf.add("I like green tea.", scope={"user_id": "u-7", "app_name": "shop"})
    shelf.add("I cycle to work.", scope={"user_id": "u-7", "app_name": "shop"})
    shelf.add("I like coffee.", scope={"user_id": "U-7"})
    return shelf.url.removesuffix("/memories")


def test_from_the_scopes_to_everything_about_a_pair(support: Reader, place: str) -> None:
    me = support
    me.goes(f"{place}/memories")
    me.clicks("Scopes")
    expect(me.page.locator("#count")).to_have_text(re.compile(r"1–3\s+of 3"))
    me.sees("another case")
    me.fills("Search scopes", "shop", enter=True)
    expect(me.page.locator("#count")).to_have_text(re.compile(r"1–1\s+of 1"))
    assert me.page.url.endswith("/scopes?search=shop")
    expect(me.page.get_by_label("Search scopes")).to_be_focused()
    expect(me.page.locator("#announce")).to_have_text(re.compile("1–1"))
    me.page.locator(".c-pairs .chip", has_text="u-7").first.click()
    me.sees("is in 2 scopes, with 3 memories in all.", "does not read it", "Nearly the same")
    me.page.go_back()
    me.clicks("Memories", within=me.page.locator(".c-ways"))
    expect(me.page.locator("#count")).to_have_text(re.compile(r"1–2\s+of 2"))


def test_a_value_is_corrected_at_its_source(support: Reader, shelf: Shelf, place: str) -> None:
    me = support
    content = {"schemaId": "traveller", "data": {"seat": "window"}}
    body = {"scope": {"user_id": "u-7"}, "memoryType": "STRUCTURED_PROFILE", "structuredContent": content}
    shelf.bank.create_memory(Memory.model_validate(body))
    me.goes(f"{place}/memories?q=user_id%3Au-7")
    me.clicks("View structured memories")
    expect(me.page.locator(".value")).to_have_text("window")
    me.page.locator(".raw summary").click()
    me.sees('"seat": "window"')
    me.clicks("Correct seat")
    me.fills("Structured data", '{"seat": "aisle"}')
    me.clicks("Save")
    me.sees("Saved: Structured data.")
    me.goes(f"{place}/structured?q=user_id%3Au-7")
    expect(me.page.locator(".value")).to_have_text("aisle")
    me.clicks("Remove user_id:u-7")
    me.sees("Choose a scope, the last written first")


def test_retrieve(support: Reader, place: str) -> None:
    """D15: what an agent gets; and where it gets nothing, the scope that was meant."""
    me = support
    me.goes(f"{place}/memories")
    me.clicks("Retrieve")
    me.fills("Scope", "user_id:u-7 app_name:Shop")
    me.fills("Query", "a warm drink")
    me.fills("Top k", "1", enter=True)
    me.sees("An agent gets nothing", "another case")
    me.clicks("Retrieve", within=me.page.locator(".near li").first)
    me.sees("An agent gets these 2 memories, the newest first")
    me.fills("Query", "a warm drink")
    me.fills("Top k", "1", enter=True)
    me.sees("An agent gets this one memory", "Cut: top 1", "Just outside")
    assert me.page.locator(".ranked .text").first.inner_text() == "I like green tea."
    me.page.locator(".more summary").click()
    me.page.locator("[name=m_key]").fill("kind")
    me.page.locator("[name=m_value]").fill("food")
    me.clicks("Add a condition")
    assert me.page.locator("[name=m_key]").count() == 2
    me.page.locator("form.ask .first").click()
    me.sees("The scope exists and holds 2 memories")


def test_without_javascript(reader: Callable[..., Reader], place: str) -> None:
    me = reader(java_script_enabled=False)
    me.goes(f"{place}/scopes")
    me.fills("Search scopes", "shop", enter=True)
    me.sees("1–1")
    me.goes(f"{place}/structured")
    me.fills("Scope: add a pair", "user_id:u-7", enter=True)
    me.sees("No structured memories under this scope")
    me.goes(f"{place}/retrieve")
    me.fills("Scope", "user_id:u-7")
    me.page.locator("form.ask .first").click()
    me.sees("An agent gets this one memory")
    me.page.locator(".more summary").click()
    me.clicks("Add a condition")
    assert me.page.locator("[name=m_key]").count() == 2
