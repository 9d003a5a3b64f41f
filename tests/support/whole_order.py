"""A whole order in a process of its own, on the database that `DATABASE_URL` names, which may be empty.

``python -m tests.support.whole_order GATEWAY`` creates it, opens its page, has it paid at that sandbox, lets
the customer return, refunds a part, sweeps, and prints what the payment then says.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from decimal import Decimal

import django


def main(gateway: str) -> None:
    """Walk the order through."""
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client, override_settings
    from django.urls import reverse
    from django.utils import timezone

    from wallet_gateway import payments, return_tokens
    from wallet_gateway.models import GatewayTransaction, PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

    call_command("migrate", verbosity=0)
    wallet = getattr(settings, "WALLET_GATEWAY")  # noqa: B009  a type is not known for it
    ours = wallet["GATEWAYS"]["default"] | {"BASE_URL": gateway}
    with override_settings(
        WALLET_GATEWAY=wallet | {"GATEWAYS": {"default": ours}}, ALLOWED_HOSTS=["testserver"]
    ):
        number = f"POOLED-{PaymentOrder.objects.count()}"
        order = payments.create_order(reference=number, currency="EUR", amount=Decimal("10.00"))
        payments.start_checkout(order)
        reference = order.payments.get().reference
        SandboxControl(gateway).complete_checkout(reference, "success")
        token = return_tokens.sign(reference, return_tokens.ReturnOutcome.SUCCESS)
        page = Client().get(reverse("wallet_gateway:return", args=[token]), follow=True)
        assert page.status_code == 200, page
        payments.refund(order, Decimal("2.50"), by="a test")
        # Due again, so that the sweep asks as it does in the background.
        GatewayTransaction.objects.update(next_query_at=timezone.now() - timedelta(minutes=1))
        payments.sweep()
    payment = order.payments.get()
    print(json.dumps([payment.state, payment.captured, payment.refunded]))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
