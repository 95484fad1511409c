"""Banks and memories, one method for each call of the API. Errors are those of memories.wire.errors."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote

import httpx

from memories.client.transport import (
    LOCAL,
    ONCE,
    PATIENT,
    TIMEOUT,
    InProcess,
    Patience,
    Query,
    Waiting,
    Wire,
    path,
    received,
)
from memories.wire import errors
from memories.wire.names import BankName, MemoryName, RevisionName
from memories.wire.resources import (
    BatchCreateMemoriesRequest,
    BatchCreateMemoriesResponse,
    DeleteReasoningEngineRequest,
    GeneratedMemory,
    GenerateMemoriesRequest,
    GenerateMemoriesResponse,
    IngestEventsRequest,
    ListDeletedMemoriesResponse,
    ListMemoriesResponse,
    ListMemoryRevisionsResponse,
    ListOperationsResponse,
    ListReasoningEnginesResponse,
    ListScopesResponse,
    Memory,
    MemoryConjunctionFilter,
    MemoryRevision,
    Message,
    NearScopesRequest,
    NearScopesResponse,
    NewMemory,
    Operation,
    PurgeMemoriesRequest,
    PurgeMemoriesResponse,
    ReasoningEngine,
    RetrieveMemoriesRequest,
    RetrieveMemoriesResponse,
    RetrieveProfilesRequest,
    RetrieveProfilesResponse,
    RollbackMemoryRequest,
    SimilaritySearchParams,
    SimpleRetrievalParams,
)

ADMIN = frozenset({"list_scopes", "list_deleted", "batch_create", "near_scopes"})
"""The methods that only our own server has."""

_VERSION = "v1beta1"

type Application = Callable[..., Iterable[bytes]]


@functools.cache
def _in_process(app: Application) -> httpx.Client:
    """One client for all threads and people; who calls goes along with each request."""
    return httpx.Client(transport=InProcess(app), base_url=LOCAL, timeout=TIMEOUT)


@dataclass(frozen=True, slots=True)
class Service:
    """One place that holds banks, as one caller sees it."""

    wire: Wire
    project: str
    location: str
    admin: bool
    waiting: Waiting = PATIENT

    @classmethod
    def in_process(
        cls,
        app: Application,
        *,
        principal: object,
        project: str = "local-project",
        location: str = "us-central1",
        admin: bool = True,
    ) -> Self:
        """The server in this process, called as `principal`. Its own limits bound the time; nothing is retried."""
        return cls(Wire(_in_process(app), ONCE, principal), project, location, admin)

    @classmethod
    def at(
        cls,
        url: str,
        *,
        token: str = "",
        project: str = "local-project",
        location: str = "us-central1",
        admin: bool = False,
        patience: Patience | None = None,
        waiting: Waiting | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> Self:
        """A server over HTTP; `token` is sent as a bearer token. `admin` says that it has the Admin API."""
        headers = {"Authorization": f"Bearer {token.strip()}"} if token else {}
        http = httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT, transport=transport)
        return cls(Wire(http, patience or Patience()), project, location, admin, waiting or PATIENT)

    def close(self) -> None:
        """Ends the connections of a service made by `at`."""
        self.wire.http.close()

    @property
    def parent(self) -> str:
        return f"projects/{self.project}/locations/{self.location}"

    def list_banks(
        self, *, location: str = "", page_size: int = 100, page_token: str = ""
    ) -> ListReasoningEnginesResponse:
        """Location `-` means every one, which our own server answers."""
        query: Query = {"pageSize": page_size, "pageToken": page_token}
        return self.wire.call("GET", self._banks(location), ListReasoningEnginesResponse, query=query)

    def create_bank(self, engine: ReasoningEngine, *, reason: str = "") -> ReasoningEngine:
        operation = self.wire.call("POST", self._banks(), Operation, body=engine, headers=_reasons(reason))
        made = received(self.wait(operation).response or {}, ReasoningEngine)
        if made.name is None:
            raise errors.Internal("The bank was created, but the answer does not name it.")
        return made

    def bank(self, name: BankName) -> "Bank":
        return Bank(self, name)

    def wait(self, operation: Operation) -> Operation:
        """The operation when done; its error raised; DeadlineExceeded, naming it, when it takes too long."""
        until = self.waiting.clock() + self.waiting.limit
        name = operation.name
        first = True
        while not operation.done:
            if not name:
                raise errors.Internal("The bank answered with an operation that is not done and has no name.")
            if not first:
                if self.waiting.clock() >= until:
                    raise errors.DeadlineExceeded(
                        f"The operation is not finished after {self.waiting.limit:g} seconds and goes on: {name}"
                    )
                self.waiting.sleep(self.waiting.interval)
            operation = self.wire.call("GET", path(_VERSION, *name.split("/")), Operation)
            first = False
        if operation.error is not None:
            raise errors.from_rpc_status(operation.error)
        return operation

    def _banks(self, location: str = "") -> str:
        return path(_VERSION, "projects", self.project, "locations", location or self.location, "reasoningEngines")


@dataclass(frozen=True, slots=True)
class Bank:
    service: Service
    name: BankName

    def offers(self, method: str) -> bool:
        """Whether this bank has a method of the Admin API (`ADMIN`); the methods of Google's API are always there."""
        return method not in ADMIN or self.service.admin

    # --- the bank itself ---

    def get(self) -> ReasoningEngine:
        return self._call("GET", ReasoningEngine)

    def update(self, engine: ReasoningEngine, *, mask: Sequence[str], reason: str = "") -> ReasoningEngine:
        """`mask` names fields in either spelling, such as `displayName`."""
        query = {"updateMask": ",".join(mask)}
        done = self._operate("PATCH", query=query, body=engine, headers=_reasons(reason))
        found = received(done.response or {}, ReasoningEngine)
        return found if found.name else self.get()

    def delete(self, *, force: bool = False, reason: str = "") -> None:
        """Without `force` a bank that holds memories is FailedPrecondition."""
        body = DeleteReasoningEngineRequest(force=True) if force else None
        self._operate("DELETE", body=body, headers=_reasons(reason))

    # --- memories ---

    def list_memories(
        self, *, filter: str = "", order_by: str = "", page_size: int = 50, page_token: str = ""
    ) -> ListMemoriesResponse:
        query = {"filter": filter, "orderBy": order_by, "pageSize": page_size, "pageToken": page_token}
        return self._call("GET", ListMemoriesResponse, "memories", query=query)

    def get_memory(self, id: str) -> Memory:
        return self._call("GET", Memory, *self._memory(id))

    def create_memory(self, memory: Memory, *, memory_id: str = "", reason: str = "") -> Memory:
        query = {"memoryId": memory_id}
        done = self._operate("POST", "memories", query=query, body=memory, headers=_reasons(reason))
        return self._made(done, memory_id)

    def update_memory(
        self, id: str, memory: Memory, *, mask: Sequence[str], if_match: str = "", reason: str = ""
    ) -> Memory:
        """Only what `mask` names is changed. `if_match` is the `updateTime` it must still have (else Aborted), where
        the bank honours it.
        """
        headers = _reasons(reason) | _if_match(if_match)
        query = {"updateMask": ",".join(mask)}
        return self._made(self._operate("PATCH", *self._memory(id), query=query, body=memory, headers=headers), id)

    def delete_memory(self, id: str, *, if_match: str = "", reason: str = "") -> None:
        self._operate("DELETE", *self._memory(id), headers=_reasons(reason) | _if_match(if_match))

    def rollback_memory(self, id: str, revision_id: str, *, if_match: str = "", reason: str = "") -> Memory:
        """Also revives a memory deleted in the last 48 hours."""
        *parent, own = self._memory(id)
        body = RollbackMemoryRequest(target_revision_id=revision_id)
        headers = _reasons(reason) | _if_match(if_match)
        return self._made(self._operate("POST", *parent, f"{own}:rollback", body=body, headers=headers), id)

    def list_revisions(
        self, id: str, *, filter: str = "", page_size: int = 100, page_token: str = ""
    ) -> ListMemoryRevisionsResponse:
        """Newest first; also of a memory deleted in the last 48 hours."""
        query = {"filter": filter, "pageSize": page_size, "pageToken": page_token}
        return self._call("GET", ListMemoryRevisionsResponse, *self._memory(id), "revisions", query=query)

    def get_revision(self, id: str, revision_id: str) -> MemoryRevision:
        name = RevisionName.parse(f"{self.name}/memories/{id}/revisions/{revision_id}")
        return self._call("GET", MemoryRevision, *self._memory(id), "revisions", name.id)

    def list_operations(self, *, page_size: int = 100, page_token: str = "") -> ListOperationsResponse:
        query = {"pageSize": page_size, "pageToken": page_token}
        return self._call("GET", ListOperationsResponse, "operations", query=query)

    # --- what an agent gets ---

    def retrieve(
        self,
        scope: Mapping[str, str],
        *,
        query: str = "",
        top_k: int = 0,
        filter: str = "",
        groups: Sequence[MemoryConjunctionFilter] = (),
        types: Sequence[str] = (),
        page_size: int = 0,
        page_token: str = "",
    ) -> RetrieveMemoriesResponse:
        """With `query` the nearest first, `top_k` of them (the bank's default where it is 0); else in pages."""
        asked = RetrieveMemoriesRequest(
            scope=dict(scope),
            filter=filter or None,
            filter_groups=list(groups) or None,
            memory_types=list(types) or None,
        )
        if query:
            asked.similarity_search_params = SimilaritySearchParams(search_query=query, top_k=top_k or None)
        elif page_size or page_token:
            asked.simple_retrieval_params = SimpleRetrievalParams(
                page_size=page_size or None, page_token=page_token or None
            )
        return self._call("POST", RetrieveMemoriesResponse, "memories:retrieve", body=asked, read=True)

    def retrieve_profiles(self, scope: Mapping[str, str]) -> RetrieveProfilesResponse:
        asked = RetrieveProfilesRequest(scope=dict(scope))
        return self._call("POST", RetrieveProfilesResponse, "memories:retrieveProfiles", body=asked, read=True)

    # --- many at once ---

    def purge(
        self, *, filter: str = "", groups: Sequence[MemoryConjunctionFilter] = (), force: bool = False, reason: str = ""
    ) -> int:
        """How many memories match; with `force` they are deleted."""
        asked = PurgeMemoriesRequest(filter=filter or None, filter_groups=list(groups) or None, force=force)
        done = self._operate("POST", "memories:purge", body=asked, headers=_reasons(reason))
        return received(done.response or {}, PurgeMemoriesResponse).purge_count

    def generate(self, request: GenerateMemoriesRequest, *, reason: str = "") -> list[GeneratedMemory]:
        done = self._operate("POST", "memories:generate", body=request, headers=_reasons(reason))
        return received(done.response or {}, GenerateMemoriesResponse).generated_memories

    def ingest_events(self, request: IngestEventsRequest, *, reason: str = "") -> None:
        self._operate("POST", "memories:ingestEvents", body=request, headers=_reasons(reason))

    # --- the Admin API ---

    def near_scopes(self, scope: Mapping[str, str]) -> NearScopesResponse:
        """The scopes that are nearly this one: spelled otherwise, with a key more or less, or with another value."""
        asked = NearScopesRequest(scope=dict(scope))
        return self._admin("near_scopes", "POST", NearScopesResponse, "scopes:near", body=asked, read=True)

    def list_scopes(
        self, *, filter: str = "", search: str = "", order_by: str = "", page_size: int = 100, page_token: str = ""
    ) -> ListScopesResponse:
        """The last written first. `filter` takes `scope.KEY="value"`; of `search` each word must stand in a pair."""
        query = {
            "filter": filter,
            "search": search,
            "orderBy": order_by,
            "pageSize": page_size,
            "pageToken": page_token,
        }
        return self._admin("list_scopes", "GET", ListScopesResponse, "scopes", query=query)

    def list_deleted(self, *, page_size: int = 50, page_token: str = "") -> ListDeletedMemoriesResponse:
        query = {"pageSize": page_size, "pageToken": page_token}
        return self._admin("list_deleted", "GET", ListDeletedMemoriesResponse, "deletedMemories", query=query)

    def batch_create(self, memories: Sequence[NewMemory], *, reason: str = "") -> BatchCreateMemoriesResponse:
        """All or nothing."""
        body = BatchCreateMemoriesRequest(requests=list(memories))
        return self._admin(
            "batch_create",
            "POST",
            BatchCreateMemoriesResponse,
            "memories:batchCreate",
            body=body,
            headers=_reasons(reason),
        )

    # --- how ---

    def _bank(self) -> tuple[str, ...]:
        return tuple(str(BankName.parse(str(self.name))).split("/"))

    def _memory(self, id: str) -> tuple[str, str]:
        return "memories", MemoryName.parse(f"{self.name}/memories/{id}").id

    def _call[M: Message](self, method: str, answer: type[M], *below: str, **options: Any) -> M:
        return self.service.wire.call(method, path(_VERSION, *self._bank(), *below), answer, **options)

    def _operate(self, method: str, *below: str, **options: Any) -> Operation:
        return self.service.wait(self._call(method, Operation, *below, **options))

    def _admin[M: Message](self, name: str, method: str, answer: type[M], *below: str, **options: Any) -> M:
        if not self.offers(name):
            raise errors.Unimplemented(f"This bank does not offer {name}.")
        return self.service.wire.call(method, path("admin", "v1", *self._bank(), *below), answer, **options)

    def _made(self, operation: Operation, id: str) -> Memory:
        """The memory as the operation left it; read again where the answer holds no more than its name."""
        memory = received(operation.response or {}, Memory)
        if memory.scope is not None and memory.name is not None:
            return memory
        if memory.name is not None:
            id = memory.name.rpartition("/")[2]
        if not id:
            raise errors.Internal("The memory was created, but the answer does not name it.")
        return self.get_memory(id)


def _if_match(update_time: str) -> dict[str, str]:
    return {"If-Match": f'"{update_time}"'} if update_time else {}


def _reasons(reason: str) -> dict[str, str]:
    """Google's own header for why something is done; percent-encoded, since headers are ASCII."""
    return {"X-Goog-Request-Reason": quote(reason)} if reason else {}
