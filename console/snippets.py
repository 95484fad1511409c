"""A memory in other forms, to copy: its JSON, and the call that reads it."""

import json
import shlex
from collections.abc import Callable

from memories.wire.names import MemoryName
from memories.wire.resources import Memory


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
