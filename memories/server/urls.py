"""The methods of the API by path and verb, with the permission each needs."""

from django.urls import re_path

from memories.server.door import Rpc, endpoint, no_such_path
from memories.server.views import admin, banks, memories, operations, purge, retrieval, revisions

PAGE = frozenset({"pageSize", "pageToken"})

_PLACE = r"(?:projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/)?"
_BANK = _PLACE + r"(?:reasoningEngines|memoryBanks)/(?P<bank>[^/:]+)"
_MEMORY = _BANK + r"/memories/(?P<memory>[^/:]+)"
_V = r"^(?:v1|v1beta1)/"

_M, _R, _E = "aiplatform.memories.", "aiplatform.memoryRevisions.", "aiplatform.reasoningEngines."

urlpatterns = [
    re_path(
        _V + _PLACE + r"(?:reasoningEngines|memoryBanks)$",
        endpoint(
            GET=Rpc("", banks.list_, query=PAGE | {"filter"}),
            POST=Rpc(_E + "create", banks.create, writes=True),
        ),
    ),
    re_path(
        _V + _BANK + "$",
        endpoint(
            GET=Rpc(_E + "get", banks.get),
            PATCH=Rpc(_E + "update", banks.update, query=frozenset({"updateMask"}), writes=True),
            DELETE=Rpc(_E + "delete", banks.delete, query=frozenset({"force"}), writes=True),
        ),
    ),
    re_path(
        _V + _BANK + "/memories$",
        endpoint(
            GET=Rpc(_M + "list", memories.list_, query=PAGE | {"filter", "orderBy"}),
            POST=Rpc(_M + "create", memories.create, query=frozenset({"memoryId"}), writes=True),
        ),
    ),
    re_path(_V + _BANK + "/memories:purge$", endpoint(POST=Rpc(_M + "delete", purge.purge, writes=True))),
    re_path(_V + _BANK + "/memories:retrieve$", endpoint(POST=Rpc(_M + "retrieve", retrieval.retrieve))),
    re_path(
        _V + _MEMORY + "$",
        endpoint(
            GET=Rpc(_M + "get", memories.get),
            PATCH=Rpc(_M + "update", memories.update, query=frozenset({"updateMask"}), writes=True),
            DELETE=Rpc(_M + "delete", memories.delete, writes=True),
        ),
    ),
    re_path(_V + _MEMORY + ":rollback$", endpoint(POST=Rpc(_R + "rollback", revisions.roll_back, writes=True))),
    re_path(_V + _MEMORY + "/revisions$", endpoint(GET=Rpc(_R + "list", revisions.list_, query=PAGE | {"filter"}))),
    re_path(_V + _MEMORY + "/revisions/(?P<revision>[^/:]+)$", endpoint(GET=Rpc(_R + "get", revisions.get))),
    re_path(_V + _MEMORY + "/operations/(?P<operation>[^/:]+)$", endpoint(GET=Rpc("", operations.get))),
    re_path(_V + _BANK + "/operations$", endpoint(GET=Rpc("", operations.list_, query=PAGE | {"filter"}))),
    re_path(_V + _BANK + "/operations/(?P<operation>[^/:]+)$", endpoint(GET=Rpc("", operations.get))),
    # Ours alone, never under Google's prefix.
    re_path("^admin/v1/" + _BANK + "/scopes$", endpoint(GET=Rpc(_M + "list", admin.scopes, query=PAGE))),
    re_path("^admin/v1/" + _BANK + "/deletedMemories$", endpoint(GET=Rpc(_M + "list", admin.deleted, query=PAGE))),
    re_path(
        "^admin/v1/" + _BANK + "/memories:batchCreate$",
        endpoint(POST=Rpc(_M + "create", admin.batch_create, writes=True)),
    ),
    re_path("^(?:v1|v1beta1|admin)(?:/|$)", no_such_path),
]
