"""How often RetrieveMemories finds the right fact on LoCoMo, and how long it takes.

    python benchmarks/retrieval.py FOLDER

FOLDER has facts.jsonl and questions.jsonl: facts with their conversation and evidence (the turns they come from), and
questions with a category and evidence. One scope for each conversation; of the questions in categories 1 to 4, those
count whose evidence is among the facts. A fact is right if it shares a turn with the question's evidence.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from itertools import batched
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOPS = (1, 3, 10)


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines() if line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {"DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "console.settings"}
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        measure(lines(folder / "facts.jsonl"), lines(folder / "questions.jsonl"))


def measure(facts: list[dict[str, Any]], questions: list[dict[str, Any]]) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from memories.access.checks import principal
    from memories.access.models import Binding
    from memories.client.bank import Service
    from memories.server.wsgi import application
    from memories.wire.names import BankName
    from memories.wire.resources import Memory, NewMemory, ReasoningEngine

    user = User.objects.create_user("benchmark")
    Binding.objects.create(role="roles/console.admin", user=user)
    service = Service.in_process(application, principal=principal(user))
    bank = service.bank(BankName.parse(service.create_bank(ReasoningEngine(display_name="LoCoMo")).name or ""))
    evidence: dict[str, set[str]] = {}
    for some in batched(facts, 500):
        new = [NewMemory(memory=Memory(fact=one["fact"], scope={"conversation": one["conversation"]})) for one in some]
        for one, made in zip(some, bank.batch_create(new).memories, strict=True):
            evidence[made.name or ""] = {f"{one['conversation']} {turn}" for turn in one["evidence"]}
    known = set().union(*evidence.values())
    began = time.perf_counter()
    call_command("reembed")
    print(f"{len(facts)} facts embedded in {time.perf_counter() - began:.1f} s")

    asked, hits, spent = 0, dict.fromkeys(TOPS, 0), []
    for one in questions:
        wanted = {f"{one['conversation']} {turn}" for turn in one["evidence"]} & known
        if one["category"] not in (1, 2, 3, 4) or not wanted:
            continue
        asked += 1
        began = time.perf_counter()
        found = bank.retrieve({"conversation": one["conversation"]}, query=one["question"], top_k=max(TOPS))
        spent.append((time.perf_counter() - began) * 1000)
        right = [bool(evidence[each.memory.name or ""] & wanted) for each in found.retrieved_memories]
        for top in TOPS:
            hits[top] += any(right[:top])
    print(
        f"{asked} questions; a retrieval takes {statistics.median(spent):.1f} ms (median, the query's vector included)"
    )
    for top in TOPS:
        print(f"right fact among the top {top}: {hits[top] / asked:.3f}")


if __name__ == "__main__":
    main()
