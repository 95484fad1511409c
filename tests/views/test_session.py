"""Signing in and out, the theme, and whether the console is alive."""

import pytest
from django.test import Client

from tests.made import PASSWORD, People
from tests.views.answers import fields_of, read, text_of, words_of
from tests.views.place import Place

EVIL = [
    "https://evil.example/",
    "//evil.example/x",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "http:evil.example",
    "javascript:alert(1)",
    "sign_out",
    "<b>",
    "a:b",
    " https://evil.example",
    "https://testserver@evil.example/",
    "/\t/evil.example",
]


def sign_in(client: Client, *, name: str = "sam", password: str = PASSWORD, **more: str) -> tuple[int, str]:
    answer = client.post("/sign-in", {"username": name, "password": password} | more)
    return answer.status_code, answer.headers.get("Location", "")


def test_works_and_leads_to_the_page_that_was_asked_for(people: People, place: Place) -> None:
    client = Client()
    wanted = f"{place.list}?q=user_id%3Aa%26b+%22x+y%22"
    page = client.get(client.get(wanted).headers["Location"])
    assert page.status_code == 200
    answer = client.post("/sign-in", fields_of(page, username="sam", password=PASSWORD))
    assert (answer.status_code, answer.headers["Location"]) == (302, wanted)
    assert client.get(wanted).status_code in (200, 422)


def test_without_a_page_it_leads_to_the_banks(people: People) -> None:
    assert sign_in(Client()) == (302, "/banks")


def test_bad_input_says_so_and_keeps_the_name_alone(people: People) -> None:
    client = Client()
    answer = client.post("/sign-in", {"username": "sam", "password": "wrong", "next": "/banks"})
    assert answer.status_code == 422
    assert "correct username and password" in words_of(answer)
    found = read(answer).fields
    assert found["username"] == ["sam"]
    assert found["password"] == [""]
    assert "wrong" not in text_of(answer)
    assert client.get("/banks").status_code == 302


@pytest.mark.parametrize("data", [{}, {"username": "sam"}, {"username": "", "password": ""}, {"password": PASSWORD}])
def test_missing_input(data: dict[str, str], people: People) -> None:
    answer = Client().post("/sign-in", data)
    assert answer.status_code == 422
    assert "This field is required." in words_of(answer)


def test_an_account_that_is_switched_off(people: People) -> None:
    people.support.is_active = False
    people.support.save()
    assert sign_in(Client())[0] == 422


@pytest.mark.parametrize("bad", EVIL)
def test_it_leads_nowhere_else(bad: str, people: People) -> None:
    client = Client()
    assert "evil.example" not in text_of(client.get("/sign-in", {"next": bad}))
    assert sign_in(client, next=bad) == (302, "/banks")
    # Also once signed in, and for the theme.
    assert client.get("/sign-in", {"next": bad}).headers["Location"] == "/banks"
    assert client.post("/preferences", {"theme": "dark", "next": bad}).headers["Location"] == "/banks"


def test_signing_in_makes_a_new_session(people: People) -> None:
    client = Client()
    client.get("/sign-in")
    client.cookies["sessionid"] = "chosen-by-somebody-else"
    sign_in(client)
    assert client.cookies["sessionid"].value != "chosen-by-somebody-else"
    assert client.cookies["sessionid"]["httponly"]
    assert client.cookies["sessionid"]["samesite"] == "Lax"


def test_signed_out_is_out(as_support: Client, place: Place) -> None:
    assert as_support.post("/sign-out").headers["Location"] == "/sign-in"
    assert as_support.get(place.list).status_code == 302


def test_the_sign_in_page_has_no_frame_of_a_bank(db: None) -> None:
    answer = Client().get("/sign-in")
    assert answer.headers["Cache-Control"]
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Sign out" not in words_of(answer)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("theme", "kept"), [("dark", "dark"), ("light", "light"), ("", ""), ('"><b>', ""), ("blue", "")]
)
def test_the_theme(theme: str, kept: str, as_support: Client, place: Place) -> None:
    answer = as_support.post("/preferences", {"theme": theme, "next": f"{place.list}?size=20"})
    assert answer.headers["Location"] == f"{place.list}?size=20"
    text = text_of(as_support.get(place.list))
    assert (f'data-theme="{kept}"' in text) == bool(kept)
    assert ("data-theme" in text) == bool(kept)


def test_a_theme_from_a_forged_cookie_is_none(as_support: Client, place: Place) -> None:
    as_support.cookies["theme"] = "x onload=alert(1)"
    assert "data-theme" not in text_of(as_support.get(place.list))


def test_alive(db: None) -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert Client().post("/healthz").status_code == 405
