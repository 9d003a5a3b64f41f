"""The exceptions of operations: each has a code, its parameters, and a message for the code.

::

    OperationError               any of these; raised itself for a fault of the shop's pricing function
    ├── OperationRefused         a rule forbids it: no money was reserved, nothing was sent
    │   ├── InsideTransaction    called inside a database transaction, which could still be rolled back
    │   ├── InvalidInput         an argument is wrong; `errors` names the fields
    │   ├── IdempotencyConflict  the key or reference belongs to something else
    │   ├── OrderNotPayable      the order is paid, pending, cancelled or too late
    │   ├── SendingStopped       sending is paused or switched off
    │   ├── OperationOutstanding another operation on the payment has no outcome yet
    │   ├── InvalidState         the state of the payment, transaction or request does not allow it
    │   ├── CardRefused          the card may not be charged; another one may
    │   ├── PriceChanged         the customer approved another price
    │   ├── TryAgain             the same call may succeed in a moment
    │   └── WalletUnavailable    no wallet button for now; the payment page may work
    ├── AwaitingApproval         stored as a request that waits for a second person
    ├── GatewayRefused           the gateway refused to open a payment page, or to say what it recorded
    └── GatewayUnreachable       the gateway did not answer

`str(error)` is the message in the active language; `repr(error)` is for logs: the code and its parameters.
A traceback also shows where the documentation describes the code. Parameters never hold secrets or personal
data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wallet_gateway.documentation import address_of
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.error_messages import DESCRIPTIONS, message_of
from wallet_gateway.protocol.errors import FieldError

if TYPE_CHECKING:
    from wallet_gateway.models import Approval


class OperationError(Exception):
    """An operation failed or was refused; `code` and `params` give the reason, `message` explains it."""

    is_logged = False
    """Whether a log line has told it already, so that no other place repeats it."""

    def __init__(self, code: ErrorCode, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params: Mapping[str, object] = params
        self.add_note(f"See {self.docs}")

    @property
    def message(self) -> str:
        """Return one or two sentences in the active language: what was wrong, and what would be right."""
        return message_of(self.code, **self.params)

    @property
    def docs(self) -> str:
        """Return where the documentation describes the code."""
        return address_of("reference/errors", self.code)

    @property
    def status(self) -> int:
        """Return the HTTP status of the code."""
        return DESCRIPTIONS[self.code].status

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        params = "".join(f", {name}={str(value)!r}" for name, value in self.params.items())
        return f"{type(self).__name__}({self.code.value}{params})"


class OperationRefused(OperationError):
    """A rule forbids it: no money was reserved and nothing was sent."""


class InsideTransaction(OperationRefused, RuntimeError):
    """The call was made inside a database transaction; also a `RuntimeError`, as Django's own refusal is."""


class InvalidInput(OperationRefused):
    """An argument is wrong; `errors` names each wrong field of an order, items or wallet result.

    Fields of an order and of items have the names of `create_order` and of its classes:
    `items[0].unit_amount`. Fields of a wallet result have the interface's names, as its JSON has.
    """

    def __init__(self, code: ErrorCode, *, errors: Sequence[FieldError] = (), **params: object) -> None:
        self.errors = tuple(errors)
        if errors:
            params["problems"] = "; ".join(map(str, self.errors))
        super().__init__(code, **params)


class IdempotencyConflict(OperationRefused):
    """The idempotency key or order reference belongs to another operation or to an order of other content."""


class OrderNotPayable(OperationRefused):
    """The order is paid, a payment of it is pending, it is cancelled, or the time to pay it is over."""


class SendingStopped(OperationRefused):
    """New requests to the gateway are paused or switched off; status queries continue."""


class OperationOutstanding(OperationRefused):
    """Another operation on the same payment has no outcome yet; a second would not be distinguishable."""


class InvalidState(OperationRefused):
    """The state of the payment, transaction or request does not allow the operation."""


class CardRefused(OperationRefused):
    """A rule forbids charging the card; its bank was not contacted, and another card may be accepted."""


class PriceChanged(OperationRefused):
    """The price is not the one that the customer approved on the wallet's sheet; nothing was charged."""


class TryAgain(OperationRefused):
    """A temporary failure: nothing was charged, and the same call may succeed."""


class WalletUnavailable(OperationRefused):
    """No wallet button can be offered now; the hosted payment page may work."""


class AwaitingApproval(OperationError):
    """A second person is needed: `approval` is stored and waits; nothing is reserved and nothing was sent."""

    def __init__(self, approval: Approval) -> None:
        super().__init__(ErrorCode.AWAITING_APPROVAL, amount=approval.amount)
        # The arguments with which `pickle` and `copy` call the class.
        self.args = (approval,)
        self.approval = approval


class GatewayRefused(OperationError):
    """The gateway refused to open a payment page or a status query, or named a page on a host not allowed."""


class GatewayUnreachable(OperationError):
    """The gateway gave no usable answer; the customer may try again."""
