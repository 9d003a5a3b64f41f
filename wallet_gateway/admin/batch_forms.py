"""The form of a batch: an amount field for each order, one reason for all, errors beside their row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django import forms

from wallet_gateway.admin.approval_limits import approval_limit_of, hint
from wallet_gateway.admin.batch_progress import operation_of
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.forms import ReasonForAll, amount_of
from wallet_gateway.admin.operation_registry import Operation
from wallet_gateway.models import OperationBatch, OperationBatchRow, Payment, ResultCode, RowState
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.protocol.money import Money


@dataclass(kw_only=True)
class RowFields:
    """One order of the form: the submitted values and their errors."""

    row: OperationBatchRow
    order: PaymentOrder
    available: Money
    is_selected: bool
    typed: str
    fault: str = ""
    hint: str = ""
    """From which amount a second person is needed."""

    @property
    def is_possible(self) -> bool:
        """Return whether the order can be selected."""
        return self.row.state == RowState.WAITING

    @property
    def why_not(self) -> str:
        """Return why the order cannot be selected."""
        return ShownRow(row=self.row).sentence

    @property
    def error_id(self) -> str:
        """Return the id of the error text."""
        return f"amount-{self.row.pk}-error"

    @property
    def hint_id(self) -> str:
        """Return the id of the hint about the second person."""
        return f"amount-{self.row.pk}-hint"

    @property
    def described_by(self) -> str:
        """Return the ids of the texts that describe the amount field."""
        ids = ((self.fault, self.error_id), (self.hint, self.hint_id))
        return " ".join(name for text, name in ids if text)


class BatchForm:
    """The rows and the reason of a draft; `is_valid` writes the amounts into the rows."""

    def __init__(
        self, batch: OperationBatch, rows: Sequence[OperationBatchRow], data: Mapping[str, str] | None = None
    ) -> None:
        self.batch, self.data = batch, data
        self.why = ReasonForAll(data, operation=operation_of(batch))
        self.rows = [self._fields(row) for row in rows]

    def _fields(self, row: OperationBatchRow) -> RowFields:
        operation = operation_of(self.batch)
        order = row.order
        assert order is not None  # noqa: S101 - drafts are of orders
        nothing = Money.from_minor_units(0, order.currency)
        available = operation.available_of(row.payment) if row.payment else nothing
        typed, is_selected = available.to_wire(), row.state == RowState.WAITING
        if self.data is not None:
            typed = self.data.get(f"amount-{row.pk}", typed)
            is_selected = is_selected and f"take-{row.pk}" in self.data
        words = _hint(operation, row.payment, available, order.gateway) if row.payment else ""
        return RowFields(
            row=row, order=order, available=available, is_selected=is_selected, typed=typed, hint=words
        )

    def is_valid(self) -> bool:
        """Check each selected amount against what is available now."""
        for fields in self.rows:
            if fields.is_selected:
                self._check(fields)
            elif fields.is_possible:
                fields.row.state = RowState.LEFT_OUT
                fields.row.result_code = ResultCode.NOT_WANTED
        sound = not any(fields.fault for fields in self.rows)
        return self.why.is_valid() and sound

    def _check(self, fields: RowFields) -> None:
        try:
            amount = amount_of(fields.typed, operation_of(self.batch), fields.available)
        except forms.ValidationError as error:
            fields.fault = error.messages[0]
        else:
            fields.row.amount_minor = amount.minor_units

    @property
    def is_empty(self) -> bool:
        """Return whether no order is selected."""
        return not any(fields.is_selected for fields in self.rows)


def _hint(operation: Operation, payment: Payment, available: Money, gateway: str) -> str:
    return hint(approval_limit_of(operation, payment, gateway=gateway), available)
