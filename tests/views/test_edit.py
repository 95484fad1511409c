"""Editing: only what changed is sent, what was typed is never lost, and nobody overwrites anybody unseen."""

import json
from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client

from memories.wire.resources import Memory
from tests.made import People, signed_in
from tests.views.answers import HTMX, fields_of, link, read, text_of, words_of
from tests.views.place import SCOPE, Place

FULL: dict[str, Any] = {
    "displayName": "Home",
    "description": "Where\nthe guest lives.",
    "topics": [
        {"customMemoryTopicLabel": "a|b"},
        {"managedMemoryTopic": "USER_PREFERENCES"},
        {"customMemoryTopicLabel": "Smith, Ann"},
        {"managedMemoryTopic": "USER_PERSONAL_INFO"},
    ],
    "metadata": {
        "text": {"stringValue": "  two  words\nand lines "},
        "number": {"doubleValue": 0.1},
        "yes": {"boolValue": True},
        "moment": {"timestampValue": "2026-01-31T09:30:00.123456Z"},
    },
    "expireTime": "2999-05-06T07:08:00.123456Z",
}


def opened(client: Client, place: Place, memory: str) -> HttpResponseBase:
    answer = client.get(place.url("memory_edit", memory))
    assert answer.status_code == 200, words_of(answer)
    return answer


def saved(client: Client, place: Place, memory: str, page: HttpResponseBase, **typed: Any) -> HttpResponseBase:
    return client.post(place.url("memory_edit", memory), fields_of(page, **typed))


def without_times(memory: Memory) -> dict[str, Any]:
    return {key: value for key, value in memory.wire().items() if key not in ("fact", "updateTime")}


# D33
@pytest.mark.parametrize("zone", ["UTC", "Asia/Jerusalem", "America/Sao_Paulo"])
def test_only_the_fact_is_changed(zone: str, place: Place, as_support: Client) -> None:
    as_support.cookies["timezone"] = zone
    memory = place.add("I live in Rome.", **FULL)
    before = place.get(memory)
    answer = saved(as_support, place, memory, opened(as_support, place, memory), fact="I live in Milan.")
    assert (answer.status_code, answer.headers["Location"]) == (302, place.url("memory", memory))
    after = place.get(memory)
    assert after.fact == "I live in Milan."
    assert without_times(after) == without_times(before)
    assert "Saved: Fact." in words_of(as_support.get(answer.headers["Location"]))
    assert len(place.revisions(memory)) == 2


def test_nothing_changed_sends_nothing(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.\n", **FULL)
    before = place.get(memory)
    answer = saved(as_support, place, memory, opened(as_support, place, memory))
    assert "Nothing was changed." in words_of(as_support.get(answer.headers["Location"]))
    assert place.get(memory) == before
    assert len(place.revisions(memory)) == 1
    assert place.trail(memory) == []


def test_a_form_drawn_in_one_zone_and_sent_in_another(place: Place, as_support: Client) -> None:
    """The first page that a browser ever sees is drawn before it could say its zone."""
    memory = place.add("I live in Rome.", **FULL)
    page = opened(as_support, place, memory)
    as_support.cookies["timezone"] = "Asia/Jerusalem"
    saved(as_support, place, memory, page, fact="I live in Milan.", expires="2999-05-06T07:09")
    assert place.get(memory).expire_time == "2999-05-06T07:09:00Z"


def test_everything_can_be_changed(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", **FULL)
    as_support.cookies["timezone"] = "Asia/Jerusalem"
    answer = saved(
        as_support,
        place,
        memory,
        opened(as_support, place, memory),
        display_name="Flat",
        description="",
        topics=["EXPLICIT_INSTRUCTIONS"],
        labels="a|b\r\nnew",
        expires="2999-01-01T00:00",
        metadata_key=["n", "t"],
        metadata_kind=["double", "timestamp"],
        metadata_value=["42", "2026-07-25T05:00"],
    )
    said = words_of(as_support.get(answer.headers["Location"]))
    assert "Saved: Display name, Description, Topics, Metadata, Expiry." in said
    found = place.get(memory).wire()
    assert found["displayName"] == "Flat"
    assert "description" not in found
    assert found["topics"] == [
        {"customMemoryTopicLabel": "a|b"},
        {"managedMemoryTopic": "EXPLICIT_INSTRUCTIONS"},
        {"customMemoryTopicLabel": "new"},
    ]
    assert found["metadata"] == {"n": {"doubleValue": 42.0}, "t": {"timestampValue": "2026-07-25T02:00:00Z"}}
    assert found["expireTime"] == "2998-12-31T22:00:00Z"
    assert found["fact"] == "I live in Rome."


def test_expiry_is_taken_away(place: Place, as_support: Client) -> None:
    memory = place.add(**FULL)
    saved(as_support, place, memory, opened(as_support, place, memory), expires="")
    assert place.get(memory).expire_time is None


# D34
def test_the_scope_stays_and_the_form_says_why(place: Place, as_support: Client) -> None:
    memory = place.add(scope={"user_id": "u-7"})
    page = opened(as_support, place, memory)
    assert "A scope is set when the memory is made and cannot change" in words_of(page)
    assert not [name for name in fields_of(page) if name.startswith("scope")]
    saved(as_support, place, memory, page, fact="I live in Milan.", scope_key=["user_id"], scope_value=["u-8"])
    assert place.get(memory).scope == {"user_id": "u-7"}
    assert "I live in Milan." in words_of(as_support.get(place.list, {"q": "user_id:u-7"}))


# D38: list, page and copy agree at once.
def test_after_saving_all_pages_agree(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.")
    saved(as_support, place, memory, opened(as_support, place, memory), fact="I live in Milan.")
    for url in (
        place.list,
        f"{place.list}?q=Milan",
        place.url("memory_copy", memory, "json"),
        place.url("memory", memory),
    ):
        assert "I live in Milan." in words_of(as_support.get(url))
    assert "No memory matches" in words_of(as_support.get(place.list, {"q": "Rome"}))


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"fact": " \u200b\n"}, "A fact cannot be blank."),
        ({"fact": "\u3164"}, "is blank"),
        ({"fact": "é" * 40_000}, "The fact has 80000 bytes; at most 65536 fit."),
        ({"expires": "2026-02-30T00:00"}, "“2026-02-30T00:00” is not a time that exists"),
        ({"display_name": "x" * 129}, "at most 128 characters"),
        ({"labels": "x" * 600}, "bytes; at most 512 fit"),
        (
            {"metadata_key": ["n"], "metadata_kind": ["double"], "metadata_value": ["many"]},
            "“many” is not a number; write it as 0.9 or 42.",
        ),
        (
            {"metadata_key": ["n", "n"], "metadata_kind": ["string"] * 2, "metadata_value": ["1", "2"]},
            "This key is there twice",
        ),
        ({"reason": "x" * 501}, "at most 500 characters"),
        ({"topics": ["NO_SUCH"]}, "Select a valid choice"),
    ],
)
def test_bad_input_is_said_and_kept(typed: dict[str, Any], says: str, place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", **FULL)
    before = place.get(memory)
    page = opened(as_support, place, memory)
    mine = {"fact": "I live in Milan, typed at length.", "description": "typed too"} | typed
    answer = saved(as_support, place, memory, page, **mine)
    assert answer.status_code == 422
    assert says in words_of(answer)
    assert place.get(memory) == before
    kept = read(answer).fields
    for name, value in mine.items():
        if name != "topics":  # there is no box for a topic that there is not
            values = value if isinstance(value, list) else [value]
            assert [one.replace("\r\n", "\n") for one in kept[name]][: len(values)] == values
    assert kept["base"] == read(page).fields["base"]


@pytest.mark.parametrize(
    "base", ["", "{", "[]", "7", "null", '{"fact": 7}', '{"metadata": {"a": {}}, "fact": ["x"]}', "[" * 99_999]
)
def test_a_form_that_was_tampered_with(base: str, place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.")
    page = opened(as_support, place, memory)
    answer = saved(as_support, place, memory, page, base=base, fact="I live in Milan.")
    assert answer.status_code in (400, 422)
    assert place.get(memory).fact == "I live in Rome."


def test_without_its_base_a_form_overwrites_nothing(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", **FULL)
    before = place.get(memory)
    answer = as_support.post(place.url("memory_edit", memory), {"fact": "I live in Milan."})
    assert answer.status_code in (400, 409, 422)
    assert place.get(memory) == before


def test_another_row_without_javascript(place: Place, as_support: Client) -> None:
    memory = place.add(**FULL)
    page = opened(as_support, place, memory)
    rows = len(read(page).fields["metadata_key"])
    answer = saved(as_support, place, memory, page, fact="typed", more="1")
    assert answer.status_code == 200
    assert len(read(answer).fields["metadata_key"]) == rows + 1
    assert fields_of(answer)["fact"] == ["typed"]
    assert place.trail(memory) == []
    later = saved(as_support, place, memory, answer)
    assert later.status_code == 302
    assert place.get(memory).fact == "typed"


# --- conflicts --------------------------------------------------------------------------------------------------------


# D36
def test_the_second_of_two_editors_is_told_and_loses_nothing(place: Place, people: People) -> None:
    memory = place.add("I live in Rome.", **FULL)
    ann, bob = signed_in(people.support), signed_in(people.admin)
    first, second = opened(ann, place, memory), opened(bob, place, memory)
    assert saved(ann, place, memory, first, fact="I live in Milan.", display_name="Flat").status_code == 302
    refused = saved(bob, place, memory, second, fact="I live in Turin.", description="Mine.", reason="ticket 7")
    assert refused.status_code == 409
    said = words_of(refused)
    assert "This memory was changed while you were editing" in said
    assert "They changed: Fact, Display name ." in said
    assert "Fact · it now says I live in Milan." in said
    assert "Fact · you wrote I live in Turin." in said
    assert "<del>Milan</del><ins>Turin</ins>" in text_of(refused)
    assert place.get(memory).fact == "I live in Milan."
    merged = fields_of(refused)
    assert (merged["fact"], merged["description"], merged["reason"]) == (["I live in Turin."], ["Mine."], ["ticket 7"])
    assert merged["display_name"] == ["Flat"]  # what bob had not touched is as ann left it
    assert "Save mine over theirs" in said
    assert link(refused, "Discard mine") == place.url("memory", memory)

    over = saved(bob, place, memory, refused)
    assert over.status_code == 302
    found = place.get(memory).wire()
    assert (found["fact"], found["displayName"], found["description"]) == ("I live in Turin.", "Flat", "Mine.")
    assert found["metadata"] == FULL["metadata"]
    assert found["topics"] == FULL["topics"]
    assert [(who, outcome, status) for who, _action, outcome, status, _why in place.trail(memory)] == [
        ("sam", "done", ""),
        ("ada", "failed", "ABORTED"),
        ("ada", "done", ""),
    ]
    assert len(place.revisions(memory)) == 3


def test_a_third_change_is_a_conflict_again(place: Place, as_support: Client) -> None:
    memory = place.add("one")
    page = opened(as_support, place, memory)
    place.change(memory, fact="two")
    refused = saved(as_support, place, memory, page, fact="mine")
    place.change(memory, fact="three")
    again = saved(as_support, place, memory, refused)
    assert again.status_code == 409
    assert "it now says three" in words_of(again)
    assert fields_of(again)["fact"] == ["mine"]
    assert saved(as_support, place, memory, again).status_code == 302
    assert place.get(memory).fact == "mine"


def test_changes_to_different_fields_are_merged(place: Place, as_support: Client) -> None:
    """Only the title was mine: nothing is said to be mine that is not."""
    memory = place.add("I live in Rome.", **FULL)
    page = opened(as_support, place, memory)
    place.change(memory, fact="I live in Milan.")
    refused = saved(as_support, place, memory, page, display_name="Mine")
    assert refused.status_code == 409
    said = words_of(refused)
    assert "They changed: Fact ." in said
    assert "you wrote" not in said
    assert "<ins>Rome</ins>" not in text_of(refused)
    assert fields_of(refused)["fact"] == ["I live in Milan."]
    saved(as_support, place, memory, refused)
    found = place.get(memory)
    assert (found.fact, found.display_name) == ("I live in Milan.", "Mine")


def test_a_conflict_keeps_all_kinds_of_fields(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", **FULL)
    page = opened(as_support, place, memory)
    place.change(memory, fact="I live in Milan.")
    typed: dict[str, Any] = {
        "topics": ["EXPLICIT_INSTRUCTIONS"],
        "labels": "new",
        "expires": "2998-01-01T00:00",
        "metadata_key": ["n"],
        "metadata_kind": ["double"],
        "metadata_value": ["42"],
    }
    refused = saved(as_support, place, memory, page, **typed)
    assert refused.status_code == 409
    saved(as_support, place, memory, refused)
    found = place.get(memory).wire()
    assert found["fact"] == "I live in Milan."
    assert found["topics"] == [{"managedMemoryTopic": "EXPLICIT_INSTRUCTIONS"}, {"customMemoryTopicLabel": "new"}]
    assert found["metadata"] == {"n": {"doubleValue": 42.0}}
    assert found["expireTime"] == "2998-01-01T00:00:00Z"


def test_a_conflict_over_structured_data_shows_both(place: Place, as_support: Client) -> None:
    content = {"schemaId": "wardrobe", "data": {"size": 39}}
    body = Memory.model_validate({"scope": SCOPE, "memoryType": "STRUCTURED_PROFILE", "structuredContent": content})
    memory = (place.bank.create_memory(body).name or "").rpartition("/")[2]
    page = opened(as_support, place, memory)
    assert json.loads(str(read(page).fields["structured_data"][0])) == {"size": 39}
    place.change(memory, structured_content={"schemaId": "wardrobe", "data": {"size": 40}})
    refused = saved(as_support, place, memory, page, structured_data='{"size": 41}')
    assert refused.status_code == 409
    said = words_of(refused)
    assert "size: 40" in said
    assert "size: 41" in said
    assert saved(as_support, place, memory, refused).status_code == 302
    content_now = place.get(memory).structured_content
    assert content_now is not None
    assert content_now.data == {"size": 41}


def test_deleted_while_being_edited(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.")
    page = opened(as_support, place, memory)
    place.bank.delete_memory(memory)
    answer = saved(as_support, place, memory, page, fact="I live in Milan, typed at length.")
    assert answer.status_code == 409
    assert "This memory was deleted meanwhile." in words_of(answer)
    assert fields_of(answer)["fact"] == ["I live in Milan, typed at length."]


def test_a_conflict_answers_htmx_alike(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.")
    page = opened(as_support, place, memory)
    place.change(memory, fact="I live in Milan.")
    url = place.url("memory_edit", memory)
    refused = as_support.post(url, fields_of(page, fact="I live in Turin."), headers=HTMX)
    assert refused.status_code == 409
    assert fields_of(refused)["fact"] == ["I live in Turin."]
    over = as_support.post(url, fields_of(refused), headers=HTMX)
    assert over.headers["HX-Redirect"] == place.url("memory", memory)


# --- what the form says -----------------------------------------------------------------------------------------------


def test_the_zone_of_the_expiry_is_named(place: Place, as_support: Client) -> None:
    as_support.cookies["timezone"] = "Asia/Jerusalem"
    memory = place.add(**FULL)
    page = opened(as_support, place, memory)
    assert "Expires ( Asia/Jerusalem )" in words_of(page) or "Expires (Asia/Jerusalem)" in words_of(page)
    assert read(page).fields["expires"] == ["2999-05-06T10:08:00"]


def test_a_bank_that_gives_changed_memories_an_expiry_says_so(place: Place, as_support: Client) -> None:
    """D33: with a default time to live, the form shows the new expiry before saving."""
    other = Place.make(contextSpec={"memoryBankConfig": {"ttlConfig": {"defaultTtl": "3600s"}}})
    memory = other.add()
    assert "This bank gives a changed memory a new expiry" in words_of(opened(as_support, other, memory))
    assert "new expiry" not in words_of(opened(as_support, place, place.add()))


def test_the_trail_has_the_reason(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.")
    reason = "Ticket 4711: “é”, קפה"
    saved(as_support, place, memory, opened(as_support, place, memory), fact="I live in Milan.", reason=reason)
    assert place.trail(memory) == [("sam", "aiplatform.memories.update", "done", "", reason)]


def test_both_values_of_every_field_that_both_changed(place: Place, as_support: Client) -> None:
    memory = place.add("I live in Rome.", **FULL)
    page = opened(as_support, place, memory)
    theirs = {"topics": [{"customMemoryTopicLabel": "theirs"}], "metadata": {"who": {"stringValue": "them"}}}
    place.change(memory, **theirs, expire_time="2990-01-01T00:00:00Z", description="Their words.")
    typed: dict[str, Any] = {
        "labels": "mine",
        "topics": [],
        "expires": "2998-01-01T00:00",
        "description": "My words.",
        "metadata_key": ["who"],
        "metadata_kind": ["string"],
        "metadata_value": ["me"],
    }
    said = words_of(saved(as_support, place, memory, page, **typed))
    for both in (
        "Topics · it now says theirs Topics · you wrote mine",
        "Metadata · it now says who: them Metadata · you wrote who: me",
        "Expiry · it now says 1 Jan 2990, 00:00:00 UTC Expiry · you wrote 1 Jan 2998, 00:00:00 UTC",
        "Description · it now says Their words. Description · you wrote My words.",
    ):
        assert both in said
