from memories.access import checks
from memories.server import banks, profiles, records, search, store
from memories.server.door import Call
from memories.wire import scopes
from memories.wire.errors import InvalidArgument
from memories.wire.resources import JsonObject, RetrieveMemoriesRequest, RetrieveProfilesRequest


def retrieve(call: Call) -> JsonObject:
    """Nearest first with similarity search, else newest first and in pages."""
    asked = call.body(RetrieveMemoriesRequest)
    scope = scoped(call, "aiplatform.memories.retrieve", asked.scope)
    bank = banks.find(call.bank)
    wanted = search.wanted(asked.filter or "", asked.filter_groups or (), asked.memory_types or ())
    name = str(records.bank_name(bank))
    if asked.similarity_search_params is not None:
        query = asked.similarity_search_params.search_query
        if not query.strip():
            raise InvalidArgument.at("similaritySearchParams.searchQuery", "is empty.")
        top = _size(asked.similarity_search_params.top_k, "similaritySearchParams.topK", search.DEFAULT_TOP)
        near = search.nearest(bank, scope, wanted, query=query, top=top)
        return {
            "retrievedMemories": [{"memory": records.memory(name, row), "distance": distance} for row, distance in near]
        }
    simple = asked.simple_retrieval_params
    size = _size(simple.page_size if simple else None, "simpleRetrievalParams.pageSize", search.MAX_PAGE)
    bound = "retrieve " + asked.model_copy(update={"simple_retrieval_params": None}).model_dump_json()
    token = (simple and simple.page_token) or ""
    cursor = call.decoded(token, f"{bank.pk} {bound}", field="simpleRetrievalParams.pageToken")
    rows, more = search.newest(bank, scope, wanted, size=size, cursor=cursor)
    answer: JsonObject = {"retrievedMemories": [{"memory": records.memory(name, row)} for row in rows]}
    if more:
        answer["nextPageToken"] = call.token(more, f"{bank.pk} {bound}")
    return answer


def retrieve_profiles(call: Call) -> JsonObject:
    asked = call.body(RetrieveProfilesRequest)
    scope = scoped(call, "aiplatform.memories.retrieve", asked.scope)
    bank = banks.find(call.bank)
    found = profiles.of(bank, scope, config=store.config_of(bank))
    return {"profiles": found} if found else {}


def scoped(call: Call, permission: str, scope: scopes.Scope) -> dict[str, str]:
    """The scope of a request, valid and one that the caller may touch so."""
    found = scopes.validate(scope)
    checks.check(call.principal, permission, resource=call.resource, scope=found)
    return found


def _size(asked: int | None, field: str, default: int) -> int:
    if asked is not None and asked < 0:
        raise InvalidArgument.at(field, "must not be negative.")
    return min(asked or default, 100)
