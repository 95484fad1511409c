"""The question to RetrieveMemories as it is typed. All of it is in the URL."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.forms import KINDS, typed_value
from console.scope_bar import ScopeBar
from memories.wire import filters, metadata
from memories.wire.errors import InvalidArgument
from memories.wire.resources import (
    MemoryConjunctionFilter,
    MemoryFilter,
    RetrieveMemoriesRequest,
    SimilaritySearchParams,
)

DEFAULT_TOP, MAX_TOP = 3, 100
TYPES = {
    "NATURAL_LANGUAGE_COLLECTION": gettext_lazy("natural language"),
    "STRUCTURED_PROFILE": gettext_lazy("structured"),
}
OPERATORS = {
    "eq": ("EQUAL", False, gettext_lazy("is")),
    "ne": ("EQUAL", True, gettext_lazy("is not, or is missing")),
    "gt": ("GREATER_THAN", False, gettext_lazy("is more than")),
    "le": ("GREATER_THAN", True, gettext_lazy("is at most, or is missing")),
    "lt": ("LESS_THAN", False, gettext_lazy("is less than")),
    "ge": ("LESS_THAN", True, gettext_lazy("is at least, or is missing")),
}
"""By the name in the URL: the operator of the API, whether it is negated, and the words."""
JOINS = {"and": gettext_lazy("and"), "or": gettext_lazy("or")}
MAX_ROWS = 20


class Condition(TypedDict):
    join: str
    key: str
    op: str
    kind: str
    value: str
    error: str


class RetrievalForm(forms.Form):
    q = forms.CharField(
        label=gettext_lazy("Scope"),
        required=False,
        strip=False,
        max_length=2000,
        widget=forms.TextInput(
            attrs={"dir": "ltr", "class": "code", "spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"}
        ),
        help_text=gettext_lazy("Every pair of it, such as user_id:123 app_name:shop. It must match exactly."),
    )
    query = forms.CharField(
        label=gettext_lazy("Query"),
        required=False,
        max_length=4000,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
        help_text=gettext_lazy("What the agent looks for. Empty: the newest, without similarity search."),
    )
    top = forms.IntegerField(
        label=gettext_lazy("Top k"),
        required=False,
        min_value=1,
        max_value=MAX_TOP,
        help_text=gettext_lazy("With a query: how many it takes, 3 by default."),
    )
    filter = forms.CharField(
        label=gettext_lazy("System filter"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(attrs={"dir": "ltr", "class": "code", "spellcheck": "false", "autocomplete": "off"}),
        help_text=gettext_lazy('An expression, such as update_time>="2026-01-01T00:00:00Z".'),
    )
    types = forms.MultipleChoiceField(
        label=gettext_lazy("Memory types"),
        required=False,
        choices=list(TYPES.items()),
        widget=forms.CheckboxSelectMultiple,
    )

    kinds = tuple(KINDS.items())
    operators = tuple((name, words) for name, (_op, _negate, words) in OPERATORS.items())
    joins = tuple(JOINS.items())

    def __init__(self, data: QueryDict, *, path: str) -> None:
        self.bar = ScopeBar.read(path, data)
        self.conditions = _typed(data)
        self.blank_rows = 2 if "more" in data else 1
        self.groups: list[MemoryConjunctionFilter] = []
        given = data.copy()
        given["q"] = self.bar.text
        given.setdefault("top", str(DEFAULT_TOP))
        if not given.getlist("types"):
            given.setlist("types", ["NATURAL_LANGUAGE_COLLECTION"])
        super().__init__(given)
        self.use_required_attribute = False

    @property
    def rows(self) -> list[Condition]:
        blank = min(self.blank_rows, MAX_ROWS - len(self.conditions))
        return [
            *self.conditions,
            *(Condition(join="and", key="", op="eq", kind="string", value="", error="") for _ in range(blank)),
        ]

    def clean_filter(self) -> str:
        text: str = self.cleaned_data["filter"].strip()
        if text:
            try:
                filters.check(filters.parse(text))
            except filters.FilterError as error:
                raise forms.ValidationError(
                    _("Column %(column)d: %(expected)s") % {"column": error.column, "expected": error.expected}
                ) from None
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for text, message in self.bar.faults:
            self.add_error("q", f"{text} — {message}" if text else message)
        self.groups = _groups(self.conditions)
        if any(row["error"] for row in self.conditions):
            self.add_error(None, _("One of the conditions cannot be used; see below."))
        try:
            metadata.check(self.groups)
        except InvalidArgument as error:
            self.add_error(None, error.message)
        return cleaned

    @property
    def narrowed(self) -> bool:
        """Whether there is more than the scope, the query and plain facts."""
        return bool(self.cleaned_data["filter"] or self.groups) or len(self.cleaned_data["types"]) != len(TYPES)

    def request(self) -> RetrieveMemoriesRequest:
        """The question as an agent asks it."""
        cleaned = self.cleaned_data
        types = cleaned["types"]
        return RetrieveMemoriesRequest(
            scope=self.bar.scope,
            similarity_search_params=SimilaritySearchParams(search_query=cleaned["query"], top_k=self.most)
            if cleaned["query"]
            else None,
            filter=cleaned["filter"] or None,
            filter_groups=self.groups or None,
            memory_types=None if types == ["NATURAL_LANGUAGE_COLLECTION"] else types,
        )

    @property
    def most(self) -> int:
        return int(self.cleaned_data["top"] or DEFAULT_TOP)


def _typed(data: QueryDict) -> list[Condition]:
    """The rows as typed; an empty one is none."""
    columns = [data.getlist(f"m_{name}") for name in ("join", "key", "op", "kind", "value")]
    return [
        Condition(
            join=join if join in JOINS else "and",
            key=key,
            op=op if op in OPERATORS else "eq",
            kind=kind if kind in KINDS else "string",
            value=value,
            error="",
        )
        for join, key, op, kind, value in list(zip(*columns, strict=False))[:MAX_ROWS]
        if key or value
    ]


def _groups(conditions: Sequence[Condition]) -> list[MemoryConjunctionFilter]:
    """Any of all-of: each `or` begins a group. A row that cannot be used gets its `error`."""
    groups: list[list[MemoryFilter]] = []
    for row in conditions:
        if not row["key"]:
            row["error"] = _("Give this value a key, or empty the row.")
            continue
        try:
            value = typed_value(row["kind"], row["value"])
        except forms.ValidationError as error:
            row["error"] = " ".join(error.messages)
            continue
        op, negate, _words = OPERATORS[row["op"]]
        if row["join"] == "or" or not groups:
            groups.append([])
        groups[-1].append(MemoryFilter(key=row["key"], op=op, value=value, negate=negate or None))
    return [MemoryConjunctionFilter(filters=group) for group in groups]
