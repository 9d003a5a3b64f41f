"""The wallet's order states in this shop's words: the text for the customer, and its tone."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentSnapshot:
    """A state in words. The tone selects a colour and a sign: `good`, `waiting`, `bad` or `plain`."""

    tone: str
    title: str | Promise
    text: str | Promise


STANDINGS = {
    "OPEN": PaymentSnapshot(
        tone="plain",
        title=_("Not paid yet"),
        text=_("Your order is noted. It is on its way as soon as it is paid."),
    ),
    "PENDING": PaymentSnapshot(
        tone="waiting",
        title=_("Payment pending"),
        text=_("The wallet has not decided yet. Please do not pay again; we ask by ourselves."),
    ),
    "AUTHORIZED": PaymentSnapshot(
        tone="good",
        title=_("Amount reserved"),
        text=_("We have started on your piece. The amount is charged when it leaves the workshop."),
    ),
    "PART_CAPTURED": PaymentSnapshot(
        tone="good",
        title=_("Charged in part"),
        text=_("A first part has left the workshop and was charged; the rest is still reserved."),
    ),
    "PAID": PaymentSnapshot(
        tone="good",
        title=_("Paid, thank you"),
        text=_("The wallet has confirmed your payment. We are packing."),
    ),
    "PART_REFUNDED": PaymentSnapshot(
        tone="good",
        title=_("Refunded in part"),
        text=_("A part of what you paid is on its way back to your wallet."),
    ),
    "REFUNDED": PaymentSnapshot(
        tone="plain",
        title=_("Refunded"),
        text=_("What you paid is on its way back to your wallet."),
    ),
    "REVERSED": PaymentSnapshot(
        tone="plain",
        title=_("Reservation given back"),
        text=_("Nothing was charged and the amount is free again."),
    ),
    "FAILED": PaymentSnapshot(
        tone="bad",
        title=_("Not paid"),
        text=_("The last attempt did not go through and nothing was charged. You can try again."),
    ),
    "EXPIRED": PaymentSnapshot(
        tone="bad",
        title=_("Not paid in time"),
        text=_("The time to pay ran out and nothing was charged. You can try again."),
    ),
    "OVERPAID": PaymentSnapshot(
        tone="waiting",
        title=_("Paid more than once"),
        text=_("More than one payment arrived. We are looking into it and send back what is too much."),
    ),
    "CANCELLED": PaymentSnapshot(
        tone="plain",
        title=_("Order cancelled"),
        text=_("This order can no longer be paid. If you still want your piece, please order it again."),
    ),
    "FROZEN": PaymentSnapshot(
        tone="waiting",
        title=_("We are checking your payment"),
        text=_("Something does not add up, so a person is looking at it. Please do not pay again."),
    ),
}

# A state added by a later version of the wallet app must not break the page, and must never appear as paid.
UNHEARD_OF = PaymentSnapshot(
    tone="waiting",
    title=_("We are checking your payment"),
    text=_("Please come back in a little while, and do not pay again."),
)


def standing(state: str) -> PaymentSnapshot:
    """Return the words for a state of a wallet order."""
    return STANDINGS.get(state, UNHEARD_OF)
