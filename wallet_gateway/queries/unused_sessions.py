"""Wallet buttons that were shown and no more: each reload of a page may show one, and none says a thing."""

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
"""What tells how a page loaded, and nothing of what the customer did."""


_NEVER_SENT = frozenset({TransactionState.AWAITING_RESULT, TransactionState.EXPIRED})


def is_unused(transaction: GatewayTransaction) -> bool:
    """Say whether an attempt is a button for which no card ever came."""
    is_button = transaction.kind == TransactionKind.AUTHORIZATION and hasattr(transaction, "wallet")
    return is_button and transaction.state in _NEVER_SENT and transaction.wallet.results_count == 0


def is_idle(transaction: GatewayTransaction) -> bool:
    """Say whether it is one with which the customer did nothing at all, as far as the browser tells."""
    return is_unused(transaction) and all(
        event["event"] in OF_THE_PAGE for event in transaction.wallet.events
    )


def shown_often(times: int) -> str:
    """Return the words for several such buttons, of which the last is meant."""
    # Never of one, so every language that has one plural needs no other form.
    return _("Wallet button shown (%(times)s times, this is the last)") % {"times": times}


def as_loaded(buttons: Sequence[GatewayTransaction]) -> str:
    """Say how often a button could be pressed, and how often the browser had no wallet for it."""
    counts = Counter(event["event"] for button in buttons for event in button.wallet.events)
    return ", ".join(f"{words}: {counts[event]}" for event, words in OF_THE_PAGE.items() if counts[event])
