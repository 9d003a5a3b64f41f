"""Refund a payment made through an earlier provider (the interface, Detached refund request)."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError
from django.db.models import F, Q
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import DEPOSIT_FROZEN, OPERATION_OUTSTANDING, ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import GatewayPause, GatewayTransaction, MigratedDeposit
from wallet_gateway.operations.approvals.requests import check_alone, limit_for, within
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState, OperationOutstanding
from wallet_gateway.operations.follow_ups.execute import (
    SYSTEM,
    Initiator,
    draft_transaction,
    execute,
    find_by_idempotency_key,
    refuse_reservation,
)
from wallet_gateway.operations.inputs import check_reason_code, minor_units_of
from wallet_gateway.operations.merchant_accounts import check_account_of_deposit
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.codes import check_currency
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest
from wallet_gateway.protocol.money import Money

_PARENT = re.compile(r"\A[!-~]{1,128}\Z")


def refund_migrated(
    *,
    parent_transaction_id: str,
    amount: Decimal | Money,
    currency: str,
    context: GatewayContext,
    who: Initiator = SYSTEM,
    order_number: str | None = None,
) -> GatewayTransaction:
    """Refund an earlier provider's payment; the gateway may approve less than requested.

    If a migration file contained the deposit's amount, more than the remaining amount is refused here;
    otherwise the gateway decides. Returns the transaction in any state; `approved_amount` is the amount
    refunded. Raises `AwaitingApproval` if it needs a second person.
    """
    check_reason_code(TransactionKind.DETACHED_REFUND, who.reason_code)
    currency, minor = _checked(parent_transaction_id, amount, currency)
    deposit = _deposit(parent_transaction_id, currency, context)
    first = find_by_idempotency_key(who, kind=TransactionKind.DETACHED_REFUND, deposit=deposit, amount=minor)
    if first is not None:
        return first
    check_account_of_deposit(deposit, context)
    alone = limit_for(currency, context, is_agreed=who.is_agreed)
    kind, account = TransactionKind.DETACHED_REFUND, context.gateway.account
    draft = draft_transaction(
        who, kind=kind, currency=currency, minor=minor, context=context, deposit=deposit
    )
    message = DetachedRefundRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=wire_type(kind),
        amount=Money.from_minor_units(minor, currency).to_wire(),
        currency_code=currency,
        client_system_transaction_id=draft.reference,
        parent_transaction_id=parent_transaction_id,
        provider_discretionary_data=order_number,
        apm_details={"apm_provider": account.provider},
    )
    return execute(
        draft=draft,
        message=message,
        reserve=lambda now: _reserve(deposit, minor, alone, context, now),
        context=context,
        who=who,
    )


def _checked(parent_transaction_id: str, amount: Decimal | Money, currency: str) -> tuple[str, int]:
    """Return the currency in ISO spelling, and the amount in minor units."""
    if not _PARENT.match(parent_transaction_id):
        raise InvalidInput(
            _("parent_transaction_id must have 1 to 128 visible ASCII characters and no spaces.")
        )
    if has_card_number(parent_transaction_id):
        raise InvalidInput(
            _("parent_transaction_id has the form of a card number, which is neither stored nor sent.")
        )
    try:
        currency = check_currency(currency)
    except ProtocolError as error:
        raise InvalidInput(
            _("This is not a valid currency: %(problem)s"), ErrorCode.AMOUNT_INVALID, problem=str(error)
        ) from error
    minor = minor_units_of(amount, currency=currency)
    if minor is None:
        raise InvalidInput(_("The amount is missing. A detached refund needs one."), ErrorCode.AMOUNT_INVALID)
    return currency, minor


def _deposit(parent_transaction_id: str, currency: str, context: GatewayContext) -> MigratedDeposit:
    """Return the deposit's row to lock; create it if no migration file contained it."""
    rows = MigratedDeposit.objects.filter(gateway=context.alias, parent_transaction_id=parent_transaction_id)
    found = rows.first()
    if found is None:
        made = MigratedDeposit(
            gateway=context.alias,
            parent_transaction_id=parent_transaction_id,
            currency=currency,
            created_at=context.clock.now(),
        )
        try:
            in_transaction(lambda: made.save(force_insert=True))
        except IntegrityError:
            made = rows.get()
        found = made
    if found.currency != currency:
        raise InvalidState(
            _("The deposit is in %(currency)s, not in %(given)s."), currency=found.currency, given=currency
        )
    return found


def _reserve(
    deposit: MigratedDeposit, minor: int, alone: int | None, context: GatewayContext, now: datetime
) -> None:
    used = F("refunded_before") + F("refunded") + F("refund_reserved") + minor
    taken = MigratedDeposit.objects.filter(
        within(alone, minor),
        Q(is_known=False) | Q(amount_minor__gte=used),
        ~GatewayPause.sending_is_paused(context.alias, now),
        pk=deposit.pk,
        is_frozen=False,
    )
    # Until something of it is refunded, the next refund decides whether it is a test.
    is_refunded = deposit.refunded or deposit.refund_reserved
    mode = {"is_test": deposit.is_test if is_refunded else context.is_test}
    if taken.update(refund_reserved=F("refund_reserved") + minor, **mode):
        deposit.is_test = mode["is_test"]
        return
    deposit.refresh_from_db()
    if deposit.is_frozen:
        raise InvalidState(*DEPOSIT_FROZEN)
    if deposit.awaits_outcome:
        raise OperationOutstanding(*OPERATION_OUTSTANDING)
    left = deposit.refundable
    if left is not None and left.minor_units < minor:
        raise InvalidState(_("Only %(left)s is left to refund."), ErrorCode.AMOUNT_TOO_HIGH, left=left)
    refuse_reservation(context, now, check_limit=lambda: check_alone(deposit, minor, alone))
