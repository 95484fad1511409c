"""The door of the server: who calls is established, the permission checked once, each change recorded once, and every
fault answered in Google's envelope.
"""

import functools
import json
import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import unquote

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import DataError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from memories.access import checks, tokens, trail
from memories.wire import errors, pages
from memories.wire.names import BankName, MemoryName
from memories.wire.resources import JsonObject, Message, Operation

_log = logging.getLogger("memories.server")

# System parameters of Google's APIs, in both spellings. What they ask for is the default here.
_SYSTEM = frozenset({"alt", "key", "prettyPrint", "quotaUser", "access_token", "oauth_token", "upload_protocol"})
_IGNORED = _SYSTEM | {f"${name}" for name in _SYSTEM} | {"uploadType", "$.xgafv"}
MAX_PAGE = 1000
DEFAULT_PAGE = 100


@dataclass(frozen=True, slots=True)
class Written:
    """A change's answer, and what the audit trail keeps of it."""

    body: JsonObject
    resource: str = ""
    revision: str = ""
    scope: Mapping[str, str] | None = None
    count: int | None = None
    changed: bool = True
    """False where nothing was written after all, as by a dry run."""
    status: str = ""
    """The canonical status of an operation that was kept and ended with an error."""


@dataclass(frozen=True)
class Rpc:
    """A method of the API. `permission` is checked on the bank or the place; empty where the view decides itself."""

    permission: str
    view: "Callable[[Call], JsonObject | Written]"
    query: frozenset[str] = frozenset()
    writes: bool = False
    takes: type[Message] | None = None
    """The message of the body, and below that of the answer: for the description of the API."""
    gives: type[Message] = Operation


@dataclass
class Call:
    """One call as a view sees it."""

    principal: checks.Principal
    path: Mapping[str, str]
    query: Mapping[str, str]
    raw: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    condition: checks.Condition = checks.NOTHING

    @functools.cached_property
    def project(self) -> str:
        return self.path.get("project") or settings.MEMORY_BANK_PROJECT

    @functools.cached_property
    def location(self) -> str:
        return self.path.get("location") or settings.MEMORY_BANK_LOCATION

    @functools.cached_property
    def bank(self) -> BankName:
        return BankName.parse(f"projects/{self.project}/locations/{self.location}/reasoningEngines/{self.path['bank']}")

    @functools.cached_property
    def memory(self) -> MemoryName:
        return MemoryName.parse(f"{self.bank}/memories/{self.path['memory']}")

    @property
    def resource(self) -> BankName | MemoryName | str:
        if "memory" in self.path:
            return self.memory
        return self.bank if "bank" in self.path else f"projects/{self.project}/locations/{self.location}"

    @property
    def reason(self) -> str:
        return unquote(self.headers.get("X-Goog-Request-Reason", ""))

    @property
    def if_match(self) -> str:
        return self.headers.get("If-Match", "")

    def body[M: Message](self, kind: type[M]) -> M:
        """The JSON body as a message; an empty one is an empty message."""
        return kind.read(_json(self.raw, self.headers.get("Content-Type", "")))

    def page_size(self) -> int:
        text = self.query.get("pageSize", "")
        if not text:
            return DEFAULT_PAGE
        if not text.isascii() or not text.lstrip("-").isdigit() or int(text) < 0:
            raise errors.InvalidArgument.at("pageSize", f"expected a number from 0 to {MAX_PAGE}; found {text[:40]!r}.")
        return min(int(text), MAX_PAGE) or DEFAULT_PAGE

    def cursor(self, query: str) -> pages.Cursor | None:
        """Where the page begins; `query` is what must be the same for all pages."""
        return self.decoded(self.query.get("pageToken", ""), query)

    def decoded(self, token: str, query: str, *, field: str = "pageToken") -> pages.Cursor | None:
        """Likewise, of a token that stands elsewhere than in the query."""
        return pages.decode(token, query=query, key=_key(), field=field) if token else None

    def token(self, cursor: pages.Cursor | None, query: str) -> str | None:
        return pages.encode(cursor, query=query, key=_key()) if cursor else None


def _key() -> bytes:
    return f"page tokens of {settings.SECRET_KEY}".encode()


# --- who calls --------------------------------------------------------------------------------------------------------


class Authentication(BaseAuthentication):
    """The signed-in person of an in-process call (no HTTP header reaches that key), or a token."""

    def authenticate(self, request: Request) -> tuple[checks.Principal, None]:
        known = request.META.get("memories.principal")
        if isinstance(known, checks.Principal):
            return known, None
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind and kind.lower() != "bearer":
            raise errors.Unauthenticated(f"Authorization of kind {kind[:20]!r} is not taken; send a bearer token.")
        secret = secret.strip() or request.headers.get("x-goog-api-key", "")
        if not secret:
            raise errors.Unauthenticated(
                "The request has no credentials. Send 'Authorization: Bearer TOKEN' or 'x-goog-api-key: TOKEN';"
                " `manage.py token create PERSON` makes a token."
            )
        return tokens.authenticate(secret), None


# --- one call ---------------------------------------------------------------------------------------------------------


def endpoint(**rpcs: Rpc) -> Callable[..., HttpResponse]:
    """The Django view of one path: its methods by HTTP verb."""

    @api_view(list(rpcs))
    @authentication_classes([Authentication])
    def view(request: Request, /, **path: str | None) -> Response:
        rpc = rpcs[str(request.method)]
        call = Call(
            principal=cast(checks.Principal, request.user),
            path={key: value for key, value in path.items() if value is not None},
            query=_query(request, rpc),
            raw=b"" if request.method == "GET" else _raw(request._request),
            headers=request.headers,
        )
        return Response(_write(call, rpc) if rpc.writes else _read(call, rpc))

    found = csrf_exempt(_in_english(view))
    vars(found)["rpcs"] = rpcs  # for the description of the API
    return found


def _in_english[**P, R](view: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(view)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with translation.override("en"):
            return view(*args, **kwargs)

    return wrapped


def _read(call: Call, rpc: Rpc) -> JsonObject:
    if rpc.permission:
        call.condition = checks.check(call.principal, rpc.permission, resource=call.resource)
    answer = rpc.view(call)
    return answer.body if isinstance(answer, Written) else answer


def _write(call: Call, rpc: Rpc) -> JsonObject:
    record = functools.partial(trail.record, call.principal, action=rpc.permission, reason=call.reason)
    try:
        with transaction.atomic():
            call.condition = checks.check(call.principal, rpc.permission, resource=call.resource)
            done = rpc.view(call)
            if not isinstance(done, Written):
                raise TypeError(f"{rpc.view} writes, but did not say what")
            if done.changed:
                record(
                    resource=done.resource or str(call.resource),
                    outcome="failed" if done.status else "done",
                    status=done.status,
                    revision=done.revision,
                    scope=done.scope,
                    count=done.count,
                )
            return done.body
    except Exception as error:
        known = _api_error(error)
        refused = isinstance(known, errors.PermissionDenied)
        record(resource=_named(call), outcome="refused" if refused else "failed", status=known.status)
        raise


def _named(call: Call) -> str:
    try:
        return str(call.resource)
    except errors.InvalidArgument:  # the name itself is the fault
        return ""


def _query(request: Request, rpc: Rpc) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.query_params.items():
        if name in _IGNORED:
            continue
        if name in ("fields", "$fields"):
            if value not in ("", "*"):
                raise errors.InvalidArgument.at("fields", "partial answers are not supported; leave it out.")
            continue
        known = _camel(name)
        if known not in rpc.query:
            expected = f" Expected {', '.join(sorted(rpc.query))}." if rpc.query else ""
            raise errors.InvalidArgument.at(name, f"unknown name; it is not a parameter of this method.{expected}")
        found[known] = _clean(str(value), name)
    return found


def _camel(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(part.title() for part in more)


def _raw(request: HttpRequest) -> bytes:
    try:
        return request.body
    except RequestDataTooBig:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raise errors.InvalidArgument(f"The body is larger than {most} bytes; send less at once.", http=413) from None
    except UnreadablePostError:
        raise errors.Cancelled("The body did not arrive whole.") from None


def _json(raw: bytes, content_type: str) -> object:
    if not raw.strip():
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("", "application/json", "text/json") and not kind.endswith("+json"):
        raise errors.InvalidArgument(f"The body is {kind[:60]!r}; send application/json.", http=415)
    try:
        found = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise errors.InvalidArgument(f"The body is not UTF-8 (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise errors.InvalidArgument(f"The body is not JSON: {error.msg} at {where}.") from None
    except (RecursionError, ValueError) as error:
        raise errors.InvalidArgument(f"The body is not JSON that can be used: {error}.") from None
    if not isinstance(found, dict):
        raise errors.InvalidArgument("The body must be a JSON object.")
    if b"\\u" in raw:
        _walk(found, "")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _walk(value: Any, path: str) -> None:
    match value:
        case str():
            _clean(value, path)
        case dict():
            for key, item in value.items():
                inner = f"{path}.{key}" if path else str(key)
                _clean(key, path or "body")
                _walk(item, inner)
        case list():
            for index, item in enumerate(value):
                _walk(item, f"{path}[{index}]")


def _clean(text: str, path: str) -> str:
    if "\0" in text:
        raise errors.InvalidArgument.at(path, "holds a NUL character, which cannot be stored.")
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise errors.InvalidArgument.at(path, "holds half of a surrogate pair, which is not text.")
    return text


# --- faults -----------------------------------------------------------------------------------------------------------


def _api_error(error: Exception) -> errors.ApiError:
    match error:
        case errors.ApiError():
            return error
        case exceptions.MethodNotAllowed():
            return errors.Unimplemented(f"{error.detail} The path is known, the verb is not.", http=405)
        case exceptions.NotAcceptable():
            return errors.InvalidArgument("Only application/json can be answered.", http=406)
        case OperationalError() if "no such" not in str(error):  # that is a migration that was not run
            return errors.Unavailable("The database is busy or cannot be reached; try again.", retry_after=1)
        case DataError():
            return errors.InvalidArgument("A value is out of the range that can be stored.")
        case _:
            return errors.Internal("The server failed; the place is in its log. Nothing was changed.")


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler: Google's envelope for everything."""
    known = _api_error(error)
    if isinstance(known, errors.Internal | errors.Unavailable) and not isinstance(error, errors.ApiError):
        # The message of an exception may quote what was to be stored; where it happened is enough.
        _log.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
    response = Response(known.envelope(), status=known.http_status)
    if isinstance(known, errors.Unauthenticated):
        response.headers["WWW-Authenticate"] = 'Bearer realm="memory bank"'
    if known.retry_after is not None:
        response.headers["Retry-After"] = str(round(known.retry_after))
    if isinstance(error, exceptions.MethodNotAllowed):
        response.headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


@csrf_exempt
def no_such_path(request: HttpRequest, path: str = "") -> HttpResponse:
    error = errors.NotFound(f"{request.method} {request.path[:300]} is not a method of this API.")
    return HttpResponse(json.dumps(error.envelope()), status=404, content_type="application/json")


no_such_path.login_required = False  # type: ignore[attr-defined]
