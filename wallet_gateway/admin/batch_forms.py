"""The form of a batch: an amount field for each order, one reason for all, errors beside their row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django import forms

from wallet_gateway.admin.amount_field import AmountField, amount_text
from wallet_gateway.admin.approval_limits import approval_limit_of, hint
from wallet_gateway.admin.batch_progress import operation_of
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.forms import ReasonForAll
from wallet_gateway.admin.operation_registry import Operation
from wallet_gateway.formats import format_money
from wallet_gateway.models import OperationBatch, OperationBatchRow, Payment, ResultCode, RowState
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.protocol.money import Money


@dataclass(kw_only=True)
class RowFields:
    """One order of the form: the submitted values and their errors."""

    row: OperationBatchRow
    order: PaymentOrder
    available: Money
    is_possible: bool
    """Whether the order can be selected."""
    is_selected: bool
    typed: str
    amount: Money | None = None
    """What was typed; None as long as it is no amount that can be taken."""
    fault: str = ""
    hint: str = ""
    """From which amount a second person is needed."""

    @property
    def shown_available(self) -> str:
        """Return the available amount in the reader's language."""
        return format_money(self.available)

    def read(self, operation: Operation) -> None:
        """Read the amount, or record what is wrong with it."""
        field = AmountField(available=self.available, left=operation.left)
        try:
            self.amount = field.clean(self.typed) if operation.in_parts else self.available
        except forms.ValidationError as error:
            self.fault = error.messages[0]

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
        typed, is_possible = amount_text(available), row.state == RowState.WAITING
        is_selected = is_possible
        if self.data is not None:
            typed = self.data.get(f"amount-{row.pk}", typed)
            is_selected = is_possible and f"take-{row.pk}" in self.data
        words = _hint(operation, row.payment, available, order.gateway) if row.payment else ""
        fields = RowFields(
            row=row,
            order=order,
            available=available,
            is_possible=is_possible,
            is_selected=is_selected,
            typed=typed,
            hint=words,
        )
        if is_selected:
            fields.read(operation)
        return fields

    @property
    def amounts(self) -> list[Money]:
        """Return what is to be moved: the amount of each selected row that has a valid one."""
        return [fields.amount for fields in self.rows if fields.amount is not None]

    def is_valid(self) -> bool:
        """Return whether everything can be taken as it was submitted; write it into the rows."""
        for fields in self.rows:
            if fields.amount is not None:
                fields.row.amount_minor = fields.amount.minor_units
            elif fields.is_possible and not fields.is_selected:
                fields.row.state = RowState.LEFT_OUT
                fields.row.result_code = ResultCode.NOT_WANTED
        sound = not any(fields.fault for fields in self.rows)
        return self.why.is_valid() and sound

    @property
    def is_empty(self) -> bool:
        """Return whether no order is selected."""
        return not any(fields.is_selected for fields in self.rows)


def _hint(operation: Operation, payment: Payment, available: Money, gateway: str) -> str:
    return hint(approval_limit_of(operation, payment, gateway=gateway), available)
