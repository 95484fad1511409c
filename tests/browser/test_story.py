"""The support story: a customer is right, the memory is wrong, and somebody without training puts it right."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.reader import NARROW, Reader
from tests.browser.site import Shelf, Site

pytestmark = pytest.mark.browser

FIRST, WRONG, RIGHT = "I am allergic to nuts.", "I am allergic to fish.", "I am allergic to peanuts."


@pytest.fixture
def ticket(shelf: Shelf) -> str:
    """The memory that a customer complains about, among others; its id."""
    for number in range(8):
        shelf.add(f"I like city {number}.", scope={"user_id": f"u-{number}"})
    return shelf.add(FIRST, WRONG, scope={"user_id": "u-4711", "app_name": "concierge"})


def test_in_twelve_actions(reader: Callable[..., Reader], site: Site, shelf: Shelf, ticket: str) -> None:
    me = reader("")
    me.goes("/")
    me.signs_in("support")  # 1, 2
    title = shelf.bank.get().display_name or ""
    me.clicks(title)  # 3
    me.fills("Filter: add a condition", "user_id:u-4711", enter=True)  # 4
    expect(me.page.locator("#count")).to_have_text(re.compile(r"1–1\s+of 1"))
    assert me.facts == [WRONG]
    me.clicks(ticket)  # 5
    me.sees("Revisions", "first revision", "current")
    assert me.page.locator(".timeline li").count() == 2
    me.clicks("Edit")  # 6
    me.fills("Fact", RIGHT)  # 7
    me.clicks("Save")  # 8
    me.sees("Saved: Fact.")
    assert me.page.locator(".fact").inner_text() == RIGHT
    assert me.page.locator(".timeline li").count() == 3
    me.clicks("Roll back to this")  # 9, the newest that is not current
    me.sees("Roll back to this revision?")
    me.clicks("Roll back", within=me.dialog)  # 10
    me.sees("Rolled back.")
    assert me.page.locator(".fact").inner_text() == WRONG
    assert me.page.locator(".timeline li").count() == 4
    me.clicks("Delete")  # 11
    me.sees("Delete this memory?")
    me.clicks("Delete memory", within=me.dialog)  # 12
    me.sees("Memory deleted.")
    assert me.actions <= 12
    me.goes(f"{shelf.url}?q=user_id%3Au-4711")
    me.sees("No memory matches")
    me.page.reload()
    assert WRONG not in me.text


def test_on_a_telephone(reader: Callable[..., Reader], shelf: Shelf, ticket: str) -> None:
    me = reader(viewport=NARROW, has_touch=True)
    me.goes(shelf.url)
    me.fills("Filter: add a condition", "user_id:u-4711", enter=True)
    me.sees("1–1")
    me.page.get_by_role("button", name=re.compile("^Actions")).first.tap()
    me.clicks("Edit")
    me.fills("Fact", RIGHT)
    me.clicks("Save")
    me.sees("Saved: Fact.")
    me.clicks("Delete")
    me.clicks("Delete memory", within=me.dialog)
    me.sees("Memory deleted.")


def test_without_javascript(reader: Callable[..., Reader], shelf: Shelf, ticket: str) -> None:
    me = reader(java_script_enabled=False)
    me.goes(shelf.url)
    me.fills("Filter: add a condition", "user_id:u-4711", enter=True)
    assert me.facts == [WRONG]
    assert me.page.url.endswith("?q=user_id%3Au-4711")
    me.page.locator("a.chip, .chip.on").first.wait_for()
    me.page.locator("td.c-menu a").click()  # leads to the memory, which has the same actions
    me.clicks("Edit")
    me.clicks("Add a row")
    assert me.page.locator("[name=metadata_key]").count() == 2
    me.fills("Fact", RIGHT)
    me.clicks("Save")
    me.sees("Saved: Fact.")
    me.clicks("Roll back to this")
    assert me.page.url.endswith("/rollback")
    me.clicks("Roll back")
    me.sees("Rolled back.")
    me.clicks("Delete")
    me.sees("Delete this memory?")
    me.clicks("Cancel")
    me.page.goto(shelf.page(ticket))
    me.clicks("Delete")
    me.clicks("Delete memory")
    me.sees("Memory deleted.")
    me.clicks("See its revisions, or restore it")
    me.sees("This memory is deleted")
    me.clicks("Restore this")
    me.clicks("Restore")
    me.sees("Rolled back.")
    assert me.page.locator(".copy, kbd").locator("visible=true").count() == 0  # what needs a script is not there


def test_by_keyboard_alone(reader: Callable[..., Reader], shelf: Shelf, ticket: str) -> None:
    me = reader("")
    me.goes(shelf.url)
    me.tabs_to("Username")
    me.types("support")
    me.tabs_to("Password")
    me.types(me.site.passwords["support"])
    me.presses("Enter")
    me.page.wait_for_url(shelf.url)
    # The first stop of each page leads past the frame.
    me.presses("Tab")
    assert me.focus == "Skip to content"
    me.presses("Enter", "/")
    assert me.focus == "Filter: add a condition"
    me.types("user_id:u-4711")
    me.presses("Enter")
    me.sees("1–1")
    assert me.focus == "Filter: add a condition"  # ready for the next condition
    assert me.page.url.endswith("?q=user_id%3Au-4711")
    expect(me.page.locator("#announce")).to_have_text(re.compile("1–1"))  # and said to those who do not see it
    # The row's menu.
    me.tabs_to(f"Actions {ticket}")
    me.presses("Enter")
    assert me.focus == "Open"
    me.presses("ArrowDown")
    assert me.focus == "Edit"
    me.presses("ArrowDown")
    assert me.focus == "View revisions"
    me.presses("Escape")
    assert me.focus == f"Actions {ticket}"
    assert me.page.locator("#row-menu").is_hidden()
    # The dialog of deleting, and out of it again.
    me.presses("Enter")
    me.tabs_to("Delete")
    me.presses("Enter")
    me.dialog.wait_for()
    assert me.page.evaluate("document.activeElement.closest('dialog') !== null")
    for _press in range(8):
        me.presses("Tab")
        inside = me.page.evaluate(
            "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
        )
        assert inside, me.focus  # nothing behind a dialog can be reached
    me.presses("Escape")
    expect(me.page.locator("dialog")).to_be_hidden()
    assert me.focus == f"Actions {ticket}"
    # Open, correct.
    me.tabs_to(ticket, back=True)
    me.presses("Enter")
    me.page.wait_for_url(shelf.page(ticket))
    me.tabs_to("Edit")
    me.presses("Enter")
    me.page.wait_for_url("**/edit")
    assert me.focus == "Fact"
    me.presses("Control+a")
    me.types(RIGHT)
    me.tabs_to("Save")
    me.presses("Enter")
    me.sees("Saved: Fact.")
    # Roll back: first change your mind.
    me.tabs_to("Roll back to this")
    me.presses("Enter")
    me.dialog.wait_for()
    me.tabs_to("Cancel")
    me.presses("Enter")
    expect(me.page.locator("dialog")).to_be_hidden()
    assert me.focus == "Roll back to this"
    me.presses("Enter")
    me.dialog.wait_for()
    me.tabs_to("Roll back")
    me.presses("Enter")
    me.sees("Rolled back.")
    assert me.page.locator(".fact").inner_text() == WRONG
    # Delete.
    me.tabs_to("Delete")
    me.presses("Enter")
    me.dialog.wait_for()
    me.tabs_to("Reason")
    me.types("ticket 4711")
    me.tabs_to("Delete memory")
    me.presses("Enter")
    me.sees("Memory deleted.")
    assert WRONG not in me.facts
