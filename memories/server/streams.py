"""What IngestEvents and GenerateMemories are given to make memories of, kept so that nothing is lost.

To make memories of it needs a model. As long as none is configured, what was asked is kept and the operation says so.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from memories.server import clock, policy
from memories.server.models import Bank, Event, Pending, Stream
from memories.wire import scopes
from memories.wire.errors import FailedPrecondition, InvalidArgument
from memories.wire.resources import Content, GenerateMemoriesRequest, IngestEventsRequest, Part

ROLES = ("user", "model")
MAX_ID = 128
_DATA = (
    "text",
    "inline_data",
    "file_data",
    "function_call",
    "function_response",
    "executable_code",
    "code_execution_result",
)
_SESSION = re.compile(
    r"(?:projects/[^/]+/locations/[^/]+/)?(?:reasoningEngines|memoryBanks)/(?P<bank>[^/]+)/sessions/[A-Za-z0-9_-]+"
)


def no_model(kept: str) -> FailedPrecondition:
    return FailedPrecondition(
        f"{kept} No model is configured on this server that could make memories of it. Facts that the caller has"
        " already can be remembered with directMemoriesSource."
    )


# --- checks -----------------------------------------------------------------------------------------------------------


def check_contents(contents: Sequence[Content], *, at: str) -> None:
    """InvalidArgument with the path of what is no content."""
    for index, content in enumerate(contents):
        here = f"{at}[{index}].content"
        if content.role is not None and content.role not in ROLES:
            raise InvalidArgument.at(f"{here}.role", f"{content.role[:40]!r} is not one of {', '.join(ROLES)}.")
        if not content.parts:
            raise InvalidArgument.at(f"{here}.parts", "is empty; a content needs at least one part.")
        for number, part in enumerate(content.parts):
            _check_part(part, f"{here}.parts[{number}]")


def _check_part(part: Part, at: str) -> None:
    given = [name for name in _DATA if getattr(part, name) is not None]
    if len(given) != 1:
        raise InvalidArgument.at(at, "needs exactly one of text, inlineData, fileData, functionCall and the like.")
    data = part.inline_data.data if part.inline_data else None
    if data is not None:
        try:
            base64.b64decode(data + "=" * (-len(data) % 4), altchars=b"-_" if set(data) & set("-_") else None)
        except (binascii.Error, ValueError):
            raise InvalidArgument.at(f"{at}.inlineData.data", "is not base64.") from None


def check_session(session: str, bank: Bank) -> None:
    found = _SESSION.fullmatch(session)
    if not found or found["bank"] != bank.pk:
        expected = "projects/PROJECT/locations/LOCATION/reasoningEngines/ID/sessions/SESSION"
        raise InvalidArgument.at("vertexSessionSource.session", f"is not a session of this bank; expected {expected}.")


# --- keeping ----------------------------------------------------------------------------------------------------------


def keep(bank: Bank, asked: GenerateMemoriesRequest, scope: scopes.Scope | None) -> str:
    """Keeps a request for later and gives the id of the operation that stands for it."""
    id = clock.new_id()
    Pending.objects.create(
        operation_id=id,
        bank=bank,
        digest=scopes.digest(scope) if scope else "",
        request=json.dumps(asked.wire(), ensure_ascii=False),
        create_time=clock.now(),
    )
    return id


@dataclass(frozen=True, slots=True)
class Kept:
    new: int
    repeated: int
    """Events whose eventId the stream had already; they are dropped."""


def ingest(bank: Bank, asked: IngestEventsRequest, scope: scopes.Scope) -> Kept:
    """Appends events to a stream, which is made where there is none; the latest trigger and settings count."""
    stream_id = asked.stream_id or ""
    if len(stream_id) > MAX_ID:
        raise InvalidArgument.at("streamId", f"has more than {MAX_ID} characters.")
    events = (asked.direct_contents_source and asked.direct_contents_source.events) or []
    check_contents([event.content for event in events], at="directContentsSource.events")
    for index, event in enumerate(events):
        if len(event.event_id or "") > 2 * MAX_ID:
            raise InvalidArgument.at(
                f"directContentsSource.events[{index}].eventId", f"has more than {2 * MAX_ID} characters."
            )
    if asked.generation_trigger_config is not None:
        policy.check_trigger(asked.generation_trigger_config, "generationTriggerConfig")
    settings = asked.model_copy(update={"direct_contents_source": None, "force_flush": None, "scope": None}).wire()
    now = clock.now()
    with transaction.atomic():
        stream, made = Stream.objects.get_or_create(
            bank=bank,
            digest=scopes.digest(scope),
            stream_id=stream_id,
            defaults={"scope": scopes.canonical(scope), "create_time": now, "update_time": now},
        )
        stream.settings = json.dumps((json.loads(stream.settings) if not made else {}) | settings, ensure_ascii=False)
        stream.update_time = now
        stream.save()
        before = Event.objects.filter(stream=stream).count()
        Event.objects.bulk_create(
            [
                Event(
                    stream=stream,
                    event_id=event.event_id or None,
                    event_time=event.event_time.micros if event.event_time else now,
                    create_time=now,
                    content=json.dumps(event.content.wire(), ensure_ascii=False),
                )
                for event in events
            ],
            batch_size=500,
            ignore_conflicts=True,
        )
        new = Event.objects.filter(stream=stream).count() - before
    return Kept(new, len(events) - new)
