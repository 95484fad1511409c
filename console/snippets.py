"""What can be copied: a memory as JSON and the call that reads it; the call that retrieves memories."""

import json
import pprint
import shlex
from collections.abc import Callable

from memories.wire.names import BankName, MemoryName
from memories.wire.resources import Memory, RetrieveMemoriesRequest


def as_json(memory: Memory, base_url: str) -> str:
    return json.dumps(memory.wire(), ensure_ascii=False, indent=2) + "\n"


def as_curl(memory: Memory, base_url: str) -> str:
    url = f"{base_url}/v1beta1/{memory.name}"
    return f'curl -H "Authorization: Bearer $TOKEN" \\\n  {shlex.quote(url)}\n'


def as_python(memory: Memory, base_url: str) -> str:
    name = MemoryName.parse(memory.name or "")
    return f"""import os

import agentplatform
from google.oauth2.credentials import Credentials

client = agentplatform.Client(
    project={json.dumps(name.bank.project)},
    location={json.dumps(name.bank.location)},
    credentials=Credentials(os.environ["TOKEN"]),
    http_options={{"base_url": {json.dumps(base_url)}}},
)
memory = client.memory_banks.memories.get(name={json.dumps(str(name))})
print(memory.fact)
"""


FORMS: dict[str, Callable[[Memory, str], str]] = {"json": as_json, "curl": as_curl, "python": as_python}


# --- RetrieveMemories -------------------------------------------------------------------------------------------------

GENERATIONS = {
    "memory_banks.memories.retrieve": "agentplatform",
    "agent_engines.memories.retrieve": "vertexai",
    "agent_engines.retrieve_memories": "vertexai",
}
"""The calls of Google's SDK, the newest first, and the package of each."""


def retrieval(request: RetrieveMemoriesRequest, bank: BankName, base_url: str) -> list[dict[str, str]]:
    """The request as JSON, as curl, and as each generation of the SDK asks it."""
    text = json.dumps(request.wire(), ensure_ascii=False, indent=2)
    url = f"{base_url}/v1beta1/{bank}/memories:retrieve"
    curl = (
        f'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  {shlex.quote(url)} \\\n'
        f"  --data-raw {shlex.quote(text)}\n"
    )
    found = [
        {"id": "json", "title": "JSON", "note": f"POST {url}", "text": f"{text}\n"},
        {"id": "curl", "title": "curl", "note": "", "text": curl},
    ]
    for number, (call, package) in enumerate(GENERATIONS.items(), 1):
        python = _retrieval_in_python(request, bank, base_url, call, package)
        found.append({"id": f"python-{number}", "title": "Python", "note": f"{package}: client.{call}", "text": python})
    return found


def _retrieval_in_python(
    request: RetrieveMemoriesRequest, bank: BankName, base_url: str, call: str, package: str
) -> str:
    fields = request.model_dump(mode="json", by_alias=False, exclude_none=True)
    config = {name: fields.pop(name) for name in ("filter", "filter_groups", "memory_types") if name in fields}
    arguments = {"name": str(bank)} | fields | ({"config": config} if config else {})
    written = "".join(f"    {name}={_literal(value)},\n" for name, value in arguments.items())
    return f"""import os

import {package}
from google.oauth2.credentials import Credentials

client = {package}.Client(
    project={json.dumps(bank.project)},
    location={json.dumps(bank.location)},
    credentials=Credentials(os.environ["TOKEN"]),
    http_options={{"base_url": {json.dumps(base_url)}}},
)
found = client.{call}(
{written})
for one in found:
    print(one.distance, one.memory.fact)
"""


def _literal(value: object) -> str:
    """As Python writes it, a field a line, indented as an argument."""
    return pprint.pformat(value, width=100, sort_dicts=False).replace("\n", "\n    ")
