"""Ask again about what the version before had stopped asking about."""

from datetime import timedelta

from django.db import migrations
from django.db.models import Q
from django.utils import timezone

_WITHOUT_END = ("UNKNOWN", "OPEN", "AWAITING_3DS", "PENDING")
_WATCHED = timedelta(days=7, minutes=15)


def ask_again(apps, schema_editor):
    """Wake what has not ended and had used up its timetable, and the refused pages that are still on watch."""
    database, now = schema_editor.connection.alias, timezone.now()
    intents = apps.get_model("wallet_gateway", "GatewayTransaction").objects.using(database)
    without_end = Q(state__in=_WITHOUT_END)
    refused_page = Q(state="REJECTED", kind="CHECKOUT", expires_at__gt=now - _WATCHED)
    intents.filter(without_end | refused_page, next_query_at=None).update(next_query_at=now)


class Migration(migrations.Migration):

    dependencies = [
        ('wallet_gateway', '0010_unreadable_records'),
    ]

    operations = [
        migrations.RunPython(ask_again, migrations.RunPython.noop, elidable=True),
    ]
