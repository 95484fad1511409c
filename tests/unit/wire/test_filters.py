"""The filter language: text to tree and back, faults with their column, known fields, and the exact test."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memories.wire.filters import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_RESTRICTIONS,
    MEMORY_FIELDS,
    REVISION_FIELDS,
    And,
    FilterError,
    Node,
    Not,
    Or,
    Path,
    Restriction,
    Value,
    check,
    conjuncts,
    fold,
    parse,
    pattern,
    predicate,
    quote,
    restrictions,
    text,
)

HOSTILE = [
    "\"\\()[]{}^~*?:;'%_#",
    "<img src=x onerror=alert(1)>",
    "u-1 OR user_id:u-2",
    'a" OR fact=~".*',
    "\\",
    '\\"',
    "line\nbreak\ttab",
    "\x00",
    "קפה שחור",
    "😀👩‍👩‍👧",
    "\u202eright to left",
    "AND",
    "NOT",
    " leading and trailing ",
]

# --- strategies -------------------------------------------------------------------------------------------------------

anything = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(HOSTILE)
names = st.sampled_from(["fact", "scope", "create_time", "topics", "a", "Zahl_1", "with-hyphen", "ñ"])
paths: st.SearchStrategy[Path] = st.builds(lambda head, rest: (head, *rest), names, st.lists(anything, max_size=2))
leaves: st.SearchStrategy[Node] = st.builds(
    Restriction, paths, st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "=~", ":"]), anything
)


def _joined(kind: type[And] | type[Or], parts: list[Node]) -> Node:
    return kind(tuple(parts))


def _branches(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.builds(_joined, st.just(And), several) | st.builds(_joined, st.just(Or), several) | st.builds(Not, inner)


trees = st.recursive(leaves, _branches, max_leaves=12)


# --- text to tree and back --------------------------------------------------------------------------------------------


@given(trees)
def test_a_tree_survives_its_text(tree: Node) -> None:
    assert parse(text(tree)) == tree


@given(st.text(max_size=60) | st.lists(st.sampled_from([*"()\"\\=~:.-<>!' ab", "AND ", "OR ", "NOT "])).map("".join))
@example("(" * 5000)
@example("NOT " * 2000)
@example("-" * 8000)
@example('fact="' + "\\" * 8000)
@example("a" * (MAX_LENGTH + 1))
@example("a=\ud800")
@example('fact=~"' + "(" * 3000 + '"')
@example('fact=~"(((a{1000}){1000}){1000})"')
def test_no_text_raises_anything_but_a_filter_error(source: str) -> None:
    try:
        tree = check(parse(source))
    except FilterError as error:
        assert 1 <= error.column <= max(len(source), MAX_LENGTH) + 1
        assert error.length >= 1
        assert error.expected
        assert error.http == 400
    else:
        predicate(tree)(lambda path: None)


@given(anything)
def test_a_value_cannot_leave_its_quotes(value: str) -> None:
    assert parse(f"scope.user_id={quote(value)}") == Restriction(("scope", "user_id"), "=", value)


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("a=1 AND b=2 OR c=3", "a=1 AND (b=2 OR c=3)"),
        ("a=1 OR b=2 AND c=3", "(a=1 OR b=2) AND c=3"),
        ("a=1 b=2 OR c=3", "a=1 AND (b=2 OR c=3)"),
        ("a=1 OR b=2 c=3 OR d=4", "(a=1 OR b=2) AND (c=3 OR d=4)"),
        ("NOT a=1 OR b=2", "(NOT a=1) OR b=2"),
        ("-a=1 AND b=2", "(NOT a=1) AND b=2"),
        ("a = 1  AND\n b  =  2", "a=1 AND b=2"),
        ('a="1"', "a=1"),
        ("(((a=1)))", "a=1"),
    ],
)
def test_or_binds_tighter_than_and(source: str, same: str) -> None:
    assert parse(source) == parse(same)


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("fact=x", ("fact",)),
        ("scope.user_id=x", ("scope", "user_id")),
        ("scope.user-id=x", ("scope", "user-id")),
        ("scope.1=x", ("scope", "1")),
        ('scope."my key"=x', ("scope", "my key")),
        ('scope."a.b"=x', ("scope", "a.b")),
        ('scope."say \\"hi\\""=x', ("scope", 'say "hi"')),
        ("topics.managed_memory_topic: x", ("topics", "managed_memory_topic")),
    ],
)
def test_fields(source: str, path: Path) -> None:
    assert parse(source) == Restriction(path, parse(source).op, "x")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("fact=plain", "plain"),
        ("fact=a.b:c*d", "a.b:c*d"),
        ("update_time>=2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("create_time<-5", "-5"),
        ('fact=""', ""),
        (r'fact="a\"b"', 'a"b'),
        (r'fact="a\\b"', "a\\b"),
        (r'fact=~"\d+\."', r"\d+\."),
        ('fact="AND"', "AND"),
        ("fact=ANDROID", "ANDROID"),
        ("fact=NOTE", "NOTE"),
        ("fact=a,b", "a,b"),
    ],
)
def test_values(source: str, value: str) -> None:
    (one,) = restrictions(parse(source))
    assert one.value == value


def test_a_restriction_knows_where_it_stands() -> None:
    first, second = restrictions(parse("fact=a AND scope.user_id = bcd"))
    assert (first.column, first.length, first.value_column) == (1, 6, 6)
    assert (second.column, second.length, second.value_column) == (12, 19, 28)


def test_conjuncts_look_through_nested_ands_only() -> None:
    tree = parse("a=1 AND (b=2 AND c=3) AND (d=4 OR e=5)")
    assert [text(part) for part in conjuncts(tree)] == ['a="1"', 'b="2"', 'c="3"', 'd="4" OR e="5"']
    assert conjuncts(parse("a=1 OR b=2")) == (parse("a=1 OR b=2"),)


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "column", "says"),
    [
        ("", 1, "expected a condition"),
        ("   ", 4, "expected a condition"),
        ("AND", 1, "expected a condition"),
        ("OR a=1", 1, "expected a condition"),
        ("NOT", 4, "expected a condition"),
        ("a=1 AND", 8, "found the end"),
        ("a=1 AND AND b=2", 9, "expected a condition"),
        ("a=1 OR", 7, "found the end"),
        ("a=1 AND OR b=2", 9, "expected a condition"),
        ("peanut", 7, "expected a comparison"),
        ("fact", 5, "expected a comparison"),
        ("fact=", 6, "expected a value"),
        ("fact=AND", 6, "expected a value"),
        ("fact==x", 6, "expected a value"),
        ("fact='x'", 6, "double quotes"),
        ("'fact'=x", 1, "double quotes"),
        ('fact="x', 6, "never closed"),
        ('fact="x\\"', 6, "never closed"),
        ('fact="x"y', 9, "expected a space"),
        ("(fact=x", 1, "never closed"),
        ("((fact=x)", 1, "never closed"),
        ("fact=x)", 7, "never opened"),
        ("()", 2, "expected a condition"),
        ("scope.=x", 7, "expected a key"),
        ("scope.my key=x", 10, "expected a comparison"),
        ("=x", 1, "expected a condition"),
        ('fact="a\ud83d"', 8, "half of a surrogate pair"),
        ("(" * (MAX_DEPTH + 1) + "a=1" + ")" * (MAX_DEPTH + 1), MAX_DEPTH + 2, "nest at most"),
        (" ".join(["a=1"] * (MAX_RESTRICTIONS + 1)), 4 * MAX_RESTRICTIONS + 1, "at most 100 conditions"),
        ("a=" + "x" * MAX_LENGTH, MAX_LENGTH + 1, "at most 8192 characters"),
    ],
)
def test_a_fault_names_its_column(source: str, column: int, says: str) -> None:
    with pytest.raises(FilterError) as raised:
        parse(source)
    assert (raised.value.column, says in raised.value.expected) == (column, True), raised.value.message
    assert raised.value.violations == [("filter", f"column {column}: {raised.value.expected}")]


# Cases D28 and D29: what people and agents really send.
@pytest.mark.parametrize(
    ("source", "column", "says"),
    [
        ('fact=~"(["', 7, "not a regular expression of RE2"),
        ('fact=~"(?=x)"', 7, "not a regular expression of RE2"),
        ("foo=1", 1, "unknown field 'foo'; use fact"),
        ("fact=x AND labels.a=1", 12, "unknown field 'labels.a'"),
        ("scope.a.b=1", 1, "unknown field"),
        ("topics=x", 1, "unknown field"),
        ('update_time>="yesterday"', 14, "expected a time such as"),
        ('update_time>="2026-02-30T00:00:00Z"', 14, "a time that exists"),
        ("update_time>='2026-01-01T00:00:00Z'", 14, "double quotes"),
        ("create_time>9223372036854775807", 13, "between the years 1 and 9999"),
        ("create_time:2026-01-01T00:00:00Z", 1, "does not take ':'"),
        ('create_time=~"2026.*"', 1, "does not take '=~'"),
        ("fact>a", 1, "does not take '>'"),
        ('scope:"{}"', 1, "does not take ':'"),
        ("scope=user", 7, "JSON object"),
        ('scope="{}"', 7, "at least one pair"),
        ('scope="{\\"a\\": \\"\\"}"', 7, "empty"),
        ('scope="{\\"a\\": \\"*\\"}"', 7, "must not contain '*'"),
        ('scope="{\\"a\\": 1}"', 7, "JSON object of strings"),
        ('scope="{\\"a\\": \\"\\\\ud83d\\"}"', 7, "Half of a surrogate pair"),
        ('scope.user_id=""', 15, "the value is empty"),
        ("memory_type=OTHER", 13, "expected one of NATURAL_LANGUAGE_COLLECTION"),
        ("topics.managed_memory_topic:OTHER", 29, "expected one of USER_PERSONAL_INFO"),
    ],
)
def test_a_wrong_condition_names_its_column(source: str, column: int, says: str) -> None:
    with pytest.raises(FilterError) as raised:
        check(parse(source))
    assert raised.value.column == column, raised.value.message
    assert says in raised.value.message


def test_revisions_are_filtered_by_labels_alone() -> None:
    assert check(parse("labels.data_source=321"), REVISION_FIELDS) == Restriction(("labels", "data_source"), "=", "321")
    with pytest.raises(FilterError, match=r"unknown field 'fact'; use labels\.KEY"):
        check(parse("fact=x"), REVISION_FIELDS)


# --- known fields -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "checked"),
    [
        ("createTime>5", Restriction(("create_time",), ">", 5)),
        ("create_time>=-62135596800000000", Restriction(("create_time",), ">=", -62_135_596_800_000_000)),
        ('updateTime="1970-01-01T00:00:01.5+00:00"', Restriction(("update_time",), "=", 1_500_000)),
        ("expire_time<1970-01-01T01:00:00+01:00", Restriction(("expire_time",), "<", 0)),
        ("displayName:x", Restriction(("display_name",), ":", "x")),
        ("topics.customMemoryTopicLabel:x", Restriction(("topics", "custom_memory_topic_label"), ":", "x")),
        ("memoryType=STRUCTURED_PROFILE", Restriction(("memory_type",), "=", "STRUCTURED_PROFILE")),
        ("scope.userId=x", Restriction(("scope", "userId"), "=", "x")),
        ('scope="{\\"b\\": \\"2\\", \\"a\\": \\"1\\"}"', Restriction(("scope",), "=", '{"a":"1","b":"2"}')),
    ],
)
def test_check_settles_names_and_types(source: str, checked: Restriction) -> None:
    assert check(parse(source)) == checked


@given(st.sampled_from(list(MEMORY_FIELDS)), st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
def test_a_checked_tree_survives_its_text(path: Path, micros: int) -> None:
    times = Restriction(("create_time",), ">=", micros)
    assert check(parse(text(times))) == times
    assert check(parse(text(Or((times, Not(times)))))) == Or((times, Not(times)))


# --- the exact test ---------------------------------------------------------------------------------------------------

TEA: dict[Path, Value] = {
    ("fact",): "Drinks green tea.\nNever coffee.",
    ("scope",): '{"user_id":"u-1"}',
    ("scope", "user_id"): "u-1",
    ("create_time",): 1_000,
    ("topics", "custom_memory_topic_label"): ("drinks", "a|b"),
    ("topics", "managed_memory_topic"): ("USER_PREFERENCES",),
}


@pytest.mark.parametrize(
    ("source", "matches"),
    [
        ('fact="Drinks green tea.\nNever coffee."', True),
        ('fact="drinks green tea.\nnever coffee."', False),
        ('fact:"GREEN TEA"', True),
        ("fact:coffee fact:tea", True),
        ("fact:peanut OR fact:tea", True),
        ("NOT fact:peanut", True),
        ('fact=~"tea"', False),
        ('fact=~".*tea.*"', True),
        ('fact=~"Drinks.*coffee\\."', True),
        ('fact=~"(?i).*GREEN.*"', True),
        ("scope.user_id=u-1", True),
        ("scope.user_id=u-12", False),
        ("scope.user_id=u", False),
        ("scope.user_id:u", True),
        ("scope.user_id=u-*", False),
        ("scope.other=u-1", False),
        ("scope.other!=u-1", True),
        ("NOT scope.other=u-1", True),
        ('scope="{\\"user_id\\": \\"u-1\\"}"', True),
        ('scope!="{\\"user_id\\": \\"u-1\\"}"', False),
        ("create_time=1000", True),
        ("create_time>=1000 create_time<=1000", True),
        ("create_time>1000 OR create_time<1000", False),
        ("create_time!=1000", False),
        ("expire_time>0", False),
        ("expire_time!=0", True),
        ("topics.custom_memory_topic_label:drinks", True),
        ('topics.custom_memory_topic_label="a|b"', True),
        ("topics.custom_memory_topic_label:a", False),
        ("topics.custom_memory_topic_label!=drinks", False),
        ("topics.managed_memory_topic:USER_PREFERENCES", True),
        ("topics.managed_memory_topic:USER_PERSONAL_INFO", False),
        ("display_name=x", False),
    ],
)
def test_predicate(source: str, matches: bool) -> None:
    assert predicate(check(parse(source)))(TEA.get) is matches


def test_missing_topics_match_only_by_exclusion() -> None:
    nothing: dict[Path, Value] = {("topics", "custom_memory_topic_label"): ()}
    assert not predicate(check(parse("topics.custom_memory_topic_label:x")))(nothing.get)
    assert predicate(check(parse("topics.custom_memory_topic_label!=x")))(nothing.get)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("é", "CAFE\u0301"),
        ("e\u0301", "É"),
        ("straße", "STRASSE"),
        ("使って", "私はPythonでADKを使っています"),
        ("python", "私はPythonでADKを使っています"),
        ("קפה", "חובב קפה שחור"),
    ],
)
def test_contains_ignores_case_and_composition(wanted: str, found: str) -> None:
    record: dict[Path, Value] = {("fact",): found}
    assert predicate(check(parse(f"fact:{quote(wanted)}")))(record.get)


@given(anything)
def test_folding_twice_changes_nothing(value: str) -> None:
    assert fold(fold(value)) == fold(value)


@given(anything)
def test_a_pattern_takes_any_text(value: str) -> None:
    assert pattern(".*")(value)
    assert pattern("(?s).*")(value)


def test_a_pattern_runs_in_linear_time() -> None:
    assert not pattern("(a*)*b")("a" * 50_000)
