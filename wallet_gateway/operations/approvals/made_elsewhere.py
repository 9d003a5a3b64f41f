"""Book an operation made elsewhere by a person's decision, from what the gateway reports at that moment."""

from __future__ import annotations

from wallet_gateway.domain.actors import By
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.elsewhere import KINDS, booking_order
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, InvalidState
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.operations.settlement.discrepancies import elsewhere_fingerprint, is_closed
from wallet_gateway.operations.settlement.elsewhere import Bookkeeper, book_elsewhere
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.protocol.status import StatusRecord


@sensitive_variables()
def book_discrepancy(
    discrepancy: Discrepancy, *, reason: str, by: By, context: GatewayContext
) -> GatewayTransaction:
    """Book the operation of an open `MADE_ELSEWHERE` discrepancy, and close it; return the transaction.

    The gateway is asked first: booked is what it reports now. Nothing that moves money is sent. Raises
    `InvalidInput` without an author or a reason, `InvalidState` if the discrepancy is closed or no rule books
    its record, and `GatewayUnreachable` without an answer.
    """
    actor = check_decision(by=by, reason=reason)
    discrepancy.refresh_from_db()
    if discrepancy.closed_at is not None:
        raise InvalidState(ErrorCode.DISCREPANCY_CLOSED)
    if discrepancy.kind != DiscrepancyKind.MADE_ELSEWHERE or discrepancy.transaction is None:
        raise InvalidState(ErrorCode.NOT_BOOKABLE)
    transaction = reread(discrepancy.transaction)
    finding = query_status(transaction, context=context)
    if finding is None:
        raise GatewayUnreachable(
            ErrorCode.GATEWAY_SILENT, gateway=context.alias, address=context.policy.address
        )
    record = _reported(discrepancy, transaction, finding)
    if any(_is_open_capture(other, transaction) for other in finding.elsewhere if _precedes(other, record)):
        raise InvalidState(ErrorCode.CAPTURES_FIRST)
    return book_elsewhere(transaction, record, who=Bookkeeper(actor=actor, reason=reason), context=context)


def _reported(discrepancy: Discrepancy, transaction: GatewayTransaction, finding: Finding) -> StatusRecord:
    for record in finding.elsewhere:
        if elsewhere_fingerprint(transaction, record) == discrepancy.fingerprint:
            return record
    raise InvalidState(ErrorCode.NOT_REPORTED)


def _precedes(other: StatusRecord, record: StatusRecord) -> bool:
    return booking_order(other) < booking_order(record)


def _is_open_capture(record: StatusRecord, transaction: GatewayTransaction) -> bool:
    """Return whether a capture waits for a decision; one that a person has closed is not booked."""
    if KINDS.get(record.type.lower()) is not TransactionKind.CAPTURE:
        return False
    return not is_closed(elsewhere_fingerprint(transaction, record))
