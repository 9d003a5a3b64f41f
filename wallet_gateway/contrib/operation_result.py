"""What a bridge says of a capture, refund or reversal that the gateway has not approved."""

from __future__ import annotations

from django.utils.translation import gettext as _

from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import GatewayTransaction


def why_not_approved(transaction: GatewayTransaction) -> str:
    """Return a sentence for the staff; empty for an approved transaction."""
    if transaction.state == TransactionState.APPROVED:
        return ""
    if transaction.state == TransactionState.REJECTED:
        return transaction.explanation or _("The gateway has refused it.")
    return _("The outcome is not known yet. It is recorded here as soon as it is: do not repeat it.")
