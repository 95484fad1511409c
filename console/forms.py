"""Text in, a memory or messages out. A form keeps what was typed, whatever becomes of it."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console import rows
from memories.wire import filters, scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import Memory, MemoryMetadataValue, MemoryTopicId, StructuredContent
from memories.wire.times import Timestamp

FIELDS = ("fact", "display_name", "description", "topics", "metadata", "expire_time", "structured_content")
"""What can be edited, by the API's names."""

TITLES = {
    "fact": gettext_lazy("Fact"),
    "display_name": gettext_lazy("Display name"),
    "description": gettext_lazy("Description"),
    "topics": gettext_lazy("Topics"),
    "metadata": gettext_lazy("Metadata"),
    "expire_time": gettext_lazy("Expiry"),
    "structured_content": gettext_lazy("Structured data"),
}
KINDS = {
    "string": gettext_lazy("text"),
    "double": gettext_lazy("number"),
    "bool": gettext_lazy("yes or no"),
    "timestamp": gettext_lazy("time"),
}
MAX_FACT = 65536  # bytes of UTF-8
BLANK_ROWS = 1


class Pair(TypedDict):
    """A row of metadata or of a scope, as typed."""

    key: str
    kind: str
    value: str
    error: str


class MemoryForm(forms.Form):
    """Everything of a memory but its scope. `structured` forms edit the data of a structured memory, not a fact."""

    fact = forms.CharField(
        label=gettext_lazy("Fact"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto", "autofocus": True}),
        error_messages={"required": gettext_lazy("A fact cannot be blank. Write what is to be remembered.")},
    )
    structured_data = forms.CharField(
        label=gettext_lazy("Structured data"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "code", "dir": "ltr", "spellcheck": "false"}),
        help_text=gettext_lazy("A JSON object, by the schema's field names."),
    )
    display_name = forms.CharField(label=gettext_lazy("Display name"), required=False, strip=False, max_length=128)
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        strip=False,
        max_length=4096,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    topics = forms.MultipleChoiceField(
        label=gettext_lazy("Managed topics"),
        required=False,
        choices=list(rows.TOPICS.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    labels = forms.CharField(
        label=gettext_lazy("Custom topics"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
        help_text=gettext_lazy("One label a line."),
    )
    expires = forms.CharField(
        label=gettext_lazy("Expires"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=500,
        help_text=gettext_lazy(
            "Optional. Kept in the audit trail beside your name, such as a ticket number. No personal data."
        ),
    )

    def __init__(
        self, data: QueryDict | None = None, *, memory: Memory | None = None, structured: bool = False
    ) -> None:
        self.structured = structured
        self.blank_rows = BLANK_ROWS
        self.memory = memory or Memory()
        super().__init__(data, initial=_initial(self.memory))
        self.use_required_attribute = False
        del self.fields["fact" if structured else "structured_data"]
        kept = _metadata_pairs(self.memory)
        self.pairs = kept if data is None else _as_before(_typed_pairs(data, "metadata"), kept)

    @property
    def pair_rows(self) -> list[Pair]:
        return [*self.pairs, *(_blank() for _ in range(self.blank_rows))]

    kinds = tuple(KINDS.items())

    def grow(self) -> None:
        """One more row, as asked without JavaScript: what was typed is shown again and not judged yet."""
        self.blank_rows = BLANK_ROWS + 1
        self._errors = ErrorDict()
        self.cleaned_data = {}

    def clean_fact(self) -> str:
        fact = _lines(self.cleaned_data["fact"], self.memory.fact)
        _check_text(fact)
        size = len(fact.encode())
        if size > MAX_FACT:
            raise forms.ValidationError(
                _("The fact has %(size)d bytes; at most %(most)d fit. Shorten it.") % {"size": size, "most": MAX_FACT}
            )
        return fact

    def clean_structured_data(self) -> Mapping[str, Any]:
        try:
            value = json.loads(self.cleaned_data["structured_data"], parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(_("This is not JSON: %(error)s.") % {"error": error}) from None
        if not isinstance(value, dict):
            raise forms.ValidationError(_('Expected a JSON object, such as {"language": "Italian"}.'))
        return value

    def clean_display_name(self) -> str:
        typed, old = str(self.cleaned_data["display_name"]), self.memory.display_name
        return old if old is not None and typed == _boxed(old) else typed

    def clean_labels(self) -> list[str]:
        kept = _labels(self.memory)
        if _lines(self.cleaned_data["labels"], "\n".join(kept)) == "\n".join(kept):
            return kept  # untouched: spaces and signs that a line would lose stay
        return list(dict.fromkeys(line.strip() for line in self.cleaned_data["labels"].splitlines() if line.strip()))

    def clean_expires(self) -> Timestamp | None:
        text = self.cleaned_data["expires"].strip()
        if not text:
            return None
        kept = self.memory.expire_time
        if kept is not None and _short(text) == _short(_local(kept)):
            return kept  # untouched: the fraction, and which of two equal hours, stay; the box shows neither
        return _time(text)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self.metadata_values = _metadata_values(self.pairs)
        if any(pair["error"] for pair in self.pairs):
            self.add_error(None, _("One of the metadata rows cannot be saved; see below."))
        return cleaned

    def result(self) -> Memory:
        """The memory as typed; only the editable fields are set."""
        cleaned = self.cleaned_data
        managed = [MemoryTopicId(managed_memory_topic=name) for name in cleaned["topics"]]
        custom = [MemoryTopicId(custom_memory_topic_label=label) for label in cleaned["labels"]]
        # A bank may know topics that this form has no box for.
        custom += [found for found in self.memory.topics or () if (found.managed_memory_topic or "") not in _OFFERED]
        content = self.memory.structured_content
        return Memory(
            fact=cleaned.get("fact"),
            display_name=cleaned["display_name"] or None,
            description=_lines(cleaned["description"], self.memory.description) or None,
            topics=_in_old_order([*managed, *custom], self.memory.topics or []) or None,
            metadata=self.metadata_values or None,
            expire_time=cleaned["expires"],
            structured_content=StructuredContent(schema_id=content.schema_id, data=cleaned["structured_data"])
            if self.structured and content
            else None,
        )

    def refuse(self, error: InvalidArgument) -> None:
        """Puts the bank's refusal beside the field it names."""
        for path, text in error.violations or [("", error.message)]:
            name = path.removeprefix("memory.").split(".")[0].split("[")[0]
            field = {
                "structuredContent": "structured_data",
                "displayName": "display_name",
                "expireTime": "expires",
            }.get(name, name)
            self.add_error(field if field in self.fields else None, text if field in self.fields else f"{path}: {text}")


class CreateForm(MemoryForm):
    memory_id = forms.RegexField(
        r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
        label=gettext_lazy("Memory id"),
        required=False,
        widget=forms.TextInput(attrs={"class": "code", "dir": "ltr", "spellcheck": "false", "autocomplete": "off"}),
        help_text=gettext_lazy("Left empty, the bank chooses one."),
        error_messages={
            "invalid": gettext_lazy("Use 1 to 63 of a-z, 0-9 and “-”, a letter first, a letter or digit last.")
        },
    )

    def __init__(self, data: QueryDict | None = None, *, scope: Mapping[str, str] | None = None) -> None:
        super().__init__(data)
        self.scope_pairs = (
            _typed_pairs(data, "scope")
            if data is not None
            else [Pair(key=key, kind="", value=value, error="") for key, value in (scope or {}).items()]
        )
        self.scope_error = ""

    @property
    def scope_rows(self) -> list[Pair]:
        blank = max(self.blank_rows, 2 - len(self.scope_pairs))
        rows_ = [*self.scope_pairs, *(_blank() for _ in range(blank))]
        return rows_[: max(scopes.MAX_PAIRS, len(self.scope_pairs))]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        keys = [pair["key"] for pair in self.scope_pairs]
        for pair in self.scope_pairs:
            if keys.count(pair["key"]) > 1:
                pair["error"] = _("This key is there twice; a scope holds each key once.")
        try:
            self.scope = scopes.validate({pair["key"]: pair["value"] for pair in self.scope_pairs})
        except InvalidArgument as error:
            self.scope_error = error.violations[0][1]
        if self.scope_error or any(pair["error"] for pair in self.scope_pairs):
            self.add_error(None, _("The scope cannot be used; see below."))
        return cleaned

    def result(self) -> Memory:
        return super().result().model_copy(update={"scope": self.scope})


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=500,
        help_text=gettext_lazy(
            "Optional. Kept in the audit trail beside your name, such as a ticket number. No personal data."
        ),
    )
    if_match = forms.CharField(required=False, widget=forms.HiddenInput)


_OFFERED = {"", *rows.TOPICS}


def changed(before: Memory, after: Memory) -> list[str]:
    """The editable fields in which two memories differ; unset and empty are the same."""
    return [name for name in FIELDS if (getattr(before, name) or None) != (getattr(after, name) or None)]


def editable(memory: Memory) -> Memory:
    """The editable fields alone, and the time that tells whether it changed."""
    return memory.model_copy(
        update={name: None for name in type(memory).model_fields if name not in (*FIELDS, "update_time", "scope")}
    )


def _initial(memory: Memory) -> dict[str, Any]:
    content = memory.structured_content
    return {
        "fact": memory.fact or "",
        "structured_data": json.dumps(content.data, ensure_ascii=False, indent=2) if content else "",
        "display_name": memory.display_name or "",
        "description": memory.description or "",
        "topics": [found.managed_memory_topic for found in memory.topics or () if found.managed_memory_topic],
        "labels": "\n".join(_labels(memory)),
        "expires": _local(memory.expire_time) if memory.expire_time else "",
    }


def _labels(memory: Memory) -> list[str]:
    return [found.custom_memory_topic_label for found in memory.topics or () if found.custom_memory_topic_label]


def _local(stamp: Timestamp) -> str:
    """The time in the current zone as an `<input type=datetime-local>` takes it."""
    return timezone.localtime(stamp.datetime).strftime("%Y-%m-%dT%H:%M:%S")


def _short(local: str) -> str:
    """The time as browsers send it: without seconds that are zero."""
    return local[:16] if local[16:] == ":00" else local


def _time(text: str) -> Timestamp:
    """A time as typed, in the current zone where it names none."""
    try:
        if text[-1:] in "Zz" or "+" in text[10:] or "-" in text[10:]:
            return Timestamp.parse(text)
        moment = datetime.fromisoformat(text)
        return Timestamp.of(timezone.make_aware(moment).astimezone(UTC))
    except (ValueError, OverflowError):
        raise forms.ValidationError(
            _("“%(text)s” is not a time that exists; write 2026-01-31T09:30.") % {"text": text[:40]}
        ) from None


def _lines(typed: str, old: str | None) -> str:
    """Browsers send line breaks as CR LF; a text that differs in nothing else is left as it was."""
    plain = typed.replace("\r\n", "\n")
    return old if old is not None and plain == old.replace("\r\n", "\n").replace("\r", "\n") else plain


def _boxed(text: str) -> str:
    """The text as a box of one line sends it: without line ends."""
    return text.replace("\r", "").replace("\n", "")


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _check_text(text: str) -> None:
    if not any(sign.isprintable() and not sign.isspace() for sign in filters.fold(text)):
        raise forms.ValidationError(MemoryForm.base_fields["fact"].error_messages["required"])


def _in_old_order(topics: list[MemoryTopicId], old: Iterable[MemoryTopicId]) -> list[MemoryTopicId]:
    """Topics that stay keep their place, so that an untouched list is the same list."""
    kept = [found for found in old if found in topics]
    return kept + [found for found in topics if found not in kept]


# --- rows of key and value --------------------------------------------------------------------------------------------


def _blank() -> Pair:
    return Pair(key="", kind="string", value="", error="")


def _typed_pairs(data: QueryDict, prefix: str) -> list[Pair]:
    keys, values = data.getlist(f"{prefix}_key"), data.getlist(f"{prefix}_value")
    kinds = data.getlist(f"{prefix}_kind") or ["string"] * len(keys)
    return [
        Pair(key=key, kind=kind if kind in KINDS else "string", value=value, error="")
        for key, kind, value in zip(keys, kinds, values, strict=False)
        if key or value
    ]


def _metadata_pairs(memory: Memory) -> list[Pair]:
    found = []
    for key, value in sorted((memory.metadata or {}).items()):
        kind, text = rows.metadata_value(value)
        found.append(Pair(key=key, kind=kind, value=text, error=""))
    return found


def _as_before(pairs: list[Pair], kept: list[Pair]) -> list[Pair]:
    """The rows as typed; one that differs from its old self in nothing but the line ends its box dropped is that."""
    left = list(kept)

    def before(pair: Pair) -> Pair:
        for old in left:
            if pair == {**old, "key": _boxed(old["key"]), "value": _boxed(old["value"])}:
                left.remove(old)
                return old
        return pair

    return [before(pair) for pair in pairs]


def _metadata_values(pairs: list[Pair]) -> dict[str, MemoryMetadataValue]:
    """The values; a row that is none gets its `error`."""
    values: dict[str, MemoryMetadataValue] = {}
    for pair in pairs:
        if not pair["key"]:
            pair["error"] = _("Give this value a key, or empty the row.")
        elif pair["key"] in values:
            pair["error"] = _("This key is there twice; each key may stand once.")
        else:
            try:
                values[pair["key"]] = typed_value(pair["kind"], pair["value"])
            except forms.ValidationError as error:
                pair["error"] = " ".join(error.messages)
    return values


def typed_value(kind: str, text: str) -> MemoryMetadataValue:
    """A value of metadata as typed; `kind` is one of `KINDS`. ValidationError where it is none."""
    match kind:
        case "double":
            try:
                return MemoryMetadataValue(double_value=float(text.strip()))
            except ValueError:
                message = _("“%(text)s” is not a number; write it as 0.9 or 42.") % {"text": text[:40]}
                raise forms.ValidationError(message) from None
        case "bool":
            if text.strip().lower() not in ("true", "false"):
                raise forms.ValidationError(_("Write true or false."))
            return MemoryMetadataValue(bool_value=text.strip().lower() == "true")
        case "timestamp":
            return MemoryMetadataValue(timestamp_value=_time(text.strip()))
        case _:
            return MemoryMetadataValue(string_value=text)
