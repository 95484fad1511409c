"""The rows of the list are put together by hand: all that is not ours must come out as text."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from console import rows
from console.table import Table
from memories.wire.resources import Memory

NOW = datetime(2026, 7, 25, 12, 0, tzinfo=UTC)
BANK = "projects/p/locations/us-central1/reasoningEngines/1"
HOSTILE = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>&amp;<!-- ${x} {{ x }}"
OURS = {
    "tr": {"class"},
    "td": {"class"},
    "a": {"class", "dir", "hx-boost", "href", "data-menu", "title"},
    "div": {"class", "dir"},
    "span": {"class", "dir", "title"},
    "b": {"dir"},
    "time": {"datetime", "title"},
    "details": set(),
    "summary": set(),
    "svg": {"class", "aria-hidden"},
    "use": {"href"},
}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "use":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def link(key: str, value: str) -> str:
    return f"/list?q={key}:{value}"


def drawn(**fields: Any) -> tuple[str, Reader]:
    memory = Memory.receive({"name": f"{BANK}/memories/m-1", "fact": "I like tea.", "scope": {"user_id": "1"}} | fields)
    html = Table("/banks/us-central1/1/memories", link=link, now=NOW).draw([memory])
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    for tag, attributes in reader.tags:
        assert set(attributes) <= OURS[tag]
    return html, reader


def test_a_row_says_what_the_memory_holds() -> None:
    html, found = drawn(
        displayName="Tea",
        topics=[{"managedMemoryTopic": "USER_PREFERENCES"}, {"customMemoryTopicLabel": "a|b"}],
        createTime="2026-07-25T11:00:00Z",
        updateTime="2026-07-25T11:59:30Z",
        expireTime="2026-07-26T12:00:00Z",
    )
    for text in (
        "m-1",
        "I like tea.",
        "Tea",
        "User preferences",
        "a|b",
        "1 hour ago",
        "just now",
        "expires in 24 hours",
    ):
        assert text in found.text
    assert ", 25 Jul 2026, 11:00:00 UTC" in found.text  # for those who cannot hover
    assert ("time", {"datetime": "2026-07-25T11:00:00Z", "title": "25 Jul 2026, 11:00:00 UTC"}) in found.tags
    assert 'dir="auto">I like tea.<' in html


# D56
def test_hostile_text_is_text() -> None:
    html, found = drawn(
        fact=HOSTILE,
        scope={HOSTILE: HOSTILE},
        displayName=HOSTILE,
        topics=[{"customMemoryTopicLabel": HOSTILE}, {"managedMemoryTopic": HOSTILE}],
    )
    assert found.text.count(HOSTILE) == 6
    assert "<img" not in html
    assert "<script" not in html


def test_hostile_data_is_text() -> None:
    html, found = drawn(
        fact=None, structuredContent={"schemaId": HOSTILE, "data": {HOSTILE: HOSTILE, "list": [HOSTILE]}}
    )
    assert "<img" not in html
    assert found.text.count("<script>alert(2)</script>") == 4


@given(st.text(max_size=30), st.text(min_size=1, max_size=10), st.text(min_size=1, max_size=10))
def test_any_text_is_text(fact: str, key: str, value: str) -> None:
    _html, found = drawn(fact=fact, scope={key: value}, displayName=fact)
    assert rows.visible(key) in found.text
    assert rows.visible(value) in found.text


def test_an_id_and_an_address_are_escaped_too() -> None:
    memory = Memory.receive({"name": f'{BANK}/memories/"><b>', "fact": "x", "scope": {"a": "b"}})
    html = Table('/"><i>', link=lambda key, value: '"><u>', now=NOW).draw([memory])
    assert "><b>" not in html.replace("</span><b>", "")
    assert "<i>" not in html
    assert "<u>" not in html


# D10
def test_a_long_fact_has_a_mark_and_a_way_to_the_rest() -> None:
    html, found = drawn(fact="x" * 5000)
    assert "x" * rows.INLINE + "…" in found.text
    assert "x" * (rows.INLINE + 1) not in found.text
    assert "Read all 5,000 characters" in found.text
    assert 'class="text long"' in html
    html, found = drawn(fact="y" * 4000)
    assert "y" * 4000 in found.text
    assert ("summary", {}) in found.tags
    html, found = drawn(fact="short")
    assert ("summary", {}) not in found.tags
    assert "…" not in found.text


def test_missing_times_are_a_dash() -> None:
    html, _found = drawn()
    assert html.count("—") == 2


def test_nothing_of_ours_is_there_without_its_cause() -> None:
    _html, found = drawn()
    assert not [tag for tag, attributes in found.tags if attributes.get("class") in ("under", "badge", "badge soon")]


def test_each_row_of_many() -> None:
    memories = [
        Memory.receive({"name": f"{BANK}/memories/m-{n}", "fact": f"fact {n}", "scope": {"n": "1"}}) for n in range(3)
    ]
    html = Table("/x", link=link, now=NOW).draw(memories)
    assert html.count("<tr>") == html.count("</tr>") == 3
    assert [html.index(f">m-{n}<") for n in range(3)] == sorted(html.index(f">m-{n}<") for n in range(3))
    assert Table("/x", link=link, now=NOW).draw([]) == ""
