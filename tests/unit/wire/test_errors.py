"""One exception for each canonical status, to Google's error JSON and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.wire import errors
from memories.wire.errors import (
    BY_CODE,
    BY_STATUS,
    ApiError,
    DeadlineExceeded,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
    Unavailable,
    Unknown,
    from_http,
    from_rpc_status,
)

# google.rpc.Code and the HTTP statuses of Google's APIs.
CODES = {
    "CANCELLED": (1, 499),
    "UNKNOWN": (2, 500),
    "INVALID_ARGUMENT": (3, 400),
    "DEADLINE_EXCEEDED": (4, 504),
    "NOT_FOUND": (5, 404),
    "ALREADY_EXISTS": (6, 409),
    "PERMISSION_DENIED": (7, 403),
    "RESOURCE_EXHAUSTED": (8, 429),
    "FAILED_PRECONDITION": (9, 400),
    "ABORTED": (10, 409),
    "OUT_OF_RANGE": (11, 400),
    "UNIMPLEMENTED": (12, 501),
    "INTERNAL": (13, 500),
    "UNAVAILABLE": (14, 503),
    "DATA_LOSS": (15, 500),
    "UNAUTHENTICATED": (16, 401),
}
kinds = st.sampled_from(list(BY_STATUS.values()))
details = st.lists(st.fixed_dictionaries({"@type": st.text(), "reason": st.text()}), max_size=2)


def test_every_canonical_status_has_its_code_and_http_status() -> None:
    assert {kind.status: (kind.code, kind.http) for kind in BY_STATUS.values()} == CODES
    assert {code: kind.status for code, kind in BY_CODE.items()} == {code: name for name, (code, _) in CODES.items()}


@given(kinds, st.text(min_size=1), details, st.booleans())
def test_an_error_survives_the_wire(
    kind: type[ApiError], message: str, details: list[dict[str, Any]], in_array: bool
) -> None:
    sent = kind(message, details=details)
    envelope: object = [sent.envelope()] if in_array else sent.envelope()
    got = from_http(sent.http_status, json.dumps(envelope).encode())
    assert type(got) is kind
    assert (got.message, got.details, got.http_status) == (message, details, kind.http)
    assert str(got) == message


@given(kinds, st.text(min_size=1), details)
def test_an_error_survives_an_operation(kind: type[ApiError], message: str, details: list[dict[str, Any]]) -> None:
    got = from_rpc_status(kind(message, details=details).rpc_status())
    assert type(got) is kind
    assert (got.message, got.details) == (message, details)


@given(
    st.integers(300, 599),
    st.binary(max_size=40)
    | st.sampled_from([b"[]", b"[1]", b"null", b'"x"', b'{"error":1}', b'{"error":{"details":{}}}', b"[" * 9_000]),
)
def test_any_answer_becomes_an_error(http: int, body: bytes) -> None:
    error = from_http(http, body)
    assert isinstance(error, ApiError)
    assert error.message
    assert error.http_status == http


@pytest.mark.parametrize(
    ("http", "kind"),
    [
        (400, InvalidArgument),
        (401, Unauthenticated),
        (403, PermissionDenied),
        (404, NotFound),
        (408, DeadlineExceeded),
        (409, errors.AlreadyExists),
        (418, InvalidArgument),
        (429, ResourceExhausted),
        (499, errors.Cancelled),
        (500, Internal),
        (501, errors.Unimplemented),
        (502, Unavailable),
        (503, Unavailable),
        (504, DeadlineExceeded),
        (599, Unavailable),
        (302, Unknown),
    ],
)
def test_without_a_status_in_the_body_http_decides(http: int, kind: type[ApiError]) -> None:
    assert type(from_http(http, b"")) is kind
    assert type(from_http(http, b"<html>Bad gateway</html>")) is kind


def test_a_status_in_the_body_goes_before_that_of_http() -> None:
    assert type(from_http(400, b'{"error":{"status":"FAILED_PRECONDITION"}}')) is errors.FailedPrecondition
    assert type(from_http(409, b'{"error":{"status":"ABORTED"}}')) is errors.Aborted
    assert type(from_http(404, b'{"error":{"status":"NEWER_THAN_US"}}')) is NotFound


def test_a_body_that_is_not_json_is_kept_as_short_text() -> None:
    error = from_http(502, b"<html>\n  <h1>Bad   gateway</h1>\xff" + b"x" * 1000, retry_after=2.5)
    assert error.message.startswith("<html> <h1>Bad gateway</h1>\N{REPLACEMENT CHARACTER}xx")
    assert len(error.message) == 500
    assert error.retry_after == 2.5
    assert from_http(503, b"").message == "The server answered HTTP 503 with an empty body."
    assert from_http(404, b'{"error":{"code":404}}').message == "HTTP 404"


def test_an_unknown_code_of_an_operation_is_unknown() -> None:
    assert type(from_rpc_status({"code": 99, "message": "?"})) is Unknown
    assert type(from_rpc_status({})) is Unknown
    assert from_rpc_status({"code": 5}).message == "NOT_FOUND"


def test_violations_survive_the_wire() -> None:
    sent = InvalidArgument.of([("memory.fact", "is required"), ("", "the body is empty")])
    assert sent.message == "memory.fact: is required; the body is empty"
    got = from_http(400, json.dumps(sent.envelope()).encode())
    assert isinstance(got, InvalidArgument)
    assert got.violations == [("memory.fact", "is required"), ("", "the body is empty")]
    assert InvalidArgument("no details").violations == []


def test_a_long_list_of_violations_has_a_short_message() -> None:
    sent = InvalidArgument.of([(f"f{n}", "is wrong") for n in range(50)])
    assert sent.message.count(";") == 4
    assert len(sent.violations) == 50


def test_a_refusal_names_the_permission_and_who_was_refused() -> None:
    sent = PermissionDenied.lacking("aiplatform.memories.list", resource="projects/p", principal="nora")
    got = from_http(403, json.dumps(sent.envelope()).encode())
    assert isinstance(got, PermissionDenied)
    assert (got.permission, got.principal) == ("aiplatform.memories.list", "nora")
    assert got.detail("ErrorInfo")["reason"] == "IAM_PERMISSION_DENIED"
    assert "aiplatform.memories.list" in got.message
    assert PermissionDenied("plain").permission == ""


def test_no_details_no_key() -> None:
    assert NotFound("gone").envelope() == {"error": {"code": 404, "message": "gone", "status": "NOT_FOUND"}}
    assert NotFound("gone").rpc_status() == {"code": 5, "message": "gone"}
