"""One call: what is sent, what is retried, and what becomes of every kind of answer."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.client.bank import Bank, Service
from memories.client.transport import Patience, Waiting, path
from memories.wire import errors
from memories.wire.names import BankName
from memories.wire.resources import Memory, ReasoningEngine

NAME = BankName("p", "us-central1", "1")
FACT = "Ann likes peonies"
MEMORY = {"name": f"{NAME}/memories/m1", "fact": FACT, "scope": {"user_id": "1"}, "createTime": "2026-01-01T00:00:00Z"}

type Answer = httpx.Response | Exception


class Backend:
    """Answers in turn, the last answer for ever; keeps what it was asked and how long the client slept."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self.now = 0.0

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def bank(self, *, url: str = "http://bank.example", limit: float = 30.0, admin: bool = False) -> Bank:
        patience = Patience(sleep=self.sleep, clock=lambda: self.now, jitter=lambda low, high: high)
        waiting = Waiting(limit=limit, sleep=self.sleep, clock=lambda: self.now)
        service = Service.at(
            url,
            token="secret-token",
            patience=patience,
            waiting=waiting,
            admin=admin,
            transport=httpx.MockTransport(self.handle),
        )
        return service.bank(NAME)


def ok(body: object) -> httpx.Response:
    return httpx.Response(200, json=body)


def fault(status: int, canonical: str = "", **headers: str) -> httpx.Response:
    error = {"code": status, "message": "no", "status": canonical}
    return httpx.Response(status, json={"error": error}, headers=headers)


UNAVAILABLE = fault(503, "UNAVAILABLE")


class TestRequest:
    def test_a_read(self) -> None:
        backend = Backend(ok({"memories": [MEMORY]}))
        backend.bank().list_memories(filter='fact="a b+c&d"', page_size=7)
        (request,) = backend.requests
        assert request.method == "GET"
        assert request.url.path == f"/v1beta1/{NAME}/memories"
        assert dict(request.url.params) == {"filter": 'fact="a b+c&d"', "pageSize": "7"}
        assert request.headers["Authorization"] == "Bearer secret-token"
        assert not request.content

    def test_a_prefix_of_the_address_is_kept(self) -> None:
        backend = Backend(ok(MEMORY))
        backend.bank(url="http://bank.example/deep/er/").get_memory("m1")
        assert backend.requests[0].url.path == f"/deep/er/v1beta1/{NAME}/memories/m1"

    def test_a_change_is_camel_case_with_its_mask_and_reason(self) -> None:
        backend = Backend(ok({"name": f"{NAME}/operations/1", "done": True, "response": MEMORY}))
        backend.bank().update_memory(
            "m1",
            Memory(display_name="חדש", fact="f"),
            mask=["displayName", "fact"],
            if_match="2026-01-01T00:00:00Z",
            reason="sì\n🙂",
        )
        (request,) = backend.requests
        assert (request.method, request.url.params["updateMask"]) == ("PATCH", "displayName,fact")
        assert json.loads(request.content) == {"displayName": "חדש", "fact": "f"}
        assert request.headers["If-Match"] == '"2026-01-01T00:00:00Z"'
        assert request.headers["X-Goog-Request-Reason"] == "s%C3%AC%0A%F0%9F%99%82"

    def test_rollback_and_force(self) -> None:
        backend = Backend(ok({"done": True, "response": MEMORY}))
        bank = backend.bank()
        bank.rollback_memory("m1", "7")
        bank.delete(force=True)
        bank.delete()
        assert [(r.method, r.url.path.removeprefix(f"/v1beta1/{NAME}"), r.content) for r in backend.requests] == [
            ("POST", "/memories/m1:rollback", b'{"targetRevisionId":"7"}'),
            ("DELETE", "", b'{"force":true}'),
            ("DELETE", "", b""),
        ]

    @pytest.mark.parametrize(
        "id", ["", ".", "..", "a/b", "../x", "a b", "a?b", "a#b", "a%2Fb", "é", "m1:rollback", "a\n"]
    )
    def test_an_id_that_is_none_is_never_sent(self, id: str) -> None:
        backend = Backend(ok(MEMORY))
        with pytest.raises(errors.InvalidArgument):
            backend.bank().delete_memory(id)
        assert not backend.requests

    @given(st.text())
    def test_a_segment_stays_one_segment(self, text: str) -> None:
        try:
            made = path("v1", text)
        except errors.InvalidArgument:
            return
        url = httpx.URL("http://bank.example" + made)
        assert url.path == f"/v1/{text}"
        assert not url.query
        assert not url.fragment

    def test_only_the_admin_api_of_a_bank_that_has_one_is_asked(self) -> None:
        backend = Backend(ok({"scopes": []}))
        with pytest.raises(errors.Unimplemented, match="list_scopes"):
            backend.bank().list_scopes()
        assert not backend.bank().offers("list_scopes")
        assert backend.bank().offers("list_memories")
        backend.bank(admin=True).list_scopes()
        assert backend.requests[0].url.path == f"/admin/v1/{NAME}/scopes"


class TestRetries:
    def test_a_read_is_sent_again_with_growing_pauses(self) -> None:
        backend = Backend(UNAVAILABLE, fault(429, "RESOURCE_EXHAUSTED"), httpx.ConnectError("refused"), ok(MEMORY))
        assert backend.bank().get_memory("m1").fact == FACT
        assert backend.slept == [0.25, 0.5, 1.0]

    def test_not_for_ever(self) -> None:
        backend = Backend(UNAVAILABLE)
        with pytest.raises(errors.Unavailable):
            backend.bank().get_memory("m1")
        assert len(backend.requests) == 4

    def test_pauses_are_full_jitter_under_a_cap(self) -> None:
        asked: list[tuple[float, float]] = []

        def jitter(low: float, high: float) -> float:
            asked.append((low, high))
            return low

        patience = Patience(attempts=9, total=100, jitter=jitter)
        for attempt in range(1, 9):
            patience.pause(attempt, errors.Unavailable("no"), patience.clock())
        assert asked == [(0, min(4.0, 0.25 * 2**n)) for n in range(8)]

    def test_retry_after_in_seconds(self) -> None:
        backend = Backend(fault(429, "RESOURCE_EXHAUSTED", **{"Retry-After": "3"}), ok(MEMORY))
        backend.bank().get_memory("m1")
        assert backend.slept == [3]

    def test_retry_after_as_a_date(self) -> None:
        moment = format_datetime(datetime.now(UTC) + timedelta(seconds=5), usegmt=True)
        backend = Backend(fault(503, "UNAVAILABLE", **{"Retry-After": moment}), ok(MEMORY))
        backend.bank().get_memory("m1")
        assert 3 < backend.slept[0] <= 5

    @pytest.mark.parametrize("text", ["soon", "-1", "٣", "Tue, 99 Foo"])
    def test_a_retry_after_that_is_none_is_ignored(self, text: str) -> None:
        answer = httpx.Response(503, headers=[(b"Retry-After", text.encode())])
        backend = Backend(answer, ok(MEMORY))
        backend.bank().get_memory("m1")
        assert backend.slept == [0.25]

    def test_a_wait_beyond_the_total_is_not_begun(self) -> None:
        backend = Backend(fault(429, "RESOURCE_EXHAUSTED", **{"Retry-After": "60"}), ok(MEMORY))
        with pytest.raises(errors.ResourceExhausted) as caught:
            backend.bank().get_memory("m1")
        assert caught.value.retry_after == 60
        assert backend.slept == []

    @pytest.mark.parametrize(
        "change",
        [
            lambda bank: bank.create_memory(Memory(fact="f", scope={"a": "1"})),
            lambda bank: bank.update_memory("m1", Memory(fact="f"), mask=["fact"]),
            lambda bank: bank.delete_memory("m1"),
            lambda bank: bank.rollback_memory("m1", "7"),
            lambda bank: bank.update(ReasoningEngine(display_name="x"), mask=["displayName"]),
            lambda bank: bank.delete(),
            lambda bank: bank.service.create_bank(ReasoningEngine()),
        ],
    )
    @pytest.mark.parametrize("answer", [UNAVAILABLE, fault(429), httpx.ConnectError("no"), httpx.ReadTimeout("slow")])
    def test_a_change_is_sent_once(self, change: Callable[[Bank], object], answer: Answer) -> None:
        backend = Backend(answer)
        with pytest.raises(errors.ApiError):
            change(backend.bank())
        assert len(backend.requests) == 1

    @pytest.mark.parametrize(
        "answer",
        [
            fault(400, "INVALID_ARGUMENT"),
            fault(404, "NOT_FOUND"),
            fault(500, "INTERNAL"),
            fault(504, "DEADLINE_EXCEEDED"),
        ],
    )
    def test_what_another_attempt_would_not_mend_is_not_repeated(self, answer: httpx.Response) -> None:
        backend = Backend(answer)
        with pytest.raises(errors.ApiError):
            backend.bank().get_memory("m1")
        assert len(backend.requests) == 1


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "kind", "text"),
        [
            (httpx.Response(302, headers={"Location": "http://other.example"}), errors.Internal, "redirect"),
            (
                httpx.Response(200, text="<html>sign in</html>", headers={"Content-Type": "text/html"}),
                errors.Internal,
                "text/html",
            ),
            (httpx.Response(200, text="[1]"), errors.Internal, "not the Memory Bank API"),
            (httpx.Response(200, text="[" * 100_000), errors.Internal, "not the Memory Bank API"),
            (httpx.Response(200, json={"memories": "many"}), errors.Internal, "memories"),
            (httpx.Response(200, json={"memories": [{"createTime": "now"}]}), errors.Internal, "memories.0.createTime"),
            (httpx.Response(200, content=b'{"memories":[{"fact":"\\ud83d"}]}'), errors.Internal, "not the Memory"),
            (httpx.Response(502, text="<h1>Bad gateway</h1>"), errors.Unavailable, "Bad gateway"),
            (httpx.ReadTimeout("slow"), errors.DeadlineExceeded, "bank.example did not answer in time"),
            (httpx.ConnectTimeout("slow"), errors.Unavailable, "no connection in time"),
            (httpx.ConnectError("refused"), errors.Unavailable, "bank.example cannot be reached"),
            (httpx.RemoteProtocolError("cut"), errors.Unavailable, "connection to bank.example broke"),
            (fault(403, "PERMISSION_DENIED"), errors.PermissionDenied, "no"),
            (fault(409, "ABORTED"), errors.Aborted, "no"),
        ],
    )
    def test_what_is_no_answer_is_an_error_that_says_so(self, answer: Answer, kind: type[Exception], text: str) -> None:
        with pytest.raises(kind, match=text):
            Backend(answer).bank().list_memories()

    def test_an_error_about_the_form_holds_no_text_of_a_memory(self) -> None:
        with pytest.raises(errors.Internal) as caught:
            Backend(ok({"memories": [{"fact": FACT, "scope": [FACT]}]})).bank().list_memories()
        assert FACT not in caught.value.message

    def test_unknown_fields_and_enum_names_are_no_fault(self) -> None:
        found = Backend(ok(MEMORY | {"memoryType": "NEW_KIND", "novelty": {"deep": 1}})).bank().get_memory("m1")
        assert (found.fact, found.memory_type) == (FACT, "NEW_KIND")

    def test_a_change_without_answer_says_that_its_outcome_is_unknown(self) -> None:
        with pytest.raises(errors.DeadlineExceeded, match="Whether the change was made is not known"):
            Backend(httpx.ReadTimeout("slow")).bank().delete_memory("m1")


class TestOperations:
    def test_polled_at_once_and_then_each_half_second(self) -> None:
        name = f"{NAME}/memories/m1/operations/9"
        pending = ok({"name": name})
        backend = Backend(pending, pending, pending, ok({"name": name, "done": True, "response": MEMORY}))
        assert backend.bank().create_memory(Memory(fact="f", scope={"a": "1"})).fact == FACT
        assert [request.url.path for request in backend.requests[1:]] == [f"/v1beta1/{name}"] * 3
        assert backend.slept == [0.5, 0.5]

    def test_a_poll_is_a_read_and_repeated(self) -> None:
        name = f"{NAME}/operations/9"
        backend = Backend(ok({"name": name}), UNAVAILABLE, ok({"name": name, "done": True}))
        backend.bank().delete_memory("m1")
        assert len(backend.requests) == 3

    def test_not_waited_for_beyond_the_limit(self) -> None:
        name = f"{NAME}/operations/9"
        backend = Backend(ok({"name": name}))
        with pytest.raises(errors.DeadlineExceeded, match=f"30 seconds and goes on: {name}"):
            backend.bank().delete_memory("m1")
        assert backend.now == 30

    def test_error_before_response(self) -> None:
        body = {"name": "x", "done": True, "error": {"code": 9, "message": "revisions are off"}, "response": MEMORY}
        with pytest.raises(errors.FailedPrecondition, match="revisions are off"):
            Backend(ok(body)).bank().rollback_memory("m1", "7")

    def test_an_answer_that_holds_the_name_alone_is_read_again(self) -> None:
        done = ok({"done": True, "response": {"name": MEMORY["name"]}})
        backend = Backend(done, ok(MEMORY))
        assert backend.bank().create_memory(Memory(fact="f", scope={"a": "1"})).fact == FACT
        assert backend.requests[1].url.path == f"/v1beta1/{MEMORY['name']}"

    @pytest.mark.parametrize("answer", [{}, {"name": ""}, {"name": "../../x"}, {"done": True}])
    def test_an_operation_that_leads_nowhere_is_an_error(self, answer: dict[str, object]) -> None:
        with pytest.raises(errors.ApiError):
            Backend(ok(answer)).bank().create_memory(Memory(fact="f", scope={"a": "1"}))


class TestLog:
    def test_one_line_for_each_call_without_text_of_memories(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO, "memories.client")
        bank = Backend(UNAVAILABLE, ok({"memories": [MEMORY]})).bank()
        bank.list_memories(filter=f'fact="{FACT}"')
        lines = [record.getMessage() for record in caplog.records if record.name == "memories.client"]
        assert [line.split()[:3] for line in lines] == [
            ["GET", f"/v1beta1/{NAME}/memories", status] for status in ("503", "200")
        ]
        assert lines[1].endswith("ms attempt 2")
        assert not any(word in line for line in lines for word in ("peonies", "secret-token", "filter"))
