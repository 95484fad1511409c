"""Loads memories from JSON lines: all of them or none, with a report of the lines that cannot be memories."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import batched
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from memories.access import trail
from memories.access.checks import OPERATOR
from memories.exchange import Line, Mapped, Pair, Refused, read_lines
from memories.server import clock, policy, records, store
from memories.server.management.progress import progress
from memories.server.models import Bank, Memory
from memories.wire.errors import ApiError
from memories.wire.resources import MemoryBankConfig, NewMemory

BATCH = 500
SHOWN = 20  # refused lines that are printed one by one

EPILOG = """\
A line is a memory as the API writes it (fact, scope, metadata, createTime, ...), or what the options say:
  import_jsonl facts.jsonl --bank Support --create-bank --fact fact --scope user_id=speaker --scope app_name:=chat \\
    --metadata session --create-time time
With --fact only the fields named are read; without it an unknown field is refused.
"""


class Command(BaseCommand):
    help = "Loads memories from a file of JSON lines. Nothing is written if a line is refused, unless --skip-refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("file", type=Path)
        parser.add_argument("--bank", required=True, help="the bank's display name, id, or full name")
        parser.add_argument(
            "--create-bank", action="store_true", help="make a bank of that display name if there is none"
        )
        parser.add_argument("--fact", default="", metavar="FIELD", help="the field that holds the fact")
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="KEY=FIELD",
            help="a scope pair from a field, or KEY:=TEXT for all lines; may be repeated",
        )
        parser.add_argument(
            "--metadata", action="extend", nargs="+", default=[], metavar="FIELD", help="fields kept as metadata"
        )
        parser.add_argument("--create-time", default="", metavar="FIELD", help="the field that holds the creation time")
        parser.add_argument("--id", default="", metavar="FIELD", help="the field that holds the memory's id")
        parser.add_argument("--skip-refused", action="store_true", help="write the lines that are good")

    def handle(self, *args: Any, **options: Any) -> None:
        mapped = _mapped(options)
        file: Path = options["file"]
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        try:
            with transaction.atomic():
                bank = _bank(options["bank"], make=options["create_bank"])
                written = self.load(file, mapped, bank, skip=options["skip_refused"])
        except (ApiError, OSError) as error:
            raise CommandError(f"Nothing was written: {error}") from None
        self.stdout.write(f"{written} memories written to {bank.display_name!r} ({records.bank_name(bank)}).")

    def load(self, file: Path, mapped: Mapped, bank: Bank, *, skip: bool) -> int:
        """How many were written, in the transaction that is open. Every line is looked at before any is written."""
        refused = [line.outcome for line in self.lines(file, mapped, bank, "checking") if _is_refused(line)]
        self.report([one for one in refused if isinstance(one, Refused)])
        if refused and not skip:
            raise CommandError(
                f"Nothing was written: {len(refused)} lines were refused (--skip-refused leaves them out)."
            )
        good = (one.outcome for one in self.lines(file, mapped, bank, "writing") if isinstance(one.outcome, NewMemory))
        written = 0
        for some in batched(good, BATCH):
            store.insert(bank, [(one.memory_id or "", one.memory) for one in some], timed=True)
            written += len(some)
        if written:
            name, action = str(records.bank_name(bank)), "aiplatform.memories.create"
            trail.record(OPERATOR, action=action, resource=name, outcome="done", reason="import", count=written)
        return written

    def lines(self, file: Path, mapped: Mapped, bank: Bank, label: str) -> Iterator[Line]:
        config, now = store.config_of(bank), clock.now()
        with file.open("rb") as stream, progress(label, file.stat().st_size) as shown:
            for line in read_lines(stream, mapped):
                shown.advance(line.end)
                yield _checked(line, bank, config, now)

    def report(self, refused: list[Refused]) -> None:
        for one in refused[:SHOWN]:
            self.stderr.write(f"line {one.line}: {one.reason}")
        if len(refused) > SHOWN:
            self.stderr.write(f"and {len(refused) - SHOWN} more")


def _is_refused(line: Line) -> bool:
    return isinstance(line.outcome, Refused)


def _mapped(options: dict[str, Any]) -> Mapped:
    try:
        pairs = tuple(Pair.parse(text) for text in options["scope"])
    except ValueError as error:
        raise CommandError(f"--scope: {error}.") from None
    return Mapped(
        fact=options["fact"],
        scope=pairs,
        metadata=tuple(options["metadata"]),
        create_time=options["create_time"],
        id=options["id"],
    )


def _checked(line: Line, bank: Bank, config: MemoryBankConfig, now: int) -> Line:
    """The line, refused where the server would not take its memory."""
    new = line.outcome
    if not isinstance(new, NewMemory):
        return line
    reason = ""
    try:
        policy.check_new(new.memory)
        expires = policy.expiry(new.memory, config, "create", now=now)
        policy.revision_expiry(new.memory, config, now=now)
        if expires is not None and expires <= now:
            reason = "it has expired already"
    except ApiError as error:
        reason = error.message.rstrip(".")
    if new.memory_id and Memory.objects.filter(bank=bank, memory_id=new.memory_id).exists():
        reason = f"the bank has a memory with the id {new.memory_id!r}"
    return Line(line.number, line.end, Refused(line.number, reason)) if reason else line


def _bank(text: str, *, make: bool) -> Bank:
    location = settings.MEMORY_BANK_LOCATION
    id = text.rpartition("/")[2]
    found = list(Bank.objects.filter(display_name=text, location=location).order_by("id")) or list(
        Bank.objects.filter(id=id)
    )
    if len(found) > 1:
        raise CommandError(
            f"{len(found)} banks are named {text!r}; give the id of one: {', '.join(one.id for one in found)}."
        )
    if found:
        return found[0]
    if not make:
        raise CommandError(f"There is no bank {text!r}; --create-bank makes one.")
    if not 0 < len(text) <= 128:
        raise CommandError("A bank's name has 1 to 128 characters.")
    now = clock.now()
    project = settings.MEMORY_BANK_PROJECT
    return Bank.objects.create(
        id=clock.new_id(), project=project, location=location, display_name=text, create_time=now, update_time=now
    )
