"""The bank of a travel agent: Maya (support's ticket), and the scopes that look alike."""

import unicodedata

from memories.server.management.demo import (
    DETAIL,
    INSTRUCTION,
    PERSONAL,
    PREFERENCE,
    DemoBank,
    Edit,
    Fact,
    Scope,
    days,
)
from memories.server.management.demo.voices import GIULIA, JOAO, LUCIA, NOA, SARI
from memories.wire.resources import ReasoningEngine

_ENGINE = {
    "displayName": "Travel concierge",
    "description": "What the travel agent remembers of its guests.",
    "labels": {"team": "concierge", "stage": "demo"},
    "contextSpec": {
        "memoryBankConfig": {
            "customizationConfigs": [
                {
                    "memoryTopics": [
                        {"managedMemoryTopic": {"managedTopicEnum": "USER_PERSONAL_INFO"}},
                        {"managedMemoryTopic": {"managedTopicEnum": "USER_PREFERENCES"}},
                        {"managedMemoryTopic": {"managedTopicEnum": "KEY_CONVERSATION_DETAILS"}},
                        {"managedMemoryTopic": {"managedTopicEnum": "EXPLICIT_INSTRUCTIONS"}},
                        {
                            "customMemoryTopic": {
                                "label": "loyalty",
                                "description": "Frequent flyer and hotel programmes.",
                            }
                        },
                        {"customMemoryTopic": {"label": "allergies", "description": "What must not be served."}},
                    ],
                }
            ],
            "structuredMemoryConfigs": [
                {
                    "scopeKeys": ["app_name", "user_id"],
                    "schemaConfigs": [
                        {
                            "id": "traveller",
                            "memoryType": "STRUCTURED_PROFILE",
                            "schema": {
                                "type": "OBJECT",
                                "title": "Traveller",
                                "description": "What every booking needs to know.",
                                "properties": {
                                    "home_airport": {"type": "STRING", "description": "IATA code"},
                                    "seat": {"type": "STRING", "enum": ["aisle", "window", "any"]},
                                    "meal": {"type": "STRING", "description": "Meal ordered with the airline"},
                                    "travels_with_pet": {"type": "BOOLEAN"},
                                    "nights_per_year": {"type": "INTEGER"},
                                },
                                "propertyOrdering": [
                                    "home_airport",
                                    "seat",
                                    "meal",
                                    "travels_with_pet",
                                    "nights_per_year",
                                ],
                                "required": ["home_airport"],
                            },
                        }
                    ],
                }
            ],
        }
    },
}

CHAT = {"source": "chat"}
SUPPORT = {"source": "support"}

_WISHES = {
    "Lisbon in February": "tiles, rain, empty trams, and a week of language school in the mornings",
    "Bologna for a weekend": "the covered market, the towers, and no museum before noon, I have enough of those",
    "The night train to Vienna": "a single sleeper in the middle of the carriage, with breakfast at seven",
    "Naxos in May": "a walk between villages, no more than twelve kilometres a day, luggage sent ahead",
    "Ghent with my mother": "step-free rooms, a lift, and a café within two hundred metres of wherever we stay",
    "Edinburgh in August": "two shows a day at most, and one free day in between to be by the sea",
    "Yogyakarta if the fares drop": "to visit Sari, who stayed with me in London, and see the temple at sunrise",
    "Tel Aviv for the book fair": "three nights by the beach, on a street where buses do not run at night",
    "Porto on the way home": "one dinner by the river, booked in advance, not later than eight o'clock",
}
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_WISH_LIST = "My wish list for next year, as I dictated it on the train. " + " ".join(
    [f"{place}: {wish}." for place, wish in _WISHES.items()]
    + [
        f"In {month}: remind me on the first of the month of what is still open, tell me what it would cost with "
        "and without a flexible fare, and book nothing of it before I have said yes."
        for month in _MONTHS * 2
    ]
)
WISHES = _WISH_LIST[:3999] + "."
"""4,000 characters: as long as the facts that people reported as cut off."""


MAYA: list[Fact] = [
    Fact(
        163,
        "I live in London, near Finsbury Park.",
        [PERSONAL],
        {"confidence": 0.94, "confirmed": True, "session": "s-2201", "heard_at": days(-163)},
        [
            Edit(96, "I live in Rome, in the Monteverde quarter.", {"source": "chat", "session": "s-2874"}),
            Edit(41, "I live in Rome, in the Monteverde quarter, on the fourth floor without a lift.", CHAT),
        ],
        id="home-city",
        title="Where Maya lives",
        labels=CHAT,
    ),
    Fact(
        163,
        "I am allergic to peanuts; even traces are dangerous.",
        [PERSONAL, "allergies"],
        {"severity": 3.0, "confirmed": True},
    ),
    Fact(163, "My name is Maya Whitfield and I prefer to be called Maya.", [PERSONAL]),
    Fact(160.4, "I take the aisle seat, as far forward as possible.", [PREFERENCE]),
    Fact(
        155.2,
        "I fly with hand luggage only.",
        [PREFERENCE],
        edits=[
            Edit(120, "I fly with hand luggage only, except on trips longer than ten days."),
            Edit(88, "I fly with hand luggage only, except on trips longer than a week."),
            Edit(34, "I fly with one checked bag since my back operation.", SUPPORT),
            Edit(12, "I fly with one checked bag, at most 15 kg.", SUPPORT),
        ],
        title="Luggage",
    ),
    Fact(
        151,
        "I collect points with SkyTeam; my number ends in 4471.",
        ["loyalty"],
        {"programme": "SkyTeam", "tier": "gold"},
    ),
    Fact(140.8, "My partner Theo is vegetarian and comes along on most weekends.", [PERSONAL]),
    Fact(140.8, "We celebrate our anniversary on 14 September.", [PERSONAL], {"date": days(-77)}),
    Fact(132, "Never book flights that leave before 8 in the morning.", [INSTRUCTION], {"priority": 1.0}),
    Fact(121.5, "I speak English and Italian, and I am learning Portuguese.", [PERSONAL]),
    Fact(118, "I loved the small hotel in Matera: quiet, thick walls, breakfast on the roof. 🌄", [PREFERENCE, DETAIL]),
    Fact(
        104.3, "Ask me before spending more than 200 euros a night.", [INSTRUCTION], {"limit": 200.0, "currency": "EUR"}
    ),
    Fact(96, "I moved for a new job at a museum and start work at 10.", [PERSONAL], {"session": "s-2874"}),
    Fact(90.6, "I get seasick on small boats but not on ferries.", [PERSONAL]),
    Fact(77, "I prefer trains to planes for anything under five hours.", [PREFERENCE]),
    Fact(
        63.2, "For the conference in Kraków I need a room within walking distance of the station.", [DETAIL], expires=9
    ),
    Fact(55, "My passport must be renewed before the summer.", [PERSONAL, DETAIL], {"remind": days(120)}, expires=120),
    Fact(48.1, "I read thrillers on long flights and like them recommended.", [PREFERENCE]),
    Fact(41, "I recovered from a back operation and cannot lift heavy bags until spring.", [PERSONAL], expires=95),
    Fact(
        29.7,
        WISHES,
        [PREFERENCE, DETAIL],
        id="wish-list",
    ),
    Fact(15.3, "I now drink decaf only; ordinary coffee keeps me awake. ☕️🚫", [PREFERENCE]),
    Fact(
        3.4,
        "I am looking for a flat in Lisbon and will move there next month.",
        [DETAIL],
        {"session": "s-3310", "confirmed": False},
    ),
    Fact(
        2.1,
        "",
        schema="traveller",
        data={
            "home_airport": "FCO",
            "seat": "aisle",
            "meal": "nut-free",
            "travels_with_pet": False,
            "nights_per_year": 46,
        },
    ),
]
ALIKE: list[tuple[Scope, list[Fact]]] = [
    ({"user_id": "123"}, [Fact(20, "I would rather be reached by text message than by phone.", [INSTRUCTION])]),
    ({"app_name": "concierge", "user_id": "u-1"}, [Fact(18.5, "I keep kosher.", [PERSONAL])]),
    ({"app_name": "concierge", "user_id": "u-12"}, [Fact(18.4, "I eat everything but liquorice.", [PREFERENCE])]),
    (
        {"app_name": "concierge", "user_id": "U-1"},
        [Fact(18.3, "I travel with a guide dog called Biscuit. 🦮", [PERSONAL])],
    ),
    (
        {"app_name": "concierge", "user_id": "u-1", "device": "kiosk-7"},
        [Fact(18.2, "I asked at the kiosk for a late check-out.", [DETAIL], expires=2)],
    ),
    (
        {"user_id": unicodedata.normalize("NFC", "josé@example.com")},
        [Fact(11.7, "Prefiero habitaciones altas, lejos del ascensor.", [PREFERENCE])],
    ),
    (
        {"user_id": unicodedata.normalize("NFD", "josé@example.com")},
        [Fact(11.6, "Viajo siempre con mi guitarra. 🎸", [PERSONAL])],
    ),
    (
        {"tenant": "acme-eu-west", "user_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
        [Fact(9.9, "I need an invoice made out to the Acme office in Ghent.", [INSTRUCTION], {"vat": True})],
    ),
    (
        {"tenant": "Smith, Ann & Sons", "user_id": "team:blue"},
        [Fact(9.1, "Our team flies on Mondays and back on Thursdays.", [DETAIL])],
    ),
    ({"user_id": 'O\'Brien "Q"'}, [Fact(8.8, "Write my name with the apostrophe on every ticket.", [INSTRUCTION])]),
    (
        {"my key": " padded value "},
        [Fact(8.2, "This guest was imported from an old list, spaces and all.", [DETAIL], labels={"source": "import"})],
    ),
    (
        {"user_id": "ann+test@example.com"},
        [Fact(6.6, "I use this address for tests; <b>do not</b> send me offers & news.", [INSTRUCTION])],
    ),
]

TRAVEL = DemoBank(
    ReasoningEngine.read(_ENGINE),
    [
        ({"app_name": "concierge", "user_id": "123"}, MAYA),
        ({"app_name": "concierge", "user_id": "noa-levi"}, NOA),
        ({"app_name": "concierge", "user_id": "giulia.ferri@example.com"}, GIULIA),
        ({"app_name": "rail-planner", "tenant": "apac", "user_id": "sari"}, SARI),
        ({"app_name": "concierge", "user_id": "lucia"}, LUCIA),
        ({"app_name": "rail-planner", "tenant": "latam", "user_id": "joao"}, JOAO),
        *ALIKE,
    ],
)
