"""The rows of the list, drawn here and not by the template engine, which takes several times as long for them
(benchmarks/list_page.py). Every value that is not ours goes through `escape`; nothing else may be put into a row.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape

from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from console import rows
from console.templatetags.ui import icon
from memories.wire.resources import Memory, StructuredContent
from memories.wire.times import Timestamp


class Table:
    """`url` is the address of the bank's memories. A page repeats scopes and times, so each is drawn once."""

    def __init__(self, url: str, *, link: rows.Link, now: datetime) -> None:
        self.url, self.link, self.now = url, link, now
        self._scopes: dict[tuple[tuple[str, str], ...], str] = {}
        self._times: dict[Timestamp | None, str] = {}
        self._topics = {name: escape(str(title)) for name, title in rows.TOPICS.items()}

    def draw(self, memories: Iterable[Memory]) -> SafeString:
        return SafeString("".join(map(self._row, memories)))

    @cached_property
    def _words(self) -> dict[str, str]:
        words = {"created": _("Created"), "updated": _("Updated"), "menu": _("Actions"), "more": _("Show all")}
        return {key: escape(text) for key, text in words.items()} | {"icon": icon("more")}

    def _row(self, memory: Memory) -> str:
        memory_id = escape((memory.name or "").rpartition("/")[2])
        url = f"{escape(self.url)}/{memory_id}"
        fact, content, words = memory.fact or "", memory.structured_content, self._words
        shown = fact if len(fact) <= rows.INLINE else f"{fact[: rows.INLINE]}…"
        return (
            f'<tr><td class="c-scope">{self._scope(memory.scope or {})}</td>'
            f'<td class="c-name"><a class="code clip" dir="ltr" hx-boost="false" href="{url}">{memory_id}</a></td>'
            f'<td class="c-fact">{_data(content) if content else _fact(shown)}{self._under(memory, url, shown)}</td>'
            f'<td class="c-time"><span class="label">{words["created"]} </span>{self._time(memory.create_time)}</td>'
            f'<td class="c-time"><span class="label">{words["updated"]} </span>{self._time(memory.update_time)}</td>'
            f'<td class="c-menu"><a class="plain" hx-boost="false" href="{url}" data-menu title="{words["menu"]}">'
            f'{words["icon"]}<span class="vh">{words["menu"]} {memory_id}</span></a></td></tr>\n'
        )

    def _scope(self, scope: Mapping[str, str]) -> str:
        key = tuple(scope.items())
        found = self._scopes.get(key)
        if found is None:
            found = self._scopes[key] = " ".join(self._chip(*pair) for pair in sorted(key))
        return found

    def _chip(self, key: str, value: str) -> str:
        href = self.link(key, value)
        pair = f"<span>{escape(rows.visible(key))}:</span><b>{escape(rows.visible(value))}</b>"
        if not href:
            return f'<span class="chip on" dir="ltr">{pair}</span>'
        return f'<a class="chip" dir="ltr" href="{escape(href)}">{pair}</a>'

    def _time(self, stamp: Timestamp | None) -> str:
        found = self._times.get(stamp)
        if found is None:
            found = self._times[stamp] = _moment(rows.time(stamp, self.now))
        return found

    def _under(self, memory: Memory, url: str, shown: str) -> str:
        """What stands under the fact: display name, topics, expiry, and the way to the rest of a long fact."""
        parts = [f'<b dir="auto">{escape(memory.display_name)}</b>'] if memory.display_name else []
        for topic in memory.topics or ():
            title = self._topics.get(topic.managed_memory_topic or "") or escape(topic.label)
            parts.append(f'<span dir="auto">{title}</span>')
        expires = rows.badge(memory.expire_time, self.now)
        if expires:
            kind = "badge soon" if expires["soon"] else "badge"
            parts.append(f'<span class="{kind}" title="{escape(expires["exact"])}">{escape(expires["text"])}</span>')
        if memory.fact and len(memory.fact) > rows.INLINE:
            words = _("Read all %(n)s characters") % {"n": f"{len(memory.fact):,}"}
            parts.append(f'<a hx-boost="false" href="{url}">{escape(words)}</a>')
        elif rows.is_long(shown):
            parts.append(f"<details><summary>{self._words['more']}</summary></details>")
        return f'<div class="under">{"".join(parts)}</div>' if parts else ""


def _moment(found: rows.Time | None) -> str:
    """In words; exact on hover and for screen readers."""
    if found is None:
        return "—"
    exact = escape(found["exact"])
    text = f'{escape(found["text"])}<span class="vh">, {exact}</span>'
    return f'<time datetime="{escape(found["iso"])}" title="{exact}">{text}</time>'


def _fact(shown: str) -> str:
    return f'<div class="{"text long" if rows.is_long(shown) else "text"}" dir="auto">{escape(shown)}</div>'


def _data(content: StructuredContent) -> str:
    values = "".join(f" · {escape(name)}: <b>{escape(value)}</b>" for name, value in rows.fields(content.data))
    schema = f'<span class="code quiet" dir="ltr">{escape(content.schema_id)}</span>'
    return f'<div class="text" dir="auto">{schema}{values}</div>'
