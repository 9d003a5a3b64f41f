"""Detached refunds, and the migration file with the deposits that they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Sum

from wallet_gateway.protocol.follow_ups import (
    DETACHED_REFUND_TYPE,
    DetachedRefundRequest,
    DetachedRefundResponse,
)
from wallet_gateway.protocol.migration_file import MigrationRow, RowError, read_rows, text_lines
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import Deposit, RecordOrigin, RecordState
from wallet_gateway.sandbox.payments.dialect import written_id, written_state
from wallet_gateway.sandbox.payments.limits import check_refund
from wallet_gateway.sandbox.payments.payer import display_name, follow_up_details
from wallet_gateway.sandbox.payments.provider_decision import decide_request
from wallet_gateway.sandbox.payments.records import write_record
from wallet_gateway.sandbox.payments.references import answer_once
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import FaultMode, RequestContext

_RESPONSE_CODES: Final[dict[str, str]] = {RecordState.APPROVED: "00", RecordState.ERRORED: "05"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationFileReport:
    """The number of imported rows, and the rejected rows."""

    accepted: int
    rejected: tuple[RowError, ...]


def execute_detached_refund(context: RequestContext, request: DetachedRefundRequest) -> dict[str, Any]:
    """Refund an imported deposit and return the detached refund response; raises a ``Refusal``."""
    requested, merchant, behaviour = request.money, context.merchant, context.conditions.behaviour

    def execute() -> dict[str, Any]:
        parent = request.parent_transaction_id
        deposit = Deposit.objects.filter(
            merchant_id=merchant.merchant_id, parent_transaction_id=parent
        ).first()
        if deposit is None:
            raise Refusal(
                "UnknownOriginal",
                f"No migration file of this sandbox had a deposit {quote(parent)}. "
                "Give it the file: POST /_sandbox/migration-file.",
            )
        if requested.currency != deposit.currency:
            text = f"The deposit is in {deposit.currency}, the request in {requested.currency}."
            raise Refusal("CurrencyDiffers", text)
        check_refund(deposit=deposit.amount, refunded=refunded_of(deposit), requested=requested)
        money = requested
        if context.fault_mode is FaultMode.PARTIAL:
            # At least one unit: an approved refund of zero is not a refund.
            money = Money.from_minor_units(max(1, requested.minor_units // 2), requested.currency)
        record = write_record(
            merchant=merchant,
            reference=request.client_system_transaction_id,
            record_type=DETACHED_REFUND_TYPE,
            money=money,
            decision=decide_request(DETACHED_REFUND_TYPE, requested, context.fault_mode),
            now=context.conditions.now,
            origin=RecordOrigin.API,
            details=follow_up_details(provider=merchant.provider),
            deposit=deposit,
            original_reference=parent,
        )
        given_back = money
        if record.state == RecordState.ERRORED:
            given_back = Money.from_minor_units(0, money.currency)
        response = DetachedRefundResponse.build(
            state=record.state,
            provider_response_code=_RESPONSE_CODES.get(record.state, ""),
            provider_authorization_id=record.record_id,
            provider_response_message=f"{record.provider_state_code}: {given_back} of {requested}",
            currency_code=record.currency,
            client_system_transaction_id=record.reference,
            response_message=f"{record.state}: requested refund {requested}, actual refund {given_back}.",
            amount=given_back.to_wire(),
            apm_details={"apm_provider_name": display_name(merchant.provider)},
        ).to_wire()
        return response | {
            "providerAuthorizationID": written_id(record, record.state, behaviour),
            "state": written_state(record.state, behaviour),
        }

    return answer_once(context, request, execute)


def import_migration_file(
    lines: Iterable[bytes], *, merchant_id: str, keep_good: bool
) -> MigrationFileReport:
    """Import a merchant's file: all rows or none, or with ``keep_good`` all valid rows.

    A known deposit is updated, unless more has been refunded here than its new amount allows.
    """
    counter = _LineCounter(text_lines(lines))
    good: list[Deposit] = []
    rejected: list[RowError] = []
    with write_lock():
        for row in read_rows(counter):
            result = row if isinstance(row, RowError) else _deposit(row, merchant_id, line=counter.line)
            if isinstance(result, RowError):
                rejected.append(result)
            else:
                good.append(result)
        if rejected and not keep_good:
            good = []
        for deposit in good:
            deposit.save()
    return MigrationFileReport(accepted=len(good), rejected=tuple(rejected))


def refunded_of(deposit: Deposit) -> int:
    """Return what was refunded of a deposit before and after the migration, in minor units."""
    since = deposit.refunds.exclude(state=RecordState.ERRORED).aggregate(total=Sum("amount_minor"))["total"]
    return deposit.refunded_before_minor + (since or 0)


class _LineCounter:
    """Counts the lines read, because a valid row does not carry its line number."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.line = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.line += 1
            yield line


def _deposit(row: MigrationRow, merchant_id: str, *, line: int) -> Deposit | RowError:
    parent = row.parent_transaction_id
    known = Deposit.objects.filter(merchant_id=merchant_id, parent_transaction_id=parent).first()
    deposit = known or Deposit(merchant_id=merchant_id, parent_transaction_id=parent)
    if known is not None and known.currency != row.currency:
        return RowError(line, f"{quote(parent)} is known in {known.currency} already")
    deposit.provider_transaction_id = row.provider_transaction_id
    deposit.paid_at = row.transacted_at
    deposit.amount_minor = row.money.minor_units
    deposit.currency = row.currency
    deposit.refunded_before_minor = row.refunded.minor_units
    if known is not None and refunded_of(deposit) > deposit.amount_minor:
        return RowError(line, f"more than {row.money} of {quote(parent)} was refunded here already")
    return deposit
