"""The tables. Times are microseconds since the epoch; maps and lists are kept as the JSON text of the wire.

`Pair` is the one index of equality: a row for each scope pair and each topic of a memory, its key spelled as in a
filter (`scope.user_id`, `topics.managed_memory_topic`), with both times, so that a filter on it is one range scan in
list order.
"""

import json

from django.db import models


class Bank(models.Model):
    id = models.CharField(primary_key=True, max_length=128)
    project = models.CharField(max_length=128)
    location = models.CharField(max_length=63)
    display_name = models.CharField(max_length=128, default="")
    description = models.TextField(default="")
    config = models.TextField(default="{}")  # MemoryBankConfig
    extra = models.TextField(default="{}")  # labels, encryptionSpec and what describes a deployed agent
    create_time = models.BigIntegerField()
    update_time = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=["location", "create_time", "id"], name="bank_location"),)

    def __str__(self) -> str:
        return self.id


class Scope(models.Model):
    bank = models.ForeignKey(Bank, models.CASCADE)
    digest = models.CharField(max_length=32)
    canonical = models.TextField()
    text = models.TextField(default="")  # its pairs as one writes them, folded, a line each: for searching
    count = models.IntegerField(default=0)
    first_write = models.BigIntegerField()
    last_write = models.BigIntegerField()
    version = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "digest"], name="scope_digest"),)
        indexes = (
            models.Index(fields=["bank", "last_write", "id"], name="scope_written"),
            models.Index(fields=["bank", "first_write", "id"], name="scope_begun"),
            models.Index(fields=["bank", "count", "id"], name="scope_count"),
        )

    def __str__(self) -> str:
        return self.canonical

    @property
    def pairs(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.canonical)
        return found


class Facet(models.Model):
    """By what a scope can be found: see `facets`."""

    number = models.BigIntegerField()
    scope = models.ForeignKey(Scope, models.CASCADE)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["number", "scope"], name="facet_number"),)

    def __str__(self) -> str:
        return str(self.number)


class Memory(models.Model):
    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    memory_id = models.CharField(max_length=63)
    scope = models.ForeignKey(Scope, models.PROTECT, db_index=False)
    fact = models.TextField(default="")
    folded = models.TextField(default="")  # NFC without case; what the trigram index holds
    display_name = models.CharField(max_length=128, default="")
    description = models.TextField(default="")
    context = models.TextField(default="")
    memory_type = models.CharField(max_length=32)
    schema_id = models.CharField(max_length=63, default="")
    data = models.TextField(default="")  # of a structured memory
    topics = models.TextField(default="")
    metadata = models.TextField(default="")
    create_time = models.BigIntegerField()
    update_time = models.BigIntegerField()
    expire_time = models.BigIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "memory_id"], name="memory_id"),)
        indexes = (
            models.Index(fields=["bank", "create_time", "id"], name="memory_created"),
            models.Index(fields=["bank", "update_time", "id"], name="memory_updated"),
            models.Index(fields=["scope", "create_time", "id"], name="memory_scope_created"),
            models.Index(fields=["scope", "update_time", "id"], name="memory_scope_updated"),
            models.Index(
                fields=["bank", "expire_time"], name="memory_expiring", condition=models.Q(expire_time__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return self.memory_id


class Pair(models.Model):
    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    memory = models.ForeignKey(Memory, models.CASCADE, db_index=False)
    key = models.CharField(max_length=300)
    value = models.TextField()
    create_time = models.BigIntegerField()
    update_time = models.BigIntegerField()

    class Meta:
        indexes = (
            models.Index(fields=["bank", "key", "value", "create_time", "memory"], name="pair_created"),
            models.Index(fields=["bank", "key", "value", "update_time", "memory"], name="pair_updated"),
            models.Index(fields=["memory", "key", "value"], name="pair_memory"),
        )

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


class Revision(models.Model):
    """Outlives its memory, so it names it instead of pointing to it."""

    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    memory_id = models.CharField(max_length=63)
    revision_id = models.CharField(max_length=32)
    create_time = models.BigIntegerField()
    expire_time = models.BigIntegerField()
    fact = models.TextField(default="")
    data = models.TextField(default="")
    labels = models.TextField(default="")
    extracted = models.TextField(default="")
    context = models.TextField(default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "memory_id", "revision_id"], name="revision_id"),)
        indexes = (
            models.Index(fields=["bank", "memory_id", "id"], name="revision_memory"),
            models.Index(fields=["expire_time"], name="revision_expiring"),
        )

    def __str__(self) -> str:
        return f"{self.memory_id}/{self.revision_id}"


class Tombstone(models.Model):
    """A deleted memory, kept whole for 48 hours so that it can be revived."""

    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    memory_id = models.CharField(max_length=63)
    memory = models.TextField()  # as the wire writes it
    delete_time = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "memory_id"], name="tombstone_id"),)
        indexes = (
            models.Index(fields=["bank", "delete_time", "id"], name="tombstone_deleted"),
            models.Index(fields=["delete_time"], name="tombstone_expiring"),
        )

    def __str__(self) -> str:
        return self.memory_id


class Operation(models.Model):
    """Done when it is made; readable for a week. A bank's own outlive it, so the bank is named, not pointed to."""

    operation_id = models.CharField(primary_key=True, max_length=32)
    bank_id = models.CharField(max_length=128)
    memory_id = models.CharField(max_length=63, default="")
    create_time = models.BigIntegerField()
    body = models.TextField()  # the Operation as the wire writes it

    class Meta:
        indexes = (
            models.Index(fields=["bank_id", "create_time"], name="operation_bank"),
            models.Index(fields=["bank_id", "memory_id"], name="operation_memory"),
            models.Index(fields=["create_time"], name="operation_expiring"),
        )

    def __str__(self) -> str:
        return self.operation_id


class Vector(models.Model):
    """What similarity search compares. Made from the text that `digest` stands for, by the model `embedder`."""

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True)
    embedder = models.CharField(max_length=200)
    digest = models.CharField(max_length=32)
    vector = models.BinaryField()  # float32, little-endian, of unit length

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.embedder}"


class Stream(models.Model):
    """Events of one conversation, kept until memories can be made of them."""

    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    digest = models.CharField(max_length=32)  # of the scope
    scope = models.TextField()  # canonical
    stream_id = models.CharField(max_length=128)
    settings = models.TextField(default="{}")  # the latest IngestEventsRequest without its events
    create_time = models.BigIntegerField()
    update_time = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "digest", "stream_id"], name="stream_id"),)

    def __str__(self) -> str:
        return self.stream_id


class Event(models.Model):
    stream = models.ForeignKey(Stream, models.CASCADE, db_index=False)
    event_id = models.CharField(max_length=256, null=True)  # noqa: DJ001  # NULL: not unique
    event_time = models.BigIntegerField()
    create_time = models.BigIntegerField()  # of arrival
    content = models.TextField()  # Content

    class Meta:
        constraints = (models.UniqueConstraint(fields=["stream", "event_id"], name="event_id"),)
        indexes = (models.Index(fields=["stream", "event_time", "id"], name="event_time"),)

    def __str__(self) -> str:
        return self.event_id or str(self.pk)


class Pending(models.Model):
    """A GenerateMemories of contents or a session, kept whole until memories can be made of it."""

    operation_id = models.CharField(primary_key=True, max_length=32)
    bank = models.ForeignKey(Bank, models.CASCADE, db_index=False)
    digest = models.CharField(max_length=32, default="")  # of the scope, where one is given
    request = models.TextField()  # GenerateMemoriesRequest
    create_time = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=["bank", "digest", "create_time"], name="pending_scope"),)

    def __str__(self) -> str:
        return self.operation_id
