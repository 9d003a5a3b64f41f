"""Ask the gateway what it has recorded of an order, for the shop's own use. Nothing is stored or decided."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, Refused
from wallet_gateway.domain.gateway_records import GatewayRecord, as_gateway_record
from wallet_gateway.domain.lifecycle import UNSENT_STATES
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayRefused, GatewayUnreachable
from wallet_gateway.operations.merchant_accounts import asked_about
from wallet_gateway.protocol.status import UnreadableRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionRecords:
    """What the gateway has recorded under the reference of one transaction; several records are possible."""

    transaction: GatewayTransaction
    """The transaction that was asked about."""
    records: tuple[GatewayRecord, ...]
    """What the gateway has recorded under its reference."""
    unreadable: tuple[UnreadableRecord, ...]
    """Elements of the answer that cannot be read as a record: neither evidence nor absence."""


def gateway_records(*, order: PaymentOrder, context: GatewayContext) -> tuple[TransactionRecords, ...]:
    """Query each transaction of an order that was sent, the oldest first, and return the gateway's records.

    Raises `GatewayRefused` or `GatewayUnreachable` as soon as one query has no usable answer.
    """
    # A durable transaction, although it only reads: so Django refuses this call inside another one, during
    # which the gateway must not be called.
    sent = in_transaction(lambda: list(_sent(order).filter(asked_about(context))))
    return tuple(_records_of(transaction, context) for transaction in sent)


def _sent(order: PaymentOrder) -> QuerySet[GatewayTransaction]:
    rows = GatewayTransaction.objects.filter(payment__order=order, attempt_no__gt=0)
    return rows.exclude(state__in=UNSENT_STATES).select_related("payment__order").order_by("pk")


def _records_of(transaction: GatewayTransaction, context: GatewayContext) -> TransactionRecords:
    try:
        answer = context.gateway.status(transaction.reference).message
    except Refused as error:
        raise GatewayRefused(
            _("The gateway refused the status query: %(answer)s"), answer=error.code
        ) from error
    except GatewayError as error:
        raise GatewayUnreachable(
            _(
                "Gateway %(gateway)s at %(address)s gave no usable answer to the status query. Try "
                "again later."
            ),
            gateway=context.alias,
            address=context.policy.address,
        ) from error
    return TransactionRecords(
        transaction=transaction,
        records=tuple(map(as_gateway_record, answer.records)),
        unreadable=answer.unreadable,
    )
