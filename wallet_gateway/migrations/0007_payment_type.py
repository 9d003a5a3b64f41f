from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_types(apps, schema_editor):
    intents = apps.get_model("wallet_gateway", "GatewayTransaction").objects
    payments = apps.get_model("wallet_gateway", "Payment").objects.filter(pk=OuterRef("payment_id"))
    opening = intents.filter(kind__in=["CHECKOUT", "AUTHORIZATION"])
    opening.update(payment_type=Subquery(payments.values("type")[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ('wallet_gateway', '0006_deposits_in_batches'),
    ]

    operations = [
        migrations.AddField(
            model_name='gatewaytransaction',
            name='payment_type',
            field=models.CharField(blank=True, choices=[('sale', 'Sale'), ('preauthorization', 'Preauthorization')], default='', max_length=16),
            preserve_default=False,
        ),
        migrations.RunPython(name_types, migrations.RunPython.noop, elidable=True),
    ]
