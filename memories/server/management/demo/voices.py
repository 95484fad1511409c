"""Guests of the travel bank who speak Hebrew, Italian, Indonesian, Spanish and Portuguese."""

from memories.server.management.demo import DETAIL, INSTRUCTION, PERSONAL, PREFERENCE, Edit, Fact, days

NOA = [
    Fact(158, "שמי נועה לוי ואני גרה בחיפה.", [PERSONAL], {"confirmed": True}, id="noa-home"),
    Fact(158, "אני צמחונית ולא אוכלת פטריות.", [PERSONAL, "allergies"]),
    Fact(157.8, "חובבת קפה שחור חזק, בלי סוכר ☕", [PREFERENCE]),
    Fact(149, "אני טסה תמיד עם הבת שלי, בת שש.", [PERSONAL], edits=[Edit(30, "אני טסה תמיד עם הבת שלי, בת שבע.")]),
    Fact(141.5, "אין להזמין טיסות ביום שישי אחר הצהריים.", [INSTRUCTION], {"priority": 1.0}),
    Fact(133, "המשתמשת אוהבת את האפליקציה (v2.1) וכותבת מ-noa@example.com", [DETAIL]),
    Fact(126, "אני מעדיפה מושב ליד החלון, בצד שמאל.", [PREFERENCE]),
    Fact(119.3, "מספר הנוסע המתמיד שלי מסתיים ב-8820.", ["loyalty"], {"programme": "Matmid", "tier": "silver"}),
    Fact(110, "הבן דוד שלי גר בברלין ואפשר ללון אצלו.", [PERSONAL]),
    Fact(101.2, "אני לומדת איטלקית ומבקשת תפריטים באיטלקית 🇮🇹", [PREFERENCE]),
    Fact(94, "לא לשלוח הודעות אחרי תשע בערב.", [INSTRUCTION]),
    Fact(85.5, "נהניתי מאוד מהמלון הקטן ב-Lisboa, רחוב Alfama 12.", [DETAIL]),
    Fact(76, "אני צריכה מיטת תינוק? לא, הבת כבר גדולה.", [DETAIL]),
    Fact(70.1, "תקציב ללילה: עד 150 €, כולל ארוחת בוקר.", [INSTRUCTION], {"limit": 150.0, "currency": "EUR"}),
    Fact(58, "אני חוששת ממטוסים קטנים.", [PERSONAL]),
    Fact(51, "מחפשת קורס צלילה באילת בחופשת פסח.", [DETAIL], expires=130),
    Fact(39.9, "עברתי ניתוח בברך ואיני יכולה ללכת הרבה.", [PERSONAL], expires=60),
    Fact(27, "אוהבת מוזיאונים של עיצוב ושווקים פתוחים.", [PREFERENCE]),
    Fact(14.2, "הדרכון שלי בתוקף עד 2031.", [PERSONAL], {"valid_until": days(1600)}),
    Fact(5.5, "מתכננת טיול של שבוע לפורטוגל עם חברה, רוני כהן.", [DETAIL], {"session": "s-3290"}),
    Fact(
        4,
        "",
        schema="traveller",
        data={"home_airport": "TLV", "seat": "window", "meal": "צמחוני", "travels_with_pet": False},
    ),
]

GIULIA = [
    Fact(150, "Mi chiamo Giulia Ferri e abito a Torino.", [PERSONAL], {"confirmed": True}),
    Fact(
        150,
        "Sono celiaca: niente glutine, neanche in tracce.",
        [PERSONAL, "allergies"],
        {"severity": 3.0},
        [
            Edit(
                75,
                "Sono celiaca: niente glutine, neanche in tracce. Il medico lo ha confermato.",
                {"source": "support"},
            )
        ],
    ),
    Fact(146.6, "Preferisco il treno all'aereo, soprattutto di notte.", [PREFERENCE]),
    Fact(138, "Viaggio spesso per lavoro tra Torino e Napoli, il martedì.", [DETAIL]),
    Fact(129.4, "Dammi del tu, per favore.", [INSTRUCTION]),
    Fact(122, "Ho la tessera CartaFreccia, livello oro.", ["loyalty"], {"programme": "CartaFreccia", "tier": "oro"}),
    Fact(115, "Il mio cane Ugo viene sempre con me. 🐕", [PERSONAL], {"weight_kg": 8.5}),
    Fact(107, "In albergo chiedo sempre un bollitore in camera.", [PREFERENCE]),
    Fact(99.7, "Non prenotare mai camere al piano terra.", [INSTRUCTION]),
    Fact(92, "Ho paura delle funivie, ma non dei traghetti.", [PERSONAL]),
    Fact(84.4, "Mi piacciono i borghi piccoli e le osterie senza musica.", [PREFERENCE]),
    Fact(78, "A ottobre porto i miei genitori a Lecce: serve l'ascensore.", [DETAIL], {"travellers": 3.0}),
    Fact(69, "Parlo italiano, francese e un po' di tedesco.", [PERSONAL]),
    Fact(61.3, "Budget: fino a 120 € a notte, colazione compresa.", [INSTRUCTION], {"limit": 120.0, "currency": "EUR"}),
    Fact(52, "Colleziono calamite: una per ogni città. 🧲", [PREFERENCE]),
    Fact(44, "Da quest'anno lavoro da casa il lunedì e il venerdì.", [PERSONAL]),
    Fact(33.8, "Cerco un corso di ceramica in Umbria per la primavera.", [DETAIL], expires=110),
    Fact(22, "Perché no? Una volta vorrei vedere l'aurora boreale. È il mio sogno.", [PREFERENCE]),
    Fact(13.1, "Ho cambiato numero: quello vecchio non va più usato.", [INSTRUCTION], labels={"source": "support"}),
    Fact(
        1.2, "Per Natale vado a Lisbona con due amiche.", [DETAIL], {"session": "s-3345", "travellers": 3.0}, expires=45
    ),
]

SARI = [
    Fact(112, "Saya tinggal di Yogyakarta dan bekerja sebagai guru musik.", [PERSONAL], {"confirmed": True}),
    Fact(112, "Saya tidak makan daging babi.", [PERSONAL, "allergies"]),
    Fact(87, "Saya lebih suka kereta malam kelas eksekutif. 🚆", [PREFERENCE]),
    Fact(54.2, "Jangan pesan kursi yang membelakangi arah jalan.", [INSTRUCTION], {"priority": 2.0}),
    Fact(
        26,
        "Ibu saya ikut bepergian dan memakai kursi roda.",
        [PERSONAL],
        edits=[Edit(6, "Ibu saya ikut bepergian; kursi roda tidak perlu lagi.", {"source": "chat"})],
    ),
    Fact(7.7, "Liburan berikutnya: seminggu di Surabaya bersama keluarga.", [DETAIL], expires=40),
]

LUCIA = [
    Fact(109, "Me llamo Lucía Romero y vivo en Valparaíso.", [PERSONAL], {"confirmed": True}),
    Fact(109, "Soy alérgica al marisco.", [PERSONAL, "allergies"], {"severity": 2.0}),
    Fact(83.3, "Prefiero los apartamentos con cocina a los hoteles.", [PREFERENCE]),
    Fact(59, "¡No me llames antes de las once de la mañana!", [INSTRUCTION]),
    Fact(36.5, "Viajo con mi abuela de ochenta años; necesitamos pocas escalas.", [PERSONAL]),
    Fact(10.4, "En enero quiero recorrer la costa en autobús. 🚌", [DETAIL], expires=70),
]

JOAO = [
    Fact(106, "Moro em Belo Horizonte e trabalho com fotografia.", [PERSONAL], {"confirmed": True}),
    Fact(
        106,
        "Levo sempre o equipamento de fotografia na cabine.",
        [INSTRUCTION],
        edits=[Edit(50, "Levo sempre o equipamento de fotografia na cabine: duas malas rígidas, 9 kg cada.")],
    ),
    Fact(80.9, "Não como laticínios.", [PERSONAL, "allergies"]),
    Fact(57.7, "Gosto de chegar cedo à estação, com uma hora de folga.", [PREFERENCE]),
    Fact(31, "Tenho pontos no programa Fidelidade; uso-os só para a família.", ["loyalty"], {"tier": "prata"}),
    Fact(0.4, "Amanhã viajo para Ouro Preto de ônibus. 📷", [DETAIL], expires=3),
]
