"""The methods of the API by path and verb, with the permission each needs."""

from django.urls import re_path

from memories.server import openapi
from memories.server.door import Rpc, endpoint, no_such_path
from memories.server.views import admin, banks, generation, memories, operations, purge, retrieval, revisions
from memories.wire import resources as r

PAGE = frozenset({"pageSize", "pageToken"})
SCOPES = PAGE | {"filter", "search", "orderBy"}
MASK = frozenset({"updateMask"})

_PLACE = r"(?:projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/)?"
_BANK = _PLACE + r"(?:reasoningEngines|memoryBanks)/(?P<bank>[^/:]+)"
_MEMORY = _BANK + r"/memories/(?P<memory>[^/:]+)"
_V = r"^(?:v1|v1beta1)/"

_M, _R, _E = "aiplatform.memories.", "aiplatform.memoryRevisions.", "aiplatform.reasoningEngines."

urlpatterns = [
    re_path(
        _V + _PLACE + r"(?:reasoningEngines|memoryBanks)$",
        endpoint(
            GET=Rpc("", banks.list_, query=PAGE | {"filter"}, gives=r.ListReasoningEnginesResponse),
            POST=Rpc(_E + "create", banks.create, writes=True, takes=r.ReasoningEngine),
        ),
    ),
    re_path(
        _V + _BANK + "$",
        endpoint(
            GET=Rpc(_E + "get", banks.get, gives=r.ReasoningEngine),
            PATCH=Rpc(_E + "update", banks.update, query=MASK, writes=True, takes=r.ReasoningEngine),
            DELETE=Rpc(
                _E + "delete",
                banks.delete,
                query=frozenset({"force"}),
                writes=True,
                takes=r.DeleteReasoningEngineRequest,
            ),
        ),
    ),
    re_path(
        _V + _BANK + "/memories$",
        endpoint(
            GET=Rpc(_M + "list", memories.list_, query=PAGE | {"filter", "orderBy"}, gives=r.ListMemoriesResponse),
            POST=Rpc(_M + "create", memories.create, query=frozenset({"memoryId"}), writes=True, takes=r.Memory),
        ),
    ),
    re_path(
        _V + _BANK + "/memories:generate$",
        endpoint(POST=Rpc(_M + "generate", generation.generate, writes=True, takes=r.GenerateMemoriesRequest)),
    ),
    re_path(
        _V + _BANK + "/memories:ingestEvents$",
        endpoint(POST=Rpc(_M + "generate", generation.ingest, writes=True, takes=r.IngestEventsRequest)),
    ),
    re_path(
        _V + _BANK + "/memories:purge$",
        endpoint(POST=Rpc(_M + "delete", purge.purge, writes=True, takes=r.PurgeMemoriesRequest)),
    ),
    re_path(
        _V + _BANK + "/memories:retrieve$",
        endpoint(
            POST=Rpc(
                _M + "retrieve", retrieval.retrieve, takes=r.RetrieveMemoriesRequest, gives=r.RetrieveMemoriesResponse
            )
        ),
    ),
    re_path(
        _V + _BANK + "/memories:retrieveProfiles$",
        endpoint(
            POST=Rpc(
                _M + "retrieve",
                retrieval.retrieve_profiles,
                takes=r.RetrieveProfilesRequest,
                gives=r.RetrieveProfilesResponse,
            )
        ),
    ),
    re_path(
        _V + _MEMORY + "$",
        endpoint(
            GET=Rpc(_M + "get", memories.get, gives=r.Memory),
            PATCH=Rpc(_M + "update", memories.update, query=MASK, writes=True, takes=r.Memory),
            DELETE=Rpc(_M + "delete", memories.delete, writes=True),
        ),
    ),
    re_path(
        _V + _MEMORY + ":rollback$",
        endpoint(POST=Rpc(_R + "rollback", revisions.roll_back, writes=True, takes=r.RollbackMemoryRequest)),
    ),
    re_path(
        _V + _MEMORY + "/revisions$",
        endpoint(GET=Rpc(_R + "list", revisions.list_, query=PAGE | {"filter"}, gives=r.ListMemoryRevisionsResponse)),
    ),
    re_path(
        _V + _MEMORY + "/revisions/(?P<revision>[^/:]+)$",
        endpoint(GET=Rpc(_R + "get", revisions.get, gives=r.MemoryRevision)),
    ),
    re_path(_V + _MEMORY + "/operations/(?P<operation>[^/:]+)$", endpoint(GET=Rpc("", operations.get))),
    re_path(
        _V + _BANK + "/operations$",
        endpoint(GET=Rpc("", operations.list_, query=PAGE | {"filter"}, gives=r.ListOperationsResponse)),
    ),
    re_path(_V + _BANK + "/operations/(?P<operation>[^/:]+)$", endpoint(GET=Rpc("", operations.get))),
    # Ours alone, never under Google's prefix.
    re_path(
        "^admin/v1/" + _BANK + "/scopes$",
        endpoint(GET=Rpc(_M + "list", admin.scopes, query=SCOPES, gives=r.ListScopesResponse)),
    ),
    re_path(
        "^admin/v1/" + _BANK + "/scopes:near$",
        endpoint(POST=Rpc(_M + "list", admin.near, takes=r.NearScopesRequest, gives=r.NearScopesResponse)),
    ),
    re_path(
        "^admin/v1/" + _BANK + "/deletedMemories$",
        endpoint(GET=Rpc(_M + "list", admin.deleted, query=PAGE, gives=r.ListDeletedMemoriesResponse)),
    ),
    re_path(
        "^admin/v1/" + _BANK + "/memories:batchCreate$",
        endpoint(
            POST=Rpc(
                _M + "create",
                admin.batch_create,
                writes=True,
                takes=r.BatchCreateMemoriesRequest,
                gives=r.BatchCreateMemoriesResponse,
            )
        ),
    ),
    re_path(r"^v1beta1/openapi\.json$", openapi.answer),
    re_path("^(?:v1|v1beta1|admin)(?:/|$)", no_such_path),
]
