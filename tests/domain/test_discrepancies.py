"""Which differences freeze a payment: all that put its money in doubt, and none that does not."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.domain.discrepancies import FREEZING, DiscrepancyKind, freezes

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
def test_what_puts_money_in_doubt_freezes(kind: DiscrepancyKind) -> None:
    assert (kind in FREEZING) is (kind not in HARMLESS)


@every("kind", DiscrepancyKind)
def test_only_a_record_of_an_unknown_type_that_came_with_the_approval_is_a_note(
    kind: DiscrepancyKind,
) -> None:
    assert freezes(kind, is_news_of_approved=True) is (kind in FREEZING)
    assert freezes(kind, is_news_of_approved=False) is (kind in FREEZING - {DiscrepancyKind.UNKNOWN_TYPE})


def test_a_kind_fits_its_column() -> None:
    assert max(map(len, DiscrepancyKind)) <= 24
