"""Detached refunds: giving back what an earlier provider took, as far as a migration file knows of it."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.follow_ups import (
    DETACHED_REFUND_TYPE,
    DetachedRefundRequest,
    DetachedRefundResponse,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.calls import Call, Twist
from wallet_gateway.sandbox.engine.limits import check_refund
from wallet_gateway.sandbox.engine.payer import display_name, follow_up_details
from wallet_gateway.sandbox.engine.provider_decision import verdict_on_request
from wallet_gateway.sandbox.engine.records import refunded_of, write_record
from wallet_gateway.sandbox.engine.references import answer_once
from wallet_gateway.sandbox.engine.refusals import CurrencyDiffers, UnknownOriginal
from wallet_gateway.sandbox.models import Deposit, RecordOrigin, RecordState, TransactionRecord


def carry_out_detached_refund(call: Call, request: DetachedRefundRequest) -> dict[str, Any]:
    """Give money of a migrated deposit back and give the detached refund response; raises a ``Refusal``."""

    def execute() -> dict[str, Any]:
        deposit = _find_deposit(call.merchant.merchant_id, request.parent_transaction_id)
        _check(deposit, request.money)
        record = _write(call, deposit, request)
        return _response(record, requested=request.money)

    return answer_once(call, request, execute)


def _find_deposit(merchant_id: str, parent_transaction_id: str) -> Deposit:
    deposits = Deposit.objects.filter(merchant_id=merchant_id, parent_transaction_id=parent_transaction_id)
    deposit = deposits.first()
    if deposit is None:
        raise UnknownOriginal(f"No migration file had a deposit {quote(parent_transaction_id)}.")
    return deposit


def _check(deposit: Deposit, amount: Money) -> None:
    if amount.currency != deposit.currency:
        raise CurrencyDiffers(f"The deposit is in {deposit.currency}, the request in {amount.currency}.")
    check_refund(deposit=deposit.amount, refunded=refunded_of(deposit), requested=amount)


def _write(call: Call, deposit: Deposit, request: DetachedRefundRequest) -> TransactionRecord:
    return write_record(
        merchant=call.merchant,
        reference=request.client_system_transaction_id,
        record_type=DETACHED_REFUND_TYPE,
        money=_half(request.money) if call.twist is Twist.PARTIAL else request.money,
        verdict=verdict_on_request(DETACHED_REFUND_TYPE, request.money, call.twist),
        now=call.conditions.now,
        origin=RecordOrigin.API,
        details=follow_up_details(provider=call.merchant.provider),
        deposit=deposit,
        original_reference=deposit.parent_transaction_id,
    )


def _half(money: Money) -> Money:
    # Never nothing: an approved refund of zero is no refund.
    return Money.from_minor_units(max(1, money.minor_units // 2), money.currency)


def _response(record: TransactionRecord, *, requested: Money) -> dict[str, Any]:
    given_back = record.amount
    if record.state == RecordState.ERRORED:
        given_back = Money.from_minor_units(0, record.currency)
    return DetachedRefundResponse.build(
        state=record.state,
        provider_response_code=_RESPONSE_CODES.get(record.state, ""),
        provider_authorization_id=record.record_id,
        provider_response_message=f"{record.provider_state_code}: {given_back} of {requested}",
        currency_code=record.currency,
        client_system_transaction_id=record.reference,
        response_message=f"{record.state}: requested refund {requested}, actual refund {given_back}.",
        amount=given_back.to_wire(),
        apm_details={"apm_provider_name": display_name(record.merchant.provider)},
    ).to_wire()


_RESPONSE_CODES: Final[dict[str, str]] = {RecordState.APPROVED: "00", RecordState.ERRORED: "05"}
