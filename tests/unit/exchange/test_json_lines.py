"""Lines into memories: every mapping, and one clear reason for every line that cannot be one."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.exchange import Mapped, Pair, Refused, read_lines
from memories.wire.resources import NewMemory

LOCOMO = Mapped(
    fact="fact",
    scope=(Pair.parse("user_id=speaker"), Pair.parse("app_name:=locomo")),
    metadata=("session", "confirmed", "place"),
    create_time="time",
)
LINE = {
    "speaker": "Caroline",
    "session": 1,
    "confirmed": True,
    "place": "Rome",
    "time": "2023-05-08T15:56:00+02:00",
    "fact": "Caroline likes 🌻",
    "evidence": ["D1:3"],
}


def read(*lines: bytes | str | Mapping[str, object], mapped: Mapped = LOCOMO) -> list[NewMemory | Refused | None]:
    raw = [
        line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else json.dumps(line).encode()
        for line in lines
    ]
    return [line.outcome for line in read_lines([one + b"\n" for one in raw], mapped)]


def reason(*lines: bytes | str | Mapping[str, object], mapped: Mapped = LOCOMO) -> str:
    outcome = read(*lines, mapped=mapped)[-1]
    assert isinstance(outcome, Refused)
    assert outcome.line == len(lines)
    return outcome.reason


def test_a_mapped_line() -> None:
    (new,) = read(LINE)
    assert isinstance(new, NewMemory)
    assert new.memory.wire() == {
        "fact": "Caroline likes 🌻",
        "scope": {"app_name": "locomo", "user_id": "Caroline"},
        "createTime": "2023-05-08T13:56:00Z",
        "updateTime": "2023-05-08T13:56:00Z",
        "metadata": {
            "session": {"doubleValue": 1.0},
            "confirmed": {"boolValue": True},
            "place": {"stringValue": "Rome"},
        },
    }
    assert new.memory_id is None


def test_a_line_as_the_api_writes_it() -> None:
    line = {
        "name": "projects/p/locations/l/reasoningEngines/1/memories/2",
        "fact": "f",
        "scope": {"b": "2", "a": "1"},
        "create_time": "2026-01-01T00:00:00Z",
        "updateTime": "2026-02-01T00:00:00Z",
        "expireTime": "2030-01-01T00:00:00Z",
        "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}],
        "metadata": {"n": {"doubleValue": 1}},
    }
    (new,) = read(line, mapped=Mapped())
    assert isinstance(new, NewMemory)
    assert new.memory.name is None
    assert new.memory.scope == {"a": "1", "b": "2"}
    assert new.memory.update_time == "2026-02-01T00:00:00Z"
    assert new.memory.expire_time == "2030-01-01T00:00:00Z"


def test_named_fields_of_a_line_as_the_api_writes_it() -> None:
    mapped = Mapped(scope=(Pair("user_id", "who"),), id="key", create_time="at", metadata=("n",))
    (new,) = read({"fact": "f", "who": 7, "key": "m-1", "at": "2026-01-01T00:00:00Z", "n": None}, mapped=mapped)
    assert isinstance(new, NewMemory)
    assert (new.memory_id, new.memory.scope, new.memory.metadata) == ("m-1", {"user_id": "7"}, {})


def test_blank_lines_are_nothing_and_a_byte_order_mark_is_skipped() -> None:
    outcome = read(b"\xef\xbb\xbf" + json.dumps(LINE).encode(), "", "  \r")
    assert isinstance(outcome[0], NewMemory)
    assert outcome[1:] == [None, None]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"\xff\xfe", "not JSON: expected value at column 1"),
        ("{", "not JSON: EOF while parsing"),
        (b'{"fact":"\xff"}', "not JSON: invalid unicode code point"),
        (r'{"fact":"\ud83d"}', "not JSON: "),
        ('{"fact":NaN}', "not JSON: "),
        ("[" * 100_000, "not JSON: recursion limit exceeded"),
        ("[1]", "expected a JSON object; found a list"),
        ("null", "found null"),
        ("x" * (1 << 20), "longer than"),
        ({**LINE, "fact": 1}, "fact: expected text; found a number"),
        ({"speaker": "Ann"}, "fact: the line has no such field"),
        ({**LINE, "speaker": None}, "speaker: a scope value must be text; found null"),
        ({**LINE, "speaker": True}, "speaker: a scope value must be text; found true or false"),
        ({**LINE, "speaker": ""}, "scope.user_id: The value is empty"),
        ({**LINE, "speaker": "a*"}, "must not contain '*'"),
        ({**LINE, "time": "yesterday"}, "time: expected a time such as"),
        ({**LINE, "time": "2026-02-30T00:00:00Z"}, "time: expected a time that exists"),
        ({**LINE, "session": ["a"]}, "session: metadata holds text, numbers and true or false; found a list"),
    ],
)
def test_a_refused_line_says_why(line: bytes | str | Mapping[str, object], expected: str) -> None:
    assert expected in reason(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"fact": "f", "scope": {"a": "1"}, "mood": "x"}, "mood: unknown field"),
        ({"fact": "f"}, "at least one pair"),
        (
            {
                "fact": "f",
                "scope": {"a": "1"},
                "createTime": "2026-01-02T00:00:00Z",
                "updateTime": "2026-01-01T00:00:00Z",
            },
            "updateTime: lies before",
        ),
        ({"fact": "f", "scope": {"a": 1}}, "scope.a"),
        ({"fact": "f", "scope": {"a": "1"}, "metadata": {"n": 1}}, "metadata.n"),
    ],
)
def test_a_line_as_the_api_writes_it_is_read_as_strictly(line: Mapping[str, object], expected: str) -> None:
    assert expected in reason(line, mapped=Mapped())


def test_an_id_of_an_earlier_line() -> None:
    mapped = Mapped(fact="fact", scope=(Pair("a", "1", constant=True),), id="id")
    assert (
        reason({"fact": "f", "id": "x"}, {"fact": "g", "id": "x"}, mapped=mapped)
        == "the id 'x' is already that of line 1"
    )
    assert "cannot be an id" in reason({"fact": "f", "id": "X!"}, mapped=mapped)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("user_id=speaker", Pair("user_id", "speaker")),
        ("app:=shop", Pair("app", "shop", constant=True)),
        ("a:b=c", Pair("a:b", "c")),
        ("k:=a=b", Pair("k", "a=b", constant=True)),
    ],
)
def test_pairs(text: str, pair: Pair) -> None:
    assert Pair.parse(text) == pair


@pytest.mark.parametrize("text", ["", "a", "=b", "a=", "a:="])
def test_what_is_no_pair(text: str) -> None:
    with pytest.raises(ValueError, match="KEY=FIELD"):
        Pair.parse(text)


@given(st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line), max_size=5))
def test_nothing_but_an_outcome_for_any_line(lines: list[bytes]) -> None:
    read(*lines)
    read(*lines, mapped=Mapped())


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner))
)
def test_nothing_but_an_outcome_for_any_json(value: object) -> None:
    for field in ("fact", "scope", "metadata", "time"):
        line = json.dumps({**LINE, "fact": "f", field: value})
        read(line)
        read(line, mapped=Mapped())


def test_progress_counts_bytes() -> None:
    raw = [json.dumps(LINE).encode() + b"\n", b"\n", b"{}\n"]
    assert [line.end for line in read_lines(raw, LOCOMO)] == [len(raw[0]), len(raw[0]) + 1, sum(map(len, raw))]
