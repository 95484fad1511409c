"""The bank of a shop's assistant, and a bank without memories."""

from memories.server.management.demo import DETAIL, INSTRUCTION, PERSONAL, PREFERENCE, DemoBank, Edit, Fact, days
from memories.wire.resources import ReasoningEngine

_ENGINE = {
    "displayName": "Shop assistant",
    "description": "Sizes, tastes and open orders of the web shop's customers.",
    "labels": {"team": "retail", "stage": "demo"},
    "contextSpec": {
        "memoryBankConfig": {
            "customizationConfigs": [
                {
                    "scopeKeys": ["app_name", "user_id"],
                    "memoryTopics": [
                        {"managedMemoryTopic": {"managedTopicEnum": "USER_PREFERENCES"}},
                        {
                            "customMemoryTopic": {
                                "label": "size|fit",
                                "description": "Sizes, and how things should fit.",
                            }
                        },
                    ],
                }
            ],
            "structuredMemoryConfigs": [
                {
                    "scopeKeys": ["app_name", "user_id"],
                    "schemaConfigs": [
                        {
                            "id": "wardrobe",
                            "schema": {
                                "type": "OBJECT",
                                "title": "Wardrobe",
                                "properties": {
                                    "shoe_size": {"type": "NUMBER", "description": "EU size"},
                                    "colours": {"type": "ARRAY", "items": {"type": "STRING"}},
                                },
                            },
                        }
                    ],
                }
            ],
        }
    },
}


def _scope(user: str) -> dict[str, str]:
    return {"app_name": "shop", "user_id": user}


SHOP = DemoBank(
    ReasoningEngine.read(_ENGINE),
    [
        (
            _scope("123"),
            [
                Fact(
                    74,
                    "I wear shoes in size 39, wide.",
                    ["size|fit"],
                    {"eu": 39.0},
                    [Edit(19, "I wear shoes in size 39½, wide.")],
                ),
                Fact(74, "I return things by post, never in the shop.", [PREFERENCE]),
                Fact(28.3, "I am waiting for the green raincoat to come back into stock.", [DETAIL], expires=25),
                Fact(6, "", schema="wardrobe", data={"shoe_size": 39.5, "colours": ["green", "navy"]}),
            ],
        ),
        (
            _scope("noa-levi"),
            [
                Fact(66, "המידה שלי בשמלות היא 38.", ["size|fit"], {"eu": 38.0}),
                Fact(21.9, "לא לארוז בניילון, בבקשה.", [INSTRUCTION]),
            ],
        ),
        (
            _scope("marco"),
            [
                Fact(60, "Porto la taglia L, ma le camicie le prendo M.", ["size|fit"]),
                Fact(46.5, "Compro solo cotone e lino, niente sintetico.", [PREFERENCE]),
                Fact(
                    17,
                    "Il regalo per mia sorella deve arrivare entro sabato.",
                    [DETAIL],
                    {"deadline": days(4)},
                    expires=4,
                ),
            ],
        ),
        (
            _scope("dewi"),
            [
                Fact(53, "Saya suka warna cerah dan motif batik.", [PREFERENCE]),
                Fact(24.6, "Kirim paket ke alamat kantor pada hari kerja.", [INSTRUCTION], {"office": True}),
            ],
        ),
        (
            _scope("beatriz"),
            [
                Fact(49, "Calço 36 e gosto de sapatos rasos. 👟", ["size|fit"]),
                Fact(16.1, "Avise quando houver promoção de casacos.", [INSTRUCTION]),
                Fact(
                    2.6,
                    "A última encomenda chegou com um botão partido.",
                    [DETAIL],
                    {"order": "A-5521", "refunded": False},
                ),
            ],
        ),
        (
            _scope("diego"),
            [
                Fact(43, "Uso talla 44 de pantalón, corte recto.", ["size|fit"]),
                Fact(8, "Pago siempre a la entrega.", [PREFERENCE], {"prepaid": False}),
            ],
        ),
        (
            _scope("priya"),
            [
                Fact(37, "Please write gift cards by hand when you can. 💌", [INSTRUCTION]),
                Fact(0.9, "My budget for winter boots is 180 euros.", [DETAIL, PERSONAL], {"limit": 180.0}),
            ],
        ),
    ],
)

EMPTY = DemoBank(
    ReasoningEngine(display_name="Research notes", description="A bank that nothing has written to yet."),
    [],
)
