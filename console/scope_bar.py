"""A complete scope as it is typed: pairs such as `user_id:123`, and nothing else."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from console import query, rows
from memories.wire import scopes
from memories.wire.errors import InvalidArgument


@dataclass(frozen=True)
class ScopeBar:
    path: str
    pairs: query.Query
    faults: tuple[tuple[str, str], ...] = ()
    """(text of a token that cannot be used, what to do); the text is empty for the scope as a whole."""
    typed: str = ""
    """What stands in the box: faulty tokens, or one taken back for editing."""

    @classmethod
    def read(cls, path: str, data: QueryDict) -> "ScopeBar":
        tokens: list[query.Token] = []
        faults: list[tuple[str, str]] = []
        for text in (data.get("q", ""), data.get("add", "")):
            found, wrong = query.parse(text)
            faults += [(text[fault.start : fault.end], fault.message) for fault in wrong]
            for token in found.tokens:
                if token.kind == "scope":
                    tokens.append(token)
                else:
                    faults.append((token.text, _("This is no pair of a scope; write key:value, such as user_id:123.")))
        tokens, typed = list(dict.fromkeys(tokens)), " ".join(text for text, _message in faults)
        keys = [token.key for token in tokens]
        for token in tokens:
            if keys.count(token.key) > 1:
                faults.append((token.text, _("This key is there twice; a scope holds each key once.")))
        bar = cls(path, query.Query(tuple(tokens)), tuple(faults), typed or data.get("edit", ""))
        return bar if bar.faults or not tokens else bar._checked()

    def _checked(self) -> "ScopeBar":
        try:
            scopes.validate(self.scope)
        except InvalidArgument as error:
            return ScopeBar(self.path, self.pairs, (("", error.violations[0][1]),), self.typed)
        return self

    @property
    def scope(self) -> dict[str, str]:
        return self.pairs.scope

    @property
    def complete(self) -> bool:
        """Whether there is a scope to ask with."""
        return bool(self.pairs.tokens) and not self.faults

    @property
    def text(self) -> str:
        """All that was typed, as one line."""
        return " ".join(part for part in (self.pairs.text, self.typed) if part)

    def url(self, pairs: query.Query | None = None, **extra: str) -> str:
        pairs = self.pairs if pairs is None else pairs
        parts = ({"q": pairs.text} if pairs.tokens else {}) | extra
        return f"{self.path}?{urlencode(parts)}" if parts else self.path

    def pills(self) -> list[dict[str, str]]:
        return [
            {
                "key": rows.visible(token.key),
                "op": ":",
                "shown": rows.visible(token.value),
                "text": rows.visible(token.text),
                "remove": self.url(self.pairs.without(index)),
                "edit": self.url(self.pairs.without(index), edit=token.text),
            }
            for index, token in enumerate(self.pairs.tokens)
        ]
