"""The canonical errors of Google's APIs, one exception for each status, and their JSON form.

ApiError
  InvalidArgument (FilterError in filters.py)   FailedPrecondition   OutOfRange       400
  Unauthenticated                                                                     401
  PermissionDenied                                                                    403
  NotFound                                                                            404
  AlreadyExists   Aborted                                                             409
  ResourceExhausted                                                                   429
  Cancelled                                                                           499
  Unknown   Internal   DataLoss                                                       500
  Unimplemented                                                                       501
  Unavailable                                                                         503
  DeadlineExceeded                                                                    504
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

JsonObject = dict[str, Any]

_TYPE = "type.googleapis.com/google.rpc."


class ApiError(Exception):
    """An answer that is not a success. `http` is the HTTP status, `code` the google.rpc.Code number."""

    status: ClassVar[str] = "UNKNOWN"
    http: ClassVar[int] = 500
    code: ClassVar[int] = 2

    def __init__(
        self,
        message: str,
        *,
        details: Sequence[JsonObject] = (),
        http: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = list(details)
        self.http_status = http or self.http
        self.retry_after = retry_after  # seconds

    def envelope(self) -> JsonObject:
        """The body of an HTTP error answer."""
        error: JsonObject = {"code": self.http_status, "message": self.message, "status": self.status}
        if self.details:
            error["details"] = self.details
        return {"error": error}

    def rpc_status(self) -> JsonObject:
        """The `error` of an Operation."""
        status: JsonObject = {"code": self.code, "message": self.message}
        if self.details:
            status["details"] = self.details
        return status

    def detail(self, kind: str) -> Mapping[str, Any]:
        """The first detail of the message type google.rpc.`kind`, or an empty mapping."""
        return next((d for d in self.details if d.get("@type") == _TYPE + kind), {})


class InvalidArgument(ApiError):
    status, http, code = "INVALID_ARGUMENT", 400, 3

    @classmethod
    def at(cls, field: str, description: str) -> Self:
        """A fault of one field; `field` is its path in the JSON body or the name of a query parameter."""
        return cls.of([(field, description)])

    @classmethod
    def of(cls, violations: Sequence[tuple[str, str]]) -> Self:
        message = "; ".join(f"{field}: {text}" if field else text for field, text in violations[:5])
        fields = [{"field": field, "description": text} for field, text in violations]
        return cls(message, details=[{"@type": _TYPE + "BadRequest", "fieldViolations": fields}])

    @property
    def violations(self) -> list[tuple[str, str]]:
        """(field path, description), empty where the server named none."""
        found = self.detail("BadRequest").get("fieldViolations", [])
        return [(str(v.get("field", "")), str(v.get("description", ""))) for v in found if isinstance(v, dict)]


class FailedPrecondition(ApiError):
    status, http, code = "FAILED_PRECONDITION", 400, 9


class OutOfRange(ApiError):
    status, http, code = "OUT_OF_RANGE", 400, 11


class Unauthenticated(ApiError):
    status, http, code = "UNAUTHENTICATED", 401, 16


class PermissionDenied(ApiError):
    status, http, code = "PERMISSION_DENIED", 403, 7

    @classmethod
    def lacking(cls, permission: str, *, resource: str, principal: str) -> Self:
        info = {"permission": permission, "resource": resource, "principal": principal}
        return cls(
            f"Permission '{permission}' denied on resource '{resource}' for {principal} (or it may not exist).",
            details=[
                {
                    "@type": _TYPE + "ErrorInfo",
                    "reason": "IAM_PERMISSION_DENIED",
                    "domain": "iam.googleapis.com",
                    "metadata": info,
                }
            ],
        )

    def _info(self, key: str) -> str:
        metadata = self.detail("ErrorInfo").get("metadata")
        return str(metadata.get(key, "")) if isinstance(metadata, dict) else ""

    @property
    def permission(self) -> str:
        """The missing permission, or an empty string where the server did not name it."""
        return self._info("permission")

    @property
    def principal(self) -> str:
        return self._info("principal")


class NotFound(ApiError):
    status, http, code = "NOT_FOUND", 404, 5


class AlreadyExists(ApiError):
    status, http, code = "ALREADY_EXISTS", 409, 6


class Aborted(ApiError):
    status, http, code = "ABORTED", 409, 10


class ResourceExhausted(ApiError):
    status, http, code = "RESOURCE_EXHAUSTED", 429, 8


class Cancelled(ApiError):
    status, http, code = "CANCELLED", 499, 1


class Unknown(ApiError):
    status, http, code = "UNKNOWN", 500, 2


class Internal(ApiError):
    status, http, code = "INTERNAL", 500, 13


class DataLoss(ApiError):
    status, http, code = "DATA_LOSS", 500, 15


class Unimplemented(ApiError):
    status, http, code = "UNIMPLEMENTED", 501, 12


class Unavailable(ApiError):
    status, http, code = "UNAVAILABLE", 503, 14


class DeadlineExceeded(ApiError):
    status, http, code = "DEADLINE_EXCEEDED", 504, 4


_ALL: tuple[type[ApiError], ...] = (
    InvalidArgument,
    FailedPrecondition,
    OutOfRange,
    Unauthenticated,
    PermissionDenied,
    NotFound,
    AlreadyExists,
    Aborted,
    ResourceExhausted,
    Cancelled,
    Unknown,
    Internal,
    DataLoss,
    Unimplemented,
    Unavailable,
    DeadlineExceeded,
)
BY_STATUS = {kind.status: kind for kind in _ALL}
BY_CODE = {kind.code: kind for kind in _ALL}
# Where the body names no status, the HTTP status decides; the first class of a shared status is the plainest.
_BY_HTTP = {kind.http: kind for kind in reversed(_ALL)} | {408: DeadlineExceeded, 500: Internal, 502: Unavailable}


def from_http(http: int, body: bytes, *, retry_after: float | None = None) -> ApiError:
    """The exception that an error answer stands for; of a body that is not Google's JSON, 500 characters are kept."""
    kind = _BY_HTTP.get(http, Unavailable if http > 500 else InvalidArgument if http >= 400 else Unknown)
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    error = parsed.get("error") if isinstance(parsed, dict) else None
    if not isinstance(error, dict):
        text = " ".join(body.decode("utf-8", "replace").split())[:500]
        return kind(text or f"The server answered HTTP {http} with an empty body.", http=http, retry_after=retry_after)
    kind = BY_STATUS.get(str(error.get("status")), kind)
    details = error.get("details")
    details = [d for d in details if isinstance(d, dict)] if isinstance(details, list) else []
    message = str(error.get("message") or f"HTTP {http}")
    return kind(message, details=details, http=http, retry_after=retry_after)


def from_rpc_status(status: Mapping[str, Any]) -> ApiError:
    """The exception that the `error` of a finished Operation stands for."""
    code = status.get("code")
    kind = BY_CODE.get(code, Unknown) if isinstance(code, int) else Unknown
    details = status.get("details")
    return kind(
        str(status.get("message") or kind.status),
        details=[d for d in details if isinstance(d, dict)] if isinstance(details, list) else [],
    )
