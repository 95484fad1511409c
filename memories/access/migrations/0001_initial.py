import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("person", models.CharField(max_length=150)),
                ("via", models.CharField(max_length=120)),
                ("action", models.CharField(max_length=100)),
                ("resource", models.CharField(max_length=500)),
                ("bank", models.CharField(blank=True, default="", max_length=200)),
                ("memory", models.CharField(blank=True, default="", max_length=130)),
                ("scope_digest", models.CharField(blank=True, default="", max_length=64)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("done", "Done"), ("refused", "Refused"), ("failed", "Failed")], max_length=10
                    ),
                ),
                ("status", models.CharField(blank=True, default="", max_length=40)),
                ("reason", models.CharField(blank=True, default="", max_length=1000)),
                ("revision", models.CharField(blank=True, default="", max_length=130)),
                ("count", models.BigIntegerField(null=True)),
            ],
            options={
                "verbose_name_plural": "entries",
                "indexes": [
                    models.Index(fields=["bank", "memory", "-id"], name="entry_memory"),
                    models.Index(fields=["-at"], name="entry_at"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Binding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.CharField(max_length=100)),
                ("bank", models.CharField(blank=True, default="", max_length=200)),
                ("pairs", models.JSONField(blank=True, default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "group",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="bindings", to="auth.group"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bindings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group__isnull", True), ("user__isnull", False)),
                            models.Q(("group__isnull", False), ("user__isnull", True)),
                            _connector="OR",
                        ),
                        name="binding_person_or_group",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at__isnull", True)),
                        fields=("user", "name"),
                        name="token_name_once",
                    )
                ],
            },
        ),
    ]
