"""What scripts add: lists changed in place, dialogs, menus, copying, theme and zone; and what hostile text cannot."""

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Route, expect

from memories.wire.resources import Memory
from tests.browser.reader import Reader
from tests.browser.site import Shelf, Site

pytestmark = pytest.mark.browser

BOX = "Filter: add a condition"
STAYS = "window.stays = true"


def stayed(me: Reader) -> bool:
    """Whether the page was changed in place since STAYS was run."""
    return bool(me.page.evaluate("window.stays === true"))


# --- the list in place ------------------------------------------------------------------------------------------------


def test_filtering_in_place(support: Reader, shelf: Shelf) -> None:
    me = support
    for number in range(3):
        shelf.add(f"I like tea number {number}.", scope={"user_id": f"u-{number}"})
    me.goes(shelf.url)
    me.page.evaluate(STAYS)
    me.fills(BOX, "tea", enter=True)
    me.sees("fact contains")
    assert me.page.url == f"{shelf.url}?q=fact%3Atea"
    assert me.focus == BOX
    me.types("user_id:u-1")
    me.presses("Enter")
    expect(me.page.locator("#count")).to_contain_text("1–1")
    assert me.facts == ["I like tea number 1."]
    assert me.page.url == f"{shelf.url}?q=fact%3Atea+user_id%3Au-1"
    assert me.page.locator("main").count() == 1
    me.clicks("Remove fact:tea")
    expect(me.page).to_have_url(f"{shelf.url}?q=user_id%3Au-1")
    me.clicks("Clear")
    expect(me.page.locator("#count")).to_contain_text("1–3")
    assert stayed(me)
    # Back goes back.
    me.page.go_back()
    expect(me.page.locator("#count")).to_contain_text("1–1")
    assert me.facts == ["I like tea number 1."]


def test_chips_sorting_and_pages_in_place(support: Reader, shelf: Shelf) -> None:
    me = support
    for number in range(22):
        shelf.add(f"fact {number:02}", scope={"user_id": "a" if number % 11 else "b"})
    me.goes(f"{shelf.url}?size=20")
    me.page.evaluate(STAYS)
    me.clicks("Next")
    expect(me.page.locator("#count")).to_contain_text("21–22")
    expect(me.page.locator("#announce")).to_contain_text("21–22")
    me.clicks("Previous")
    expect(me.page.locator("#count")).to_contain_text("1–20")
    me.clicks("Created")
    expect(me.page.locator("th[aria-sort=ascending]")).to_have_text(re.compile("Created"))
    assert me.facts[0] == "fact 00"
    me.page.locator("a.chip", has_text="user_id:b").first.click()
    expect(me.page.locator("#count")).to_have_text(re.compile(r"^1–2 of 2"))
    assert me.facts == ["fact 00", "fact 11"]
    assert stayed(me)
    assert me.page.locator("td.c-name button").count() == 2  # new rows can be copied like the first ones


# D26, D29
def test_a_wrong_condition_in_place(support: Reader, shelf: Shelf) -> None:
    me = support
    shelf.add("I like tea.")
    me.goes(shelf.url)
    me.page.evaluate(STAYS)
    me.fills(BOX, "user_id:", enter=True)
    me.sees("The value is missing")
    assert me.page.get_by_label(BOX).input_value() == "user_id:"
    assert me.focus == BOX
    expect(me.page.locator("#announce")).to_contain_text("The value is missing")
    me.types("u-1")
    me.presses("Enter")
    expect(me.page.locator("#count")).to_contain_text("1–1")
    assert stayed(me)


def test_taking_a_condition_back_with_backspace(support: Reader, shelf: Shelf) -> None:
    me = support
    shelf.add("I like tea.")
    me.goes(f"{shelf.url}?q=user_id%3Au-1+fact%3Atea")
    me.presses("/")
    assert me.focus == BOX
    me.presses("Backspace")
    expect(me.page.get_by_label(BOX)).to_have_value("fact:tea")
    assert me.page.locator(".pill").count() == 1


def test_a_pasted_name_opens_the_memory(support: Reader, shelf: Shelf) -> None:
    me = support
    memory = shelf.add("I like tea.")
    me.goes(shelf.url)
    me.fills(BOX, f"{shelf.bank.name}/memories/{memory}", enter=True)
    expect(me.page).to_have_url(shelf.page(memory))
    assert me.page.locator("main").count() == 1
    assert me.page.locator("header.top").count() == 1


def test_signed_out_meanwhile(reader: Callable[..., Reader], shelf: Shelf) -> None:
    me = reader()
    shelf.add("I like tea.")
    me.goes(shelf.url)
    me.context.clear_cookies()
    me.fills(BOX, "tea", enter=True)
    me.page.wait_for_url(re.compile(r"/sign-in\?next="))
    me.signs_in("support")
    assert me.facts == ["I like tea."]
    assert me.page.locator("main").count() == 1


def test_down_meanwhile(reader: Callable[..., Reader], shelf: Shelf, broken: Site) -> None:
    """An error in place is the picture of the error, and the way back works."""
    me = reader()
    me.allowed.add(503)
    shelf.add("I like tea.")
    me.goes(shelf.url)

    def elsewhere(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace(shelf.site, broken.url)))

    me.page.route(re.compile(r"/memories\?"), elsewhere)
    me.fills(BOX, "tea", enter=True)
    me.sees("The bank cannot be reached")
    assert me.page.locator("header.top").count() == 1
    me.page.unroute_all()
    me.clicks("Try again")
    me.sees("I like tea.")


def test_without_a_connection(support: Reader, shelf: Shelf) -> None:
    """What fails on the way says so; nothing is lost, and it works again afterwards."""
    me = support
    shelf.add("I like tea.")
    me.goes(shelf.url)
    me.context.set_offline(True)
    me.fills(BOX, "tea", enter=True)
    me.sees("No answer came.")
    assert me.page.get_by_label(BOX).input_value() == "tea"
    assert me.facts == ["I like tea."]
    me.context.set_offline(False)
    me.page.get_by_label(BOX).press("Enter")
    me.sees("fact contains")
    expect(me.page.get_by_text("No answer came.")).to_have_count(0)
    me.faults.clear()  # the browser's own lines about the connection


# --- dialogs, menus, focus --------------------------------------------------------------------------------------------


def test_a_dialog_keeps_its_errors_and_its_place(support: Reader, shelf: Shelf) -> None:
    me = support
    memory = shelf.add("I live in Rome.")
    me.goes(shelf.url)
    me.page.evaluate(STAYS)
    me.page.locator("[data-menu]").first.click()
    me.clicks("Delete", within=me.page.locator("#row-menu"))
    me.dialog.wait_for()
    assert "I live in Rome." in me.dialog.inner_text()
    shelf.bank.update_memory(memory, Memory(fact="I live in Milan."), mask=["fact"])
    me.dialog.get_by_label("Reason").fill("ticket 7")
    me.clicks("Delete memory", within=me.dialog)
    me.sees("The memory changed after this question was asked.")
    assert "I live in Milan." in me.dialog.inner_text()
    assert me.dialog.get_by_label("Reason").input_value() == "ticket 7"
    assert stayed(me)
    me.clicks("Cancel", within=me.dialog)
    expect(me.page.locator("dialog")).to_be_hidden()
    assert me.focus == f"Actions {memory}"
    assert stayed(me)


def test_dialogs_have_a_name_and_take_the_focus(support: Reader, shelf: Shelf) -> None:
    me = support
    memory = shelf.add("I live in Rome.", "I live in Milan.")
    me.goes(shelf.page(memory))
    for words, title in (("Delete", "Delete this memory?"), ("Roll back to this", "Roll back to this revision?")):
        me.clicks(words)
        expect(me.page.get_by_role("dialog", name=title)).to_be_visible()
        assert me.page.evaluate("document.activeElement.closest('dialog') !== null")
        me.presses("Escape")
        expect(me.page.locator("dialog")).to_be_hidden()
        assert me.focus == words


@pytest.mark.parametrize(("button", "inside"), [("Theme", "#theme"), ("SU support", "#person"), ("Copy as", "#copy")])
def test_escape_closes_menus_and_gives_the_focus_back(button: str, inside: str, support: Reader, shelf: Shelf) -> None:
    me = support
    me.goes(shelf.page(shelf.add("I like tea.")))
    me.tabs_to(button)
    me.presses("Enter")
    me.page.locator(inside).wait_for()
    me.presses("Tab")
    assert me.page.evaluate(f"document.activeElement.closest('{inside}') !== null")
    me.presses("Escape")
    expect(me.page.locator(inside)).to_be_hidden()
    assert me.focus == button


def test_the_row_menu(support: Reader, shelf: Shelf) -> None:
    me = support
    first, second = shelf.add("one"), shelf.add("two")
    me.goes(shelf.url)
    buttons = me.page.locator("[data-menu]")
    buttons.nth(1).click()
    assert me.page.locator("#row-menu").get_by_role("link", name="Edit").get_attribute("href") == (
        f"{shelf.page(first)}/edit".removeprefix(shelf.site)
    )
    buttons.nth(1).click()  # the same button closes it
    expect(me.page.locator("#row-menu")).to_be_hidden()
    buttons.nth(0).click()
    me.clicks("View revisions")
    expect(me.page).to_have_url(f"{shelf.page(second)}#revisions")


def test_focus_is_always_seen(support: Reader, shelf: Shelf) -> None:
    """Whatever can be reached by Tab shows it."""
    me = support
    me.goes(shelf.page(shelf.add("I like tea.", "I like cocoa.")))
    seen = 0
    for _press in range(40):
        me.presses("Tab")
        unseen = me.page.evaluate(
            """() => {
              const at = document.activeElement;
              if (!at || at === document.body) return null;
              const style = getComputedStyle(at), box = at.getBoundingClientRect();
              const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
              return shown && box.width > 1 && box.height > 1 ? "" : at.outerHTML.slice(0, 200);
            }"""
        )
        if unseen is None:
            break
        assert unseen == ""
        seen += 1
    assert seen > 8


def test_more_rows_in_a_form(support: Reader, shelf: Shelf) -> None:
    me = support
    me.goes(shelf.url)
    me.clicks("Create the first one")
    me.clicks("Add a pair")
    assert me.page.locator("[name=scope_key]").count() == 3
    assert me.focus == "Scope key"
    me.fills("Fact", "I like tea.")
    for index, (key, value) in enumerate([("a", "1"), ("b", "2"), ("c", "3")]):
        me.page.locator("[name=scope_key]").nth(index).fill(key)
        me.page.locator("[name=scope_value]").nth(index).fill(value)
    me.clicks("Create memory")
    me.sees("Memory created.")
    assert "a: 1 b: 2 c: 3" in me.text or "a:1 b:2 c:3" in me.text


def test_enter_saves(support: Reader, shelf: Shelf) -> None:
    """And does not press the first button of the form, which adds a row."""
    me = support
    memory = shelf.add("I live in Rome.")
    me.goes(f"{shelf.page(memory)}/edit")
    me.fills("Display name", "Home", enter=True)
    me.sees("Saved: Display name.")


# D36
def test_two_tabs(support: Reader, shelf: Shelf) -> None:
    me = support
    memory = shelf.add("I live in Rome.")
    other = me.context.new_page()
    for tab in (me.page, other):
        tab.goto(f"{shelf.page(memory)}/edit")
    me.fills("Fact", "I live in Milan.")
    me.clicks("Save")
    me.sees("Saved: Fact.")
    other.get_by_label("Fact").fill("I live in Turin.")
    other.get_by_role("button", name="Save", exact=True).click()
    other.get_by_text("This memory was changed while you were editing").wait_for()
    assert other.get_by_label("Fact").input_value() == "I live in Turin."
    assert "I live in Milan." in other.locator(".conflict").inner_text()
    other.get_by_role("button", name="Save mine over theirs").click()
    other.get_by_text("Saved: Fact.").wait_for()
    assert shelf.bank.get_memory(memory).fact == "I live in Turin."


# D33: in a real browser, which changes line ends and times on its own.
def test_an_untouched_form_changes_nothing(reader: Callable[..., Reader], shelf: Shelf) -> None:
    me = reader(timezone_id="Europe/Rome")
    memory = shelf.add(
        "\n  I live in Rome.\r\nI like tea. \n",
        displayName=" two\nlines ",
        description="\n\nfirst lines are empty\n",
        topics=[{"customMemoryTopicLabel": " padded "}, {"customMemoryTopicLabel": "a|b"}],
        metadata={
            "text": {"stringValue": " two\nlines "},
            "n": {"doubleValue": 0.1},
            "yes": {"boolValue": False},
            "t": {"timestampValue": "2026-01-31T09:30:00.123456Z"},
        },
        expireTime="2999-10-27T01:30:00.123456Z",
    )
    before = shelf.bank.get_memory(memory)
    me.goes(f"{shelf.page(memory)}/edit")
    me.clicks("Save")
    me.sees("Nothing was changed.")
    assert shelf.bank.get_memory(memory) == before


# --- copying ----------------------------------------------------------------------------------------------------------


def test_copying(reader: Callable[..., Reader], shelf: Shelf) -> None:
    me = reader(permissions=["clipboard-read", "clipboard-write"])
    memory = shelf.add("I'm “Ann”, קפה 😀")
    name = f"{shelf.bank.name}/memories/{memory}"

    def clipboard() -> str:
        expect(me.page.locator("#announce")).to_have_text("✓")
        me.page.evaluate("document.getElementById('announce').textContent = ''")
        return str(me.page.evaluate("navigator.clipboard.readText()"))

    me.goes(shelf.url)
    me.page.locator("td.c-name button").click()
    assert clipboard() == name
    me.page.locator("[data-menu]").click()
    me.clicks("Copy as JSON")
    assert json.loads(clipboard())["fact"] == "I'm “Ann”, קפה 😀"
    expect(me.page.locator("#row-menu")).to_be_hidden()
    me.goes(shelf.page(memory))
    me.page.locator("dd").get_by_role("button", name="Copy the resource name").click()
    assert clipboard() == name
    for words, holds in (("curl", f"{shelf.site}/v1beta1/{name}"), ("Python", "memory_banks")):
        me.clicks("Copy as")
        me.clicks(words)
        assert holds in clipboard()


# --- theme and zone ---------------------------------------------------------------------------------------------------


def test_the_theme(reader: Callable[..., Reader], shelf: Shelf) -> None:
    me = reader(color_scheme="light")
    me.goes(f"{shelf.url}?size=20")

    def background() -> str:
        return str(me.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))

    light = background()
    me.clicks("Theme")
    me.clicks("Dark")
    me.page.wait_for_selector("html[data-theme=dark]")
    assert me.page.url == f"{shelf.url}?size=20"
    assert background() != light
    me.page.reload()
    assert me.page.locator("html").get_attribute("data-theme") == "dark"
    me.clicks("Theme")
    me.clicks("As the system")
    me.page.wait_for_selector("html:not([data-theme])")
    assert background() == light
    me.page.emulate_media(color_scheme="dark")
    assert background() != light


# D59
def test_times_are_of_the_readers_zone(reader: Callable[..., Reader], shelf: Shelf) -> None:
    me = reader(timezone_id="Asia/Jerusalem")
    shelf.add("I like tea.", expireTime="2999-07-25T02:00:00Z")
    me.goes(shelf.url)  # here the browser learns to say its zone
    me.page.reload()
    assert re.search(r"times in I[DS]T", me.text)
    cookies = {cookie["name"]: cookie["value"] for cookie in me.context.cookies()}
    assert cookies["timezone"] == "Asia/Jerusalem"
    me.fills(BOX, "expires:2999-07-25", enter=True)
    me.sees("25 Jul 2999 (IDT)")
    expect(me.page.locator("#count")).to_contain_text("1–1")


# --- hostile text -----------------------------------------------------------------------------------------------------

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "' onmouseover=alert(1) onfocus=alert(1) autofocus '",
    '" hx-get="/sign-out" hx-trigger="load" hx-on:click="alert(1)',
    "</textarea></template><svg onload=alert(1)>",
    "javascript:alert(1)",
]


# D56
def test_hostile_text_runs_nowhere(support: Reader, shelf: Shelf) -> None:
    me = support
    me.context.add_init_script("window.alert = () => { console.error('alert'); }")
    for text in HOSTILE:
        shelf.add(
            text,
            f"{text} changed",
            scope={text: text},
            displayName=text,
            description=text,
            topics=[{"customMemoryTopicLabel": text}],
            metadata={text: {"stringValue": text}},
            revisionLabels={"label": text},
        )
    me.goes(shelf.url)
    assert me.facts == [f"{text} changed" for text in reversed(HOSTILE)]
    for index in range(len(HOSTILE)):
        me.goes(shelf.url)
        me.page.locator("tr").nth(index + 1).locator("a.chip").click()  # changes the list in place
        expect(me.page.locator("#count")).to_contain_text("1–1")
        me.page.locator(".pill a").first.hover()
        me.page.locator("[data-menu]").click()
        me.clicks("Delete", within=me.page.locator("#row-menu"))
        me.dialog.wait_for()
        me.presses("Escape")
        me.page.locator("td.c-name a").click()
        me.sees("Revisions")
        address = me.page.url
        me.clicks("Roll back to this")
        me.dialog.wait_for()
        me.goes(f"{address}/edit")
        me.page.locator("[name=metadata_value]").first.focus()
        me.goes(address)
    for text in HOSTILE:
        me.goes(f"{shelf.url}?add={quote(text + ' created:' + text)}")
        me.goes(f"{shelf.url}?filter={quote(text)}")
    assert me.page.locator("img, iframe, [onerror], [onload], [onmouseover]").count() == 0
    assert me.goes(shelf.url) == 200  # and nobody was signed out


def test_an_injected_handler_would_be_reported(reader: Callable[..., Reader], shelf: Shelf) -> None:
    """That the tests above would see it: the policy stops an inline handler and says so."""
    me = reader()
    me.goes(shelf.url)
    me.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')")
    me.page.wait_for_timeout(300)
    assert any("CSP" in fault or "Content Security Policy" in fault for fault in me.faults)
    me.faults.clear()
