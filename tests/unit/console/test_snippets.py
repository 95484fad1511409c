"""A memory to copy: the snippets are valid, whatever the memory holds."""

import ast
import json
import shlex

from hypothesis import given
from hypothesis import strategies as st

from console import snippets
from memories.wire.resources import Memory

NAME = "projects/p/locations/us-central1/reasoningEngines/1/memories/m-1"
MEMORY = Memory(name=NAME, fact="I'm “Ann”, קפה 😀\n</script>", scope={"user_id": 'O\'Brien "Q"'})
URL = "http://127.0.0.1:8000"


def command(url: str) -> list[str]:
    """The words that a shell makes of it."""
    return shlex.split(snippets.as_curl(MEMORY, url).replace("\\\n", ""))


def test_json_is_the_memory_as_the_api_gives_it() -> None:
    text = snippets.as_json(MEMORY, URL)
    assert json.loads(text) == MEMORY.wire()
    assert "קפה 😀" in text


def test_curl_is_one_command() -> None:
    words = command(URL)
    assert words == ["curl", "-H", "Authorization: Bearer $TOKEN", f"{URL}/v1beta1/{NAME}"]


def test_python_is_python() -> None:
    text = snippets.as_python(MEMORY, URL)
    assert NAME in {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_no_address_breaks_out_of_a_snippet(url: str) -> None:
    assert command(url)[-1] == f"{url}/v1beta1/{NAME}"
    nodes = ast.walk(ast.parse(snippets.as_python(MEMORY, url)))
    assert url in {node.value for node in nodes if isinstance(node, ast.Constant)}
