import itertools
import json

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from memories.server import facets


def fill(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """What scopes that are already there can be found by."""
    scopes, facet = apps.get_model("server", "Scope"), apps.get_model("server", "Facet")
    rows = scopes.objects.order_by("pk").only("bank_id", "canonical").iterator(chunk_size=1000)
    for some in itertools.batched(rows, 1000):
        made = []
        for one in some:
            pairs = json.loads(one.canonical)
            one.text = facets.text(pairs)
            made += [facet(number=number, scope_id=one.pk) for number in facets.of(one.bank_id, pairs)]
        scopes.objects.bulk_update(some, ["text"], batch_size=200)
        facet.objects.bulk_create(made, batch_size=2000)


class Migration(migrations.Migration):
    dependencies = [("server", "0003_generation")]

    operations = [
        migrations.CreateModel(
            name="Facet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.BigIntegerField()),
                ("scope", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="server.scope")),
            ],
        ),
        migrations.AddConstraint(
            model_name="facet",
            constraint=models.UniqueConstraint(fields=["number", "scope"], name="facet_number"),
        ),
        migrations.AddField(model_name="scope", name="text", field=models.TextField(default="")),
        migrations.AddIndex(
            model_name="scope", index=models.Index(fields=["bank", "first_write", "id"], name="scope_begun")
        ),
        migrations.AddIndex(model_name="scope", index=models.Index(fields=["bank", "count", "id"], name="scope_count")),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
