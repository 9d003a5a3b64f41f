"""The reasons for which a person moves money: each operation has its own, and always another one."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.reason_codes import REASON_CODES, ReasonCode, is_reason_code


@pytest.mark.parametrize("kind", REASON_CODES)
def test_every_operation_has_reasons_and_at_last_another_one(kind: TransactionKind) -> None:
    assert REASON_CODES[kind][-1] is ReasonCode.OTHER
    assert all(is_reason_code(kind, code) for code in (*REASON_CODES[kind], ""))


def test_a_reason_of_another_operation_is_not_known() -> None:
    assert not is_reason_code(TransactionKind.CAPTURE, "returned")
    assert not is_reason_code(TransactionKind.REFUND, "Returned")
    assert not is_reason_code(TransactionKind.CHECKOUT, "other")


def test_every_code_belongs_to_an_operation() -> None:
    assert {code for codes in REASON_CODES.values() for code in codes} == set(ReasonCode)
