"""Makes the demo banks, or a large bank of made-up memories."""

import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from memories.access import trail
from memories.access.checks import EVERYTHING, OPERATOR
from memories.server import policy, records, store
from memories.server.management import synthetic
from memories.server.management.demo import DemoBank, Edit, Fact, Scope, days
from memories.server.management.demo.shop import EMPTY, SHOP
from memories.server.management.demo.travel import TRAVEL
from memories.server.management.progress import progress
from memories.server.models import Bank, Memory, Pair, Revision
from memories.server.models import Scope as ScopeRow
from memories.wire import resources
from memories.wire.errors import ApiError
from memories.wire.times import Timestamp, to_micros

# Fixed, so that seeding again finds them and a link to them stays good.
BANKS = {"3858070028511346688": TRAVEL, "3858070028511346944": SHOP, "3858070028511347200": EMPTY}
LARGE = 3_858_070_028_512_000_000  # and its number of memories
MOST = 10_000_000


class Command(BaseCommand):
    help = "Makes the demo banks where they are missing, or with --memories a large bank of made-up memories."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--memories", type=int, metavar="N", help="make a bank of N made-up memories instead")
        parser.add_argument(
            "--random-seed", type=int, default=1, help="another number makes other memories (default: 1)"
        )
        parser.add_argument("--now", default="", help="count back from this time, such as 2026-06-01T00:00:00Z")

    def handle(self, *args: Any, **options: Any) -> None:
        now = _now(options["now"])
        count = options["memories"]
        if count is None:
            for id, demo in BANKS.items():
                self.demo(id, demo, now)
        elif 1 <= count <= MOST:
            self.large(count, options["random_seed"], now)
        else:
            raise CommandError(f"--memories must be between 1 and {MOST}.")

    def demo(self, id: str, demo: DemoBank, now: datetime) -> None:
        if self.exists(id):
            return
        with transaction.atomic():
            bank = _bank(id, demo.engine, now)
            for scope, fact in demo.facts():
                _tell(bank, scope, fact, now)
            self.made(bank, len(demo.facts()), "demo")

    def large(self, count: int, seed: int, now: datetime) -> None:
        id = str(LARGE + count)
        if self.exists(id):
            return
        began = time.monotonic()
        with transaction.atomic(), progress("seeding", count) as shown:
            engine = resources.ReasoningEngine(display_name=f"Synthetic {count:,}", description=f"Random seed {seed}.")
            bank = _bank(id, engine, now)
            scopes = synthetic.fill(bank, count, seed=seed, now=to_micros(now), shown=shown)
            self.made(bank, count, "synthetic")
        spent = time.monotonic() - began
        self.stdout.write(f"{scopes} scopes, {spent:.1f} s, {count / spent:.0f} memories a second")

    def exists(self, id: str) -> bool:
        bank = Bank.objects.filter(id=id).first()
        if bank is not None:
            count = Memory.objects.filter(bank=bank).count()
            self.stdout.write(f"exists: {bank.display_name} ({count} memories), {records.bank_name(bank)}")
        return bank is not None

    def made(self, bank: Bank, count: int, reason: str) -> None:
        name = str(records.bank_name(bank))
        action = "aiplatform.reasoningEngines.create"
        trail.record(OPERATOR, action=action, resource=name, outcome="done", reason=reason, count=count)
        self.stdout.write(f"made: {bank.display_name} ({count} memories), {name}")


def _now(text: str) -> datetime:
    if not text:
        return datetime.now(UTC)
    try:
        return Timestamp.parse(text).datetime
    except ValueError as error:
        raise CommandError(f"--now: {error}.") from None


def _bank(id: str, engine: resources.ReasoningEngine, now: datetime) -> Bank:
    at = to_micros(now - days(170))
    return Bank.objects.create(
        id=id,
        project=settings.MEMORY_BANK_PROJECT,
        location=settings.MEMORY_BANK_LOCATION,
        display_name=engine.display_name or "",
        description=engine.description or "",
        config=records.dump(engine.config.wire()) or "{}",
        extra=records.dump({"labels": engine.labels} if engine.labels else {}) or "{}",
        create_time=at,
        update_time=at,
    )


def _tell(bank: Bank, scope: Scope, fact: Fact, now: datetime) -> None:
    new = fact.memory(scope, now)
    try:
        policy.check_new(new.memory)
        ((row, _revision),) = store.insert(bank, [(new.memory_id or "", new.memory)], timed=True)
        for edit in fact.edits:
            _edit(bank, row, edit, now)
    except ApiError as error:
        raise CommandError(f"{fact.text[:40]!r}: {error}") from None


def _edit(bank: Bank, row: Memory, edit: Edit, now: datetime) -> None:
    """A real update, whose time is then set back to when it is said to have happened."""
    change = resources.Memory(fact=edit.text, revision_labels=dict(edit.labels) or None)
    mask = {"fact", "revision_labels"}
    done = store.update(bank, row.memory_id, change, mask=mask, if_match="", condition=EVERYTHING)
    at = to_micros(now - days(edit.ago))
    Revision.objects.filter(bank=bank, revision_id=done.revision).update(
        create_time=at, expire_time=at + policy.REVISION_LIFE
    )
    Memory.objects.filter(pk=row.pk).update(update_time=at)
    Pair.objects.filter(memory=row).update(update_time=at)
    ScopeRow.objects.filter(pk=row.scope_id).update(last_write=at)
