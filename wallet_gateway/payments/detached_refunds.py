"""Refund a payment made through an earlier provider (the interface, Detached refund request)."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from functools import partial

from django.db import IntegrityError
from django.db.models import Case, F, Q, Value, When
from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext, check_account_of_deposit
from wallet_gateway.domain.error_codes import DEPOSIT_FROZEN, OPERATION_OUTSTANDING, ErrorCode
from wallet_gateway.domain.people import By
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import GatewayPause, GatewayTransaction, MigratedDeposit
from wallet_gateway.operation_errors import InvalidInput, InvalidState, OperationOutstanding
from wallet_gateway.payments.execution import (
    Initiator,
    draft_transaction,
    execute,
    find_by_key,
    refuse_reservation,
)
from wallet_gateway.payments.inputs import check_reason_code, minor_units_of
from wallet_gateway.payments.order_creation import LONGEST, wrong_texts
from wallet_gateway.payments.second_person import limit_for, within
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.codes import check_currency
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest
from wallet_gateway.protocol.money import Money

_PARENT = re.compile(r"\A[!-~]{1,128}\Z")


@sensitive_variables()
def refund_migrated(
    parent_transaction_id: str,
    amount: Decimal | Money,
    currency: str,
    *,
    gateway: str = "default",
    order_number: str | None = None,
    idempotency_key: str | None = None,
    by: By = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Refund a payment made through another provider; `approved_amount` of the result may be less.

    The interface, Detached refund request, `detached.refund`.

    :param parent_transaction_id: the payment's id as in the migration file: 1 to 128 visible ASCII characters
        without blanks, and no card number: `"OLD-4711"`.
    :param amount: `Decimal("4.00")` or a `Money` in `currency`.
    :param currency: ISO 4217: `"EUR"`; that of the deposit, if it is known.
    :param gateway: alias of a gateway in the settings.
    :param order_number: what the customer knows the order by, at most 127 characters
        (providerDiscretionaryData).
    :param idempotency_key: 1 to 64 visible ASCII characters: a repeated one returns the first transaction and
        sends nothing.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param reason_code: empty or one of `ReasonCode` for a refund: `"goodwill"`.
    :param comment: for people, cut to 500 characters; no gateway gets it.
    :returns: the transaction, in a state as that of `capture`.
    :raises InvalidState: `amount_too_high`, `wrong_state`, `payment_frozen`, `changed_meanwhile` and
        `approval_pending`.
    :raises AwaitingApproval: `awaiting_approval`, where the settings demand a second person; its `approval`
        waits for `approvals.approve`.
    :raises InvalidInput: `argument_invalid` and `amount_invalid`.
    :raises IdempotencyConflict: `key_taken`, as for `refund`.
    :raises OperationOutstanding: `operation_outstanding`, while another refund of it has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    check_outside_transaction("payments.refund_migrated")
    context = context_of(gateway)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    if not _PARENT.match(parent_transaction_id):
        raise InvalidInput(
            _("parent_transaction_id must have 1 to 128 visible ASCII characters and no spaces.")
        )
    if has_card_number(parent_transaction_id):
        raise InvalidInput(
            _("parent_transaction_id has the form of a card number, which is neither stored nor sent.")
        )
    if any(wrong_texts(order_number=order_number)):
        raise InvalidInput(
            _("order_number must be text of at most %(longest)s characters, none of them NUL."),
            longest=LONGEST["order_number"],
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
    # Its row is what is locked: it is created if no migration file contained the deposit.
    rows = MigratedDeposit.objects.filter(gateway=context.alias, parent_transaction_id=parent_transaction_id)
    deposit = rows.first()
    if deposit is None:
        deposit = MigratedDeposit(
            gateway=context.alias,
            parent_transaction_id=parent_transaction_id,
            currency=currency,
            created_at=context.clock.now(),
        )
        try:
            in_transaction(partial(deposit.save, force_insert=True))
        except IntegrityError:
            deposit = rows.get()
    if deposit.currency != currency:
        raise InvalidState(
            _("The deposit is in %(currency)s, not in %(given)s."), currency=deposit.currency, given=currency
        )
    return refund_deposit(deposit, minor, context=context, who=who, order_number=order_number)


def refund_deposit(
    deposit: MigratedDeposit,
    minor: int,
    *,
    context: GatewayContext,
    who: Initiator,
    order_number: str | None = None,
) -> GatewayTransaction:
    """Refund a deposit in the name of `who`: for a batch and a second person, too.

    If a migration file contained the deposit's amount, more than the remaining amount is refused here;
    otherwise the gateway decides.
    """
    kind, account = TransactionKind.DETACHED_REFUND, context.gateway.account
    check_reason_code(kind, who.reason_code)
    first = find_by_key(who, kind=kind, deposit=deposit, amount=minor)
    if first is not None:
        return first
    check_account_of_deposit(deposit, context)
    alone = limit_for(deposit.currency, context, is_agreed=who.is_agreed)
    draft = draft_transaction(
        who, kind=kind, currency=deposit.currency, minor=minor, context=context, deposit=deposit
    )
    message = DetachedRefundRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=wire_type(kind),
        amount=Money.from_minor_units(minor, deposit.currency).to_wire(),
        currency_code=deposit.currency,
        client_system_transaction_id=draft.reference,
        parent_transaction_id=deposit.parent_transaction_id,
        provider_discretionary_data=order_number,
        apm_details={"apm_provider": account.provider},
    )

    def reserve(now: datetime) -> None:
        unrefunded = Q(refunded=0, refund_reserved=0)
        used = F("refunded_before") + F("refunded") + F("refund_reserved") + minor
        reservable = MigratedDeposit.objects.filter(
            within(alone, minor),
            Q(is_known=False) | Q(amount_minor__gte=used),
            unrefunded | ~Q(is_test=not context.is_test),
            ~GatewayPause.sending_is_paused(context.alias, now),
            pk=deposit.pk,
            is_frozen=False,
        )
        # Until something of it is refunded, the next refund decides whether it is a test. This comes first:
        # MariaDB reads a column that was set before with its new value.
        is_test = Case(When(unrefunded, then=Value(context.is_test)), default=F("is_test"))
        is_reserved = reservable.update(is_test=is_test, refund_reserved=F("refund_reserved") + minor)
        deposit.refresh_from_db()
        if is_reserved:
            return
        check_account_of_deposit(deposit, context)
        if deposit.is_frozen:
            raise InvalidState(*DEPOSIT_FROZEN)
        if deposit.awaits_outcome:
            raise OperationOutstanding(*OPERATION_OUTSTANDING)
        left = deposit.refundable
        if left is not None and left.minor_units < minor:
            raise InvalidState(_("Only %(left)s is left to refund."), ErrorCode.AMOUNT_TOO_HIGH, left=left)
        refuse_reservation(deposit, minor, alone, context)

    return execute(draft, message, reserve, context, who, asked=minor)
