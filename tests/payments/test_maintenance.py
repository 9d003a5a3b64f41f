"""What operators do about a gateway as a whole, through the door that the settings wire."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.payments import maintenance
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_gateways_are_those_of_the_settings() -> None:
    assert maintenance.gateway_aliases() == ("default",)


def test_what_is_due_is_asked_about(wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="UP-1", currency="EUR", amount=Decimal("10.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    GatewayTransaction.objects.update(next_query_at=order.created_at - timedelta(minutes=1))
    assert maintenance.reconcile_due() == 1
    order.refresh_from_db()
    assert order.state == OrderState.PAID


def test_a_stop_and_its_end_go_through_the_settings_gateway() -> None:
    maintenance.stop_sending("default", by="anna", reason="why")
    assert [pause.by for pause in maintenance.sending_pauses()] == ["anna"]
    maintenance.resume_sending("default", by="anna", reason="why")
    assert maintenance.sending_pauses() == ()


def test_a_sweep_covers_every_gateway(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {**gateways, "second": gateways["default"]},
    }

    assert [report.gateway for report in payments.sweep()] == ["default", "second"]
    assert payments.maintenance.reconcile_due(gateway="second") == 0
    assert payments.maintenance.deliver_events() == 0
