"""What the wallet's sheet asks for, kept with each order."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="order", name="sheet", field=models.JSONField(blank=True, default=dict, editable=False)
        ),
    ]
