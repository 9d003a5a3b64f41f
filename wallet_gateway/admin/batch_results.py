"""How the page of a running or ended batch shows one row: its order or deposit, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.approval_messages import sentence_of_request
from wallet_gateway.admin.pages import row_url, sentence_of
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.formats import format_money
from wallet_gateway.models import BatchKind, OperationBatchRow, ResultCode
from wallet_gateway.payments.errors import message_of
from wallet_gateway.protocol.faults import RefundLimit
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
"""Sentences for results that come from neither a transaction nor a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """One row, with texts that are safe to show."""

    row: OperationBatchRow
    write: Callable[[Money], str] = format_money
    """How amounts are written: for the reader, or with `str` for what is stored."""

    @property
    def name(self) -> str:
        """Return the name under which people know the row's order or deposit."""
        return visible(self.row.subject)

    @property
    def url(self) -> str:
        """Return the URL of the row's order or deposit."""
        return row_url(self.row.subject)

    @property
    def amount(self) -> Money | None:
        """Return the requested amount; None where no amount can be requested."""
        row = self.row
        return row.amount if row.amount_minor else None

    @property
    def shown_amount(self) -> str:
        """Return the requested amount in the reader's language; empty without one."""
        return "" if self.amount is None else format_money(self.amount)

    @property
    def shown_approved(self) -> str:
        """Return the approved amount in the reader's language; empty as long as nothing is approved."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return "" if approved is None else format_money(approved)

    @property
    def sentence(self) -> str:
        """Return the result as a sentence, or the current status if there is no result yet."""
        row = self.row
        parts = [sentence_of(transaction, write=self.write) for transaction in row.changed.all()]
        if row.result_code:
            parts.append(self._result)
        elif row.transaction is not None:
            parts.append(sentence_of(row.transaction, write=self.write))
        elif row.approval is not None:
            parts.append(sentence_of_request(row.approval, write=self.write))
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
        """Return the key for counting results: the transaction's state, or the status query's result."""
        row = self.row
        if row.batch.kind == BatchKind.STATUS_QUERY:
            return self.sentence
        ended = row if row.transaction is None or row.result_code else row.transaction
        return str(ended.get_state_display())

    @property
    def shortfall(self) -> bool:
        """Return whether less was approved than was requested."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return approved is not None and approved != self.row.amount

    @property
    def limit(self) -> RefundLimit | None:
        """Return the four amounts if the gateway refused a refund above the available amount."""
        return None if self.row.transaction is None else self.row.transaction.refund_limit
