from memories.server import banks, generation, operations, records, streams, vectors
from memories.server.door import Call, Written
from memories.server.views.retrieval import scoped
from memories.wire.errors import InvalidArgument
from memories.wire.resources import GenerateMemoriesRequest, IngestEventsRequest

MAX_BODY = 8 << 20  # bytes
_GENERATE = "aiplatform.memories.generate"


def generate(call: Call) -> Written:
    """Remembers facts at once. Contents and sessions are kept, and the operation says why nothing is made of them."""
    if len(call.raw) > MAX_BODY:
        raise InvalidArgument(f"The body is larger than {MAX_BODY} bytes; send less at once.")
    bank, asked = banks.find(call.bank), call.body(GenerateMemoriesRequest)
    generation.check_settings(asked)
    name = records.bank_name(bank)
    scope = scoped(call, _GENERATE, asked.scope) if asked.scope is not None else None
    if scope is None and asked.vertex_session_source is None:
        raise InvalidArgument.at("scope", "is required.")
    if asked.direct_memories_source is not None and scope is not None:
        made = generation.remember(bank, asked, scope)
        for one in made:
            vectors.soon(bank, one.memory_id)
        response = {"generatedMemories": [one.wire(bank) for one in made]}
        body = operations.done(name, "GenerateMemories", response)
        return Written(body, str(name), scope=scope, count=len(made))
    if asked.direct_contents_source is not None:
        if not asked.direct_contents_source.events:
            raise InvalidArgument.at("directContentsSource.events", "is empty.")
        contents = [event.content for event in asked.direct_contents_source.events]
        streams.check_contents(contents, at="directContentsSource.events")
    elif asked.vertex_session_source is not None:
        streams.check_session(asked.vertex_session_source.session, bank)
    else:
        raise InvalidArgument("Set one of directMemoriesSource, directContentsSource and vertexSessionSource.")
    if scope is None and not call.condition.everything:
        raise InvalidArgument.at("scope", "is required, since you may generate memories of some scopes only.")
    error = streams.no_model("The request was kept.")
    body = operations.failed(name, "GenerateMemories", error, id=streams.keep(bank, asked, scope))
    return Written(body, str(name), scope=scope, status=error.status)


def ingest(call: Call) -> Written:
    """Keeps events; the operation says why no memories are made of them."""
    if len(call.raw) > MAX_BODY:
        raise InvalidArgument(f"The body is larger than {MAX_BODY} bytes; send less at once.")
    bank, asked = banks.find(call.bank), call.body(IngestEventsRequest)
    generation.check_settings(asked)
    if asked.scope is None:
        raise InvalidArgument.at("scope", "is required.")
    scope = scoped(call, _GENERATE, asked.scope)
    kept = streams.ingest(bank, asked, scope)
    name = records.bank_name(bank)
    if not kept.new and not asked.force_flush:  # a new trigger, or nothing that was not there
        return Written(operations.done(name, "IngestEvents", {}), str(name), scope=scope, count=0)
    error = streams.no_model(f"{kept.new} events were kept.")
    return Written(
        operations.failed(name, "IngestEvents", error), str(name), scope=scope, count=kept.new, status=error.status
    )
