"""The signals a shop connects to, by name: taking one away breaks shops."""

from __future__ import annotations

from django.dispatch import Signal

from wallet_gateway import signals
from wallet_gateway.models import OutboxEventKind
from wallet_gateway.operations.settlement.outbox import SIGNALS

NAMES = {
    "order_authorized",
    "order_paid",
    "order_captured_in_part",
    "order_refunded",
    "order_reversed",
    "order_failed",
    "order_expired",
    "order_anomaly",
    "order_cancelled",
    "order_released",
    "wallet_limit_reached",
}


def test_the_signals_are_these_and_no_others() -> None:
    assert {name for name, value in vars(signals).items() if isinstance(value, Signal)} == {
        *NAMES,
        # Of a date and not of what happened, so it is no fact.
        "authorization_expiring",
        # Of rows of batches, which are about many orders.
        "batch_row_done",
        # Of pages and not of orders.
        "page_scripts_changed",
        # Of calls and not of orders.
        "gateway_called",
        # Of gateways and not of orders.
        "sending_paused",
        "sending_resumed",
    }


def test_every_kind_of_event_has_a_signal_of_its_own() -> None:
    assert set(SIGNALS) == set(OutboxEventKind)
    assert {id(signal) for signal in SIGNALS.values()} == {id(getattr(signals, name)) for name in NAMES}


def test_a_receiver_is_connected_as_django_connects_it() -> None:
    signal, seen = signals.ShopSignal(), []

    def receive(sender: object, **kwargs: object) -> None:
        seen.append((sender, kwargs["reference"]))

    signal.connect(receive, sender=OutboxEventKind, weak=False, dispatch_uid="once")
    signal.connect(receive, sender=OutboxEventKind, weak=False, dispatch_uid="once")
    del receive
    signal.send(sender=OutboxEventKind, reference="ORDER-1")
    signal.send(sender=object, reference="ORDER-2")
    assert seen == [(OutboxEventKind, "ORDER-1")]
