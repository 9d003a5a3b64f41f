"""The exceptions of operations: each has a code, a sentence and its parameters.

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

`str(error)` is the message in the active language; `repr(error)` is for logs: the code, and the message in
English. A traceback also shows where the documentation describes the code. Parameters never hold secrets or
personal data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.documentation import address_of
from wallet_gateway.domain.discrepancies import Explanation
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayAddress
from wallet_gateway.models import Approval
from wallet_gateway.models.fields import REASONS, explanation_text, label_of
from wallet_gateway.protocol.errors import FieldError


def message_of(code: ErrorCode, *, sentence: str = "", **params: object) -> str:
    """Return the message of an error in the active language.

    :param code: one of `ErrorCode`, as the `code` of an exception.
    :param sentence: the message in English, as the parameter `sentence` of an exception.
    :param params: the values in it by name, as the `params` of an exception.
    :returns: one or more sentences, as `str(error)` has them; the code itself without a sentence.
    """
    return gettext(sentence) % {name: _shown(value) for name, value in params.items()} if sentence else code


def _shown(value: object) -> object:
    """Return a parameter in readable form: states and durations in the active language."""
    if isinstance(value, NotSentReason):
        return str(REASONS[value])
    if isinstance(value, GatewayAddress) and value.start_command:
        shown = {"address": value, "command": value.start_command}
        return gettext("%(address)s (the sandbox; start it with `%(command)s`)") % shown
    if isinstance(value, StrEnum):
        return str(label_of(value))
    if isinstance(value, Explanation):
        return explanation_text(value)
    if isinstance(value, timedelta):
        if value.days > 1:
            return ngettext("%(count)d day", "%(count)d days", value.days) % {"count": value.days}
        hours = int(value.total_seconds() // 3600)
        return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}
    return value


_OTHER_STATUS = {
    ErrorCode.WALLET_LIMIT_REACHED: 403,
    ErrorCode.NOT_PERMITTED: 403,
    ErrorCode.WALLET_SESSION_UNKNOWN: 404,
    ErrorCode.TOO_MANY_RESULTS: 429,
}
"""The codes whose HTTP status is not that of their class."""


class OperationError(Exception):
    """An operation failed or was refused; `code` and `params` give the reason, `message` explains it."""

    is_logged = False
    """Whether a log line has told it already, so that no other place repeats it."""
    code = ErrorCode.PRICING_INVALID
    """Of an error to which none is given; each class has its own."""
    _status = 503

    def __init__(self, sentence: str, code: ErrorCode | None = None, **params: object) -> None:
        super().__init__(sentence, code)
        self.code = code or self.code
        self.params: Mapping[str, object] = {"sentence": sentence, **params}
        self.add_note(f"See {self.docs}")

    @property
    def message(self) -> str:
        """Return one or two sentences in the active language: what was wrong, and what would be right."""
        return message_of(self.code, **self.params)  # type: ignore[arg-type]

    @property
    def english(self) -> str:
        """Return the message in English, for a log: states by their names, whatever language is active."""
        return str(self.params["sentence"]) % {name: str(value) for name, value in self.params.items()}

    @property
    def docs(self) -> str:
        """Return where the documentation describes the code."""
        return address_of("reference/errors", self.code)

    @property
    def status(self) -> int:
        """Return the HTTP status for a view that has no better one."""
        return _OTHER_STATUS.get(self.code, self._status)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code.value}, {self.english!r})"


class OperationRefused(OperationError):
    """A rule forbids it: no money was reserved and nothing was sent."""

    _status = 409


class InsideTransaction(OperationRefused, RuntimeError):
    """The call was made inside a database transaction; also a `RuntimeError`, as Django's own refusal is."""

    code = ErrorCode.INSIDE_TRANSACTION
    _status = 500


class InvalidInput(OperationRefused):
    """An argument is wrong; `errors` names each wrong field of an order, items or wallet result.

    Fields of an order and of items have the names of `create_order` and of its classes:
    `items[0].unit_amount`. Fields of a wallet result have the interface's names, as its JSON has.
    """

    code = ErrorCode.ARGUMENT_INVALID
    _status = 400

    def __init__(
        self,
        sentence: str,
        code: ErrorCode | None = None,
        *,
        errors: Sequence[FieldError] = (),
        **params: object,
    ) -> None:
        self.errors = tuple(errors)
        if errors:
            params["problems"] = "; ".join(map(str, self.errors))
        super().__init__(sentence, code, **params)


class IdempotencyConflict(OperationRefused):
    """The idempotency key or order reference belongs to another operation or to an order of other content."""

    code = ErrorCode.KEY_TAKEN


class OrderNotPayable(OperationRefused):
    """The order is paid, a payment of it is pending, it is cancelled, or the time to pay it is over."""

    code = ErrorCode.ORDER_NOT_PAYABLE


class SendingStopped(OperationRefused):
    """New requests to the gateway are paused or switched off; status queries continue."""

    code = ErrorCode.SENDING_STOPPED
    _status = 503


class OperationOutstanding(OperationRefused):
    """Another operation on the same payment has no outcome yet; a second would not be distinguishable."""

    code = ErrorCode.OPERATION_OUTSTANDING


class InvalidState(OperationRefused):
    """The state of the payment, transaction or request does not allow the operation."""

    code = ErrorCode.WRONG_STATE


class CardRefused(OperationRefused):
    """A rule forbids charging the card; its bank was not contacted, and another card may be accepted."""

    code = ErrorCode.CARD_REFUSED


class PriceChanged(OperationRefused):
    """The price is not the one that the customer approved on the wallet's sheet; nothing was charged."""

    code = ErrorCode.PRICE_CHANGED


class TryAgain(OperationRefused):
    """A temporary failure: nothing was charged, and the same call may succeed."""

    code = ErrorCode.TRY_AGAIN
    _status = 503


class WalletUnavailable(OperationRefused):
    """No wallet button can be offered now; the hosted payment page may work."""

    code = ErrorCode.WALLET_UNAVAILABLE
    _status = 503


class AwaitingApproval(OperationError):
    """A second person is needed: `approval` is stored and waits; nothing is reserved and nothing was sent."""

    code = ErrorCode.AWAITING_APPROVAL
    _status = 409

    def __init__(self, approval: Approval) -> None:
        sentence = _("%(amount)s needs a second person. The request waits for approval; nothing was sent.")
        super().__init__(sentence, amount=approval.amount)
        # The arguments with which `pickle` and `copy` call the class.
        self.args = (approval,)
        self.approval = approval


class GatewayRefused(OperationError):
    """The gateway refused to open a payment page or a status query, or named a page on a host not allowed."""

    code = ErrorCode.GATEWAY_REFUSED
    _status = 502


class GatewayUnreachable(OperationError):
    """The gateway gave no usable answer; the customer may try again."""

    code = ErrorCode.GATEWAY_SILENT
