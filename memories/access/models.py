"""Bindings, tokens and the audit trail."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Binding(models.Model):
    """A role given to one person or one group, on one bank or all, everywhere or where the scope holds all `pairs`."""

    role = models.CharField(max_length=100)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="bindings")
    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="bindings")
    bank = models.CharField(max_length=200, blank=True, default="")
    """The bank's key (`LOCATION/ID`); empty means every bank, those made later included."""
    pairs = models.JSONField(default=list, blank=True)
    """[[key, value], …]; empty means whatever the scope."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="binding_person_or_group",
                condition=Q(user__isnull=False, group__isnull=True) | Q(user__isnull=True, group__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} to {self.user or self.group} on {self.bank or 'all banks'}"


class Token(models.Model):
    """A personal token of the API. The secret itself is shown once and never stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret, hexadecimal. A secret of 256 random bits needs neither salt nor a slow hash."""
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    """The last use, to the minute."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                name="token_name_once", fields=["user", "name"], condition=Q(revoked_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class Entry(models.Model):
    """One change, done or not. It names people and resources and never holds text of a memory or of a scope."""

    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"
        FAILED = "failed"

    at = models.DateTimeField(default=timezone.now)
    person = models.CharField(max_length=150)
    via = models.CharField(max_length=120)
    action = models.CharField(max_length=100)
    """The permission that the change needed."""
    resource = models.CharField(max_length=500)
    bank = models.CharField(max_length=200, blank=True, default="")
    memory = models.CharField(max_length=130, blank=True, default="")
    scope_digest = models.CharField(max_length=64, blank=True, default="")
    """HMAC-SHA256 of the canonical scope, keyed with AUDIT_KEY."""
    outcome = models.CharField(max_length=10, choices=Outcome)
    status = models.CharField(max_length=40, blank=True, default="")
    reason = models.CharField(max_length=1000, blank=True, default="")
    revision = models.CharField(max_length=130, blank=True, default="")
    """The id of the revision that the change made."""
    count = models.BigIntegerField(null=True)
    """How many memories, where it was not one."""

    class Meta:
        verbose_name_plural = "entries"
        indexes: ClassVar = [
            models.Index(fields=["bank", "memory", "-id"], name="entry_memory"),
            models.Index(fields=["-at"], name="entry_at"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.person} {self.action} {self.resource} {self.outcome}"
