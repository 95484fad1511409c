"""The OpenAPI description of the server, made from its table of methods and the messages of the wire."""

import functools
import inspect
import re
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, get_resolver
from django.views.decorators.http import require_safe
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from memories.server.door import Rpc
from memories.wire.resources import JsonObject, Message

_REF = "#/components/schemas/{model}"
_TYPES = {"pageSize": {"type": "integer", "minimum": 0}, "force": {"type": "string", "enum": ["true", "false"]}}
_HEADERS = (
    ("X-Goog-Request-Reason", "Why, for the audit trail; percent-encoded UTF-8."),
    ("If-Match", "The updateTime, in double quotes, that the memory must still have."),
)
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "status"],
            "properties": {
                "code": {"type": "integer"},
                "message": {"type": "string"},
                "status": {"type": "string"},
                "details": {"type": "array", "items": {"type": "object"}},
            },
        }
    },
}


@require_safe
def answer(request: HttpRequest) -> HttpResponse:
    return JsonResponse(description())


answer.login_required = False  # type: ignore[attr-defined]


@functools.cache
def description() -> JsonObject:
    methods = list(_methods())
    asked: list[tuple[type[Message], JsonSchemaMode]] = [(rpc.gives, "validation") for _path, _verb, rpc in methods]
    asked += [(rpc.takes, "validation") for _path, _verb, rpc in methods if rpc.takes]
    _places, made = models_json_schema(list(dict.fromkeys(asked)), by_alias=True, ref_template=_REF)
    schemas: JsonObject = made["$defs"]
    for schema in schemas.values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    paths: dict[str, JsonObject] = {}
    for path, verb, rpc in methods:
        paths.setdefault(path, {})[verb.lower()] = _operation(path, verb, rpc)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memory Bank API",
            "version": "v1beta1",
            "description": (
                "Fields are read in camelCase and snake_case and written in camelCase. `/v1` is the same as `/v1beta1`,"
                " `memoryBanks` the same as `reasoningEngines`. What is under `/admin` is this server's own."
            ),
        },
        "security": [{"token": []}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Error": _ERROR},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-goog-api-key"},
            },
        },
    }


def _methods() -> Iterator[tuple[str, str, Rpc]]:
    for pattern in get_resolver(settings.MEMORY_BANK_URLS).url_patterns:
        rpcs: dict[str, Rpc] = getattr(pattern.callback, "rpcs", {}) if isinstance(pattern, URLPattern) else {}
        for verb, rpc in rpcs.items():
            yield _path(str(pattern.pattern)), verb, rpc


def _path(pattern: str) -> str:
    """The path of a pattern, in its longest form."""
    path = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", pattern.strip("^$"))
    path = path.replace("(?:v1|v1beta1)", "v1beta1").replace("(?:reasoningEngines|memoryBanks)", "reasoningEngines")
    return "/" + re.sub(r"\(\?:(.*?)\)\?", r"\1", path)


def _operation(path: str, verb: str, rpc: Rpc) -> JsonObject:
    message = {"application/json": {"schema": {"$ref": _REF.format(model=rpc.gives.__name__)}}}
    error = {"application/json": {"schema": {"$ref": _REF.format(model="Error")}}}
    parameters: list[JsonObject] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", path)
    ]
    parameters += [
        {"name": name, "in": "query", "schema": _TYPES.get(name, {"type": "string"})} for name in sorted(rpc.query)
    ]
    if rpc.writes:
        parameters += [
            {"name": name, "in": "header", "description": text, "schema": {"type": "string"}} for name, text in _HEADERS
        ]
    found: JsonObject = {
        "operationId": f"{rpc.view.__module__.rpartition('.')[2]}_{rpc.view.__name__.strip('_')}_{verb.lower()}"
        + ("_of_memory" if "/operations/" in path and "{memory}" in path else ""),
        "parameters": parameters,
        "responses": {
            "200": {"description": "Done.", "content": message},
            "default": {"description": "One of the canonical errors of Google's APIs.", "content": error},
        },
    }
    if rpc.view.__doc__:
        found["summary"] = inspect.cleandoc(rpc.view.__doc__)
    if rpc.permission:
        found["description"] = f"Needs the permission `{rpc.permission}`."
    if rpc.takes:
        body = {"application/json": {"schema": {"$ref": _REF.format(model=rpc.takes.__name__)}}}
        found["requestBody"] = {"content": body}
    return found
