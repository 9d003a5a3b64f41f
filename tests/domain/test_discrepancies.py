"""Which differences freeze a payment: all that put its money in doubt, and none that does not."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.domain.discrepancies import FREEZING, DiscrepancyKind

HARMLESS = {
    DiscrepancyKind.REPEATED_ON_THE_WIRE,
    DiscrepancyKind.REFUND_SHORT,
    DiscrepancyKind.UNEXPECTED_HOST,
    DiscrepancyKind.MISSING_THERE,
    # What the readable records beside it say counts: a paid order is not held back for it.
    DiscrepancyKind.RECORD_UNREADABLE,
    DiscrepancyKind.UNKNOWN_TYPE,
}


@every("kind", DiscrepancyKind)
def test_what_puts_money_in_doubt_freezes(kind: DiscrepancyKind) -> None:
    assert (kind in FREEZING) is (kind not in HARMLESS)


def test_a_kind_fits_its_column() -> None:
    assert max(map(len, DiscrepancyKind)) <= 24
