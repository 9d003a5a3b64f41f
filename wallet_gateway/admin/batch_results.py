"""What the page of a running or ended batch says of one row: its order or deposit, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.approval_messages import sentence_of_request
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import BatchKind, GatewayTransaction, OperationBatchRow, ResultCode
from wallet_gateway.operations.errors import message_of
from wallet_gateway.protocol.faults import REFUND_AMOUNT_EXCEEDED, RefundLimit, read_refund_amount_exceeded
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

_RESULTS = {
    ResultCode.SEVERAL_PAYMENTS: _("It has several payments; open the order and choose one."),
    ResultCode.NOTHING_AUTHORIZED: _("Nothing is authorized."),
    ResultCode.BATCH_STOPPED: _("Not begun: the batch was stopped."),
    ResultCode.UNREACHABLE: _(
        "The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later."
    ),
    ResultCode.NO_PERMISSION: _(
        "%(author)s, who confirmed it, has no longer the permission for it. Nothing was sent."
    ),
    ResultCode.UNKNOWN_GATEWAY: _("The order's gateway is not in the settings."),
    ResultCode.UNCHANGED: _("The gateway was asked; everything stands as before."),
    ResultCode.UNANSWERED: _("The gateway did not answer; ask again later."),
    ResultCode.NEVER_SENT: _("Nothing was ever asked of the gateway."),
}
"""The sentences of results that are said by no transaction and by no refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """One row, in words that are fit to be shown."""

    row: OperationBatchRow

    @property
    def name(self) -> str:
        """What the row is about, as people know it."""
        return visible(self.row.subject)

    @property
    def url(self) -> str:
        """The page of the row's order or deposit."""
        subject = self.row.subject
        return reverse(f"admin:wallet_gateway_{subject._meta.model_name}_change", args=[subject.pk])

    @property
    def amount(self) -> Money | None:
        """How much is asked for; None where nothing can be."""
        row = self.row
        return row.amount if row.amount_minor else None

    @property
    def sentence(self) -> str:
        """What came of it; how it stands where nothing has yet."""
        row = self.row
        parts = [sentence_of(transaction) for transaction in row.changed.all()]
        if row.result_code:
            parts.append(self._result)
        elif row.transaction is not None:
            parts.append(sentence_of(row.transaction))
        elif row.approval is not None:
            parts.append(sentence_of_request(row.approval))
        return " ".join(filter(None, parts)) or str(row.get_state_display())

    @property
    def _result(self) -> str:
        if self.row.refusal_code:
            return visible(message_of(ErrorCode(self.row.refusal_code), **self.row.refusal_params))
        return str(_RESULTS.get(ResultCode(self.row.result_code), "")) % {
            "author": visible(self.row.batch.created_by)
        }

    @property
    def ending(self) -> str:
        """How it ended, to be counted: with a transaction by its state, a status query by its result."""
        row = self.row
        if row.batch.kind == BatchKind.ASK:
            return self.sentence
        ended = row if row.transaction is None or row.result_code else row.transaction
        return str(ended.get_state_display())

    @property
    def shortfall(self) -> bool:
        """Whether less was approved than was asked for."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return approved is not None and approved != self.row.amount

    @property
    def limit(self) -> RefundLimit | None:
        """The four amounts, where the gateway has refused more than is left."""
        return None if self.row.transaction is None else limit_of(self.row.transaction)


def limit_of(transaction: GatewayTransaction) -> RefundLimit | None:
    """Find the four amounts in what the gateway said of a refused refund."""
    start = transaction.detail.find(REFUND_AMOUNT_EXCEEDED)
    return None if start < 0 else read_refund_amount_exceeded(transaction.detail[start:])
