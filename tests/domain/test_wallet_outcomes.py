"""No state in which money may have moved tells a customer to pay again."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain.cards import WalletOutcome, outcome_of
from wallet_gateway.domain.states import HELD_STATES, TransactionState

S, W = TransactionState, WalletOutcome


@every("state", sorted(HELD_STATES - {S.AWAITING_3DS}))
def test_whatever_may_still_be_charged_is_being_checked(state: TransactionState) -> None:
    assert outcome_of(state) is W.CHECKING


@every(
    ("state", "expected"),
    [
        (S.APPROVED, W.APPROVED),
        (S.REJECTED, W.DECLINED),
        (S.AWAITING_3DS, W.THREE_D_SECURE),
        (S.AWAITING_RESULT, W.TRY_AGAIN),
        (S.EXPIRED, W.TRY_AGAIN),
        (S.ABANDONED, W.TRY_AGAIN),
    ],
)
def test_what_is_plainly_over_says_what_to_do(state: TransactionState, expected: WalletOutcome) -> None:
    assert outcome_of(state) is expected
