"""Unused wallet buttons: each page reload may show a new one, and none carries any information."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.wallet import WalletEvent

OF_THE_PAGE = {
    WalletEvent.READY: gettext_lazy("Wallet button ready"),
    WalletEvent.UNAVAILABLE: gettext_lazy("Wallet not available in the browser"),
}
"""Events about how a page loaded, which say nothing about what the customer did."""


_NEVER_SENT = frozenset({TransactionState.AWAITING_RESULT, TransactionState.EXPIRED})


def is_unused(transaction: GatewayTransaction) -> bool:
    """Return whether an attempt is a button that never received a card."""
    is_button = transaction.kind == TransactionKind.AUTHORIZATION and hasattr(transaction, "wallet")
    return is_button and transaction.state in _NEVER_SENT and transaction.wallet.results_count == 0


def is_idle(transaction: GatewayTransaction) -> bool:
    """Return whether it is a button that the customer did not use at all, as far as the browser reports."""
    return is_unused(transaction) and all(
        event["event"] in OF_THE_PAGE for event in transaction.wallet.events
    )


def shown_often(times: int) -> str:
    """Return the timeline text for several such buttons, shown at the last one."""
    # Never used for a single button, so the plural form is enough in every language.
    return _("Wallet button shown (%(times)s times, this is the last)") % {"times": times}


def as_loaded(buttons: Sequence[GatewayTransaction]) -> str:
    """Return how often a button was ready, and how often the browser had no wallet for it."""
    counts = Counter(event["event"] for button in buttons for event in button.wallet.events)
    return ", ".join(f"{words}: {counts[event]}" for event, words in OF_THE_PAGE.items() if counts[event])
