"""Which differences freeze a payment: all that put its money in doubt, and none that does not."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind, freezes

HARMLESS = {
    DiscrepancyKind.REPEATED_ON_THE_WIRE,
    DiscrepancyKind.REFUND_SHORT,
    DiscrepancyKind.UNEXPECTED_HOST,
    DiscrepancyKind.MISSING_THERE,
    # The order is frozen, and its payment may be given back at once.
    DiscrepancyKind.LATE_PAYMENT,
    # What the readable records beside it say counts: a paid order is not held back for it.
    DiscrepancyKind.RECORD_UNREADABLE,
    # These are about the gateway: no payment is held for them.
    DiscrepancyKind.UNKNOWN_STATE,
    DiscrepancyKind.RECORDS_SHARED,
}


@every("kind", DiscrepancyKind)
def test_what_puts_money_in_doubt_freezes_and_an_unknown_type_only_beside_the_approval_itself(
    kind: DiscrepancyKind,
) -> None:
    is_harmless = kind in HARMLESS
    assert freezes(kind, is_news_of_approved=True) is not is_harmless
    is_a_note = is_harmless or kind is DiscrepancyKind.UNKNOWN_TYPE
    assert freezes(kind, is_news_of_approved=False) is not is_a_note
    assert len(kind) <= 24, "it fits its column"
