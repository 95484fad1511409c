"""The question to RetrieveMemories as typed: any of all-of, typed values, and every fault beside its field."""

import pytest
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from console.retrieval_form import RetrievalForm


def form(*rows: tuple[str, str, str, str, str], **fields: str | list[str]) -> RetrievalForm:
    data = QueryDict(mutable=True)
    for name, value in ({"q": "user_id:1"} | fields).items():
        data.setlist(name, value if isinstance(value, list) else [value])
    for row in rows:
        for name, value in zip(("join", "key", "op", "kind", "value"), row, strict=True):
            data.appendlist(f"m_{name}", value)
    return RetrievalForm(data, path="/retrieve")


def test_the_simplest() -> None:
    found = form()
    assert found.is_valid()
    assert found.request().wire() == {"scope": {"user_id": "1"}}


def test_with_a_query() -> None:
    found = form(query=" tea ")
    assert found.is_valid()
    assert found.request().wire()["similaritySearchParams"] == {"searchQuery": "tea", "topK": 3}
    found = form(query="tea", top="7", types=["STRUCTURED_PROFILE"], filter='fact:"x"')
    assert found.is_valid()
    assert found.request().wire() == {
        "scope": {"user_id": "1"},
        "similaritySearchParams": {"searchQuery": "tea", "topK": 7},
        "filter": 'fact:"x"',
        "memoryTypes": ["STRUCTURED_PROFILE"],
    }


def test_any_of_all_of() -> None:
    found = form(
        ("or", "kind", "eq", "string", "food"),
        ("and", "rank", "ge", "double", "2"),
        ("or", "known", "ne", "bool", "true"),
        ("and", "at", "gt", "timestamp", "2026-01-01T00:00:00Z"),
        ("and", "", "eq", "string", ""),
    )
    assert found.is_valid()
    assert found.request().wire()["filterGroups"] == [
        {
            "filters": [
                {"key": "kind", "op": "EQUAL", "value": {"stringValue": "food"}},
                {"key": "rank", "op": "LESS_THAN", "value": {"doubleValue": 2.0}, "negate": True},
            ]
        },
        {
            "filters": [
                {"key": "known", "op": "EQUAL", "value": {"boolValue": True}, "negate": True},
                {"key": "at", "op": "GREATER_THAN", "value": {"timestampValue": "2026-01-01T00:00:00Z"}},
            ]
        },
    ]
    assert [row["key"] for row in found.rows] == ["kind", "rank", "known", "at", ""]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("and", "", "eq", "string", "x"), "Give this value a key"),
        (("and", "n", "eq", "double", "many"), "is not a number"),
        (("and", "n", "eq", "bool", "maybe"), "true or false"),
        (("and", "n", "eq", "timestamp", "soon"), "is not a time"),
    ],
)
def test_a_condition_that_cannot_be_used(row: tuple[str, str, str, str, str], words: str) -> None:
    found = form(row)
    assert not found.is_valid()
    assert words in found.conditions[0]["error"]
    assert found.rows[0]["value"] == row[4]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("q", "tea"),
        ("q", "user_id:"),
        ("top", "0"),
        ("top", "101"),
        ("top", "x"),
        ("filter", "foo=1"),
        ("filter", "("),
        ("types", "X"),
    ],
)
def test_faults_stand_beside_their_field(field: str, value: str) -> None:
    found = form(**{field: value})
    assert not found.is_valid()
    assert list(found.errors) == [field]


def test_odd_parameters_are_no_fault() -> None:
    found = RetrievalForm(QueryDict("q=user_id:1&m_key=a&m_join=xor&m_op=like&m_kind=blob&m_value=1"), path="/r")
    assert found.is_valid()
    assert found.request().wire()["filterGroups"] == [
        {"filters": [{"key": "a", "op": "EQUAL", "value": {"stringValue": "1"}}]}
    ]
    assert RetrievalForm(QueryDict("q=user_id:1&m_key=a"), path="/r").is_valid()
    assert isinstance(found.data, MultiValueDict)


def test_one_row_more_without_javascript() -> None:
    assert len(form(more="1").rows) == 2
