"""What the stub does with a request: reads it by the document's field tables, books it, answers.

Member names are read without regard to letter case, as the document's own examples vary; what a table
calls mandatory must be there, else the answer is the document's SchemaValidationError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from tests.stub_gateway import answers
from tests.stub_gateway.answers import Answer, Kind
from tests.stub_gateway.book import CAPTURE, DETACHED_REFUND, REFUND, REVERSAL, Book, Filing, Page

CHECKOUT, TRANSACTIONS = "/api/v5/checkout", "/api/v5/apmTransactions"
# Paths of the operations the document refers to only by name, and whose paths it does not show.
KEYS, ACCOUNT, CREATE_ACCOUNT, AUTHORIZATION = "/keys", "/account", "/account/create", "/authorization"

_WHO = ("merchantId", "storeId", "userId")
_PAYMENT = (*_WHO, "type", "amount", "currencyCode", "clientSystemTransactionId")
_ADDRESS = ("houseNumber", "street", "city", "zipPostalCode", "countryCode")
_RETURNS = ("returnUrl", "successUrl", "pendingUrl", "errorUrl", "cancelUrl", "refusedUrl")
_MANDATORY = {
    CHECKOUT: (
        *_PAYMENT,
        "checkoutDetails.paymentMethod",
        *(f"addressDetails.billingAddress.{name}" for name in _ADDRESS),
        *(f"redirectDetails.{name}" for name in _RETURNS),
    ),
    CAPTURE: (*_PAYMENT, "clientSystemInvoiceId"),
    REFUND: (*_PAYMENT, "clientSystemInvoiceId"),
    REVERSAL: (*_PAYMENT, "clientSystemInvoiceId"),
    DETACHED_REFUND: (*_PAYMENT, "parentTransactionId"),
    ACCOUNT: ("transactionAccountId", "merchantId", "storeId", "encryptionKeyId"),
    AUTHORIZATION: ("merchantId", "storeId", "amount", "currencyCode", "clientSystemTransactionId"),
}


class Refused(Exception):
    """A request that is answered with an error body."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body)
        self.answer = answer


def _schema_error(text: str) -> Refused:
    return Refused(answers.error("4107940", f"SchemaValidationError: {text}"))


class Request:
    """A request's members, by any letter case."""

    def __init__(self, members: Mapping[str, Any], authorization: str = "") -> None:
        self.members = members
        self.authorization = authorization

    def get(self, path: str) -> Any:  # noqa: ANN401  what JSON holds
        value: Any = self.members
        for name in path.split("."):
            if not isinstance(value, Mapping):
                return None
            value = next((given for key, given in value.items() if key.lower() == name.lower()), None)
        return value

    def demand(self, paths: Iterable[str]) -> None:
        for path in paths:
            if self.get(path) in (None, ""):
                raise _schema_error(f"{path} is required")

    @property
    def amount(self) -> Decimal:
        try:
            amount = Decimal(str(self.get("amount")))
        except InvalidOperation:
            raise _schema_error("amount is not a decimal") from None
        if not amount.is_finite() or amount <= 0:
            raise _schema_error("amount is not positive")
        return amount


class Service:
    """The document's endpoints over one book; `base_url` is where its hosted pages are."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.base_url = ""
        self.keyed: frozenset[str] = frozenset()
        """Further paths that want the public API key, which "authenticates calls to the other interfaces"."""

    def answer(self, method: str, path: str, request: Request, filing: Filing) -> Answer:
        operations: dict[str, Callable[[Request], Answer]] = {
            CHECKOUT: self._checkout,
            TRANSACTIONS: partial(self._status, filing) if method == "GET" else self._transaction,
            KEYS: self._keys,
            ACCOUNT: self._account,
            CREATE_ACCOUNT: self._create_account,
            AUTHORIZATION: self._authorization,
        }
        try:
            if path in self.keyed:
                self._demand_key(request)
            with self.book.lock:
                return operations[path](request)
        except KeyError:
            return answers.error("4040000", f"no such path: {method} {path}", 404)
        except Refused as refused:
            return refused.answer

    def _checkout(self, request: Request) -> Answer:
        request.demand(_MANDATORY[CHECKOUT])
        assert request.amount
        page = self.book.number("page")
        self.book.pages[page] = Page(dict(request.members))
        return answers.checkout(f"{self.base_url}/pages/{page}")

    def _status(self, filing: Filing, request: Request) -> Answer:
        request.demand(("merchantId", "storeId", "clientSystemTransactionId"))
        return Answer(Kind.STATUS, self.book.records(request.get("clientSystemTransactionId"), filing))

    def _transaction(self, request: Request) -> Answer:
        kind = request.get("type")
        if kind not in _MANDATORY:
            raise _schema_error(f"type {kind!r}")
        request.demand(_MANDATORY[kind])
        provider = (request.get("apmDetails.apmProvider"), request.get("apmDetails.apmProviderName"))
        if not any(provider):
            raise _schema_error("apmDetails.apmProvider is required")
        if kind == DETACHED_REFUND:
            return self._detached_refund(request)
        return self._follow_up(kind, request)

    def _follow_up(self, kind: str, request: Request) -> Answer:
        original = self.book.find(request.get("clientSystemInvoiceId"))
        if original is None or request.get("currencyCode") != original.currency:
            raise Refused(answers.error("4040001", "TransactionNotFound"))
        is_possible = self.book.is_possible(kind, original, request.amount)
        made = self.book.file(
            request.get("clientSystemTransactionId"),
            kind,
            request.amount,
            original.currency,
            state="Approved" if is_possible else "Errored",
            original=original.reference,
        )
        return Answer(Kind.FOLLOW_UP, made.follow_up_answer())

    def _detached_refund(self, request: Request) -> Answer:
        parent, amount = request.get("parentTransactionId"), request.amount
        left = self.book.deposits.get(parent, Decimal())
        if amount > left:
            message = f"RefundAmountExceeded: deposit {left}, refunded 0, maximum {left}, requested {amount}"
            raise Refused(answers.error("4107940", message))
        self.book.deposits[parent] = left - amount
        reference, currency = request.get("clientSystemTransactionId"), request.get("currencyCode")
        self.book.file(reference, DETACHED_REFUND, amount, currency)
        return answers.detached_refund(reference, amount, currency)

    def _keys(self, request: Request) -> Answer:
        api_key, encryption_key = self.book.number("api-key"), self.book.number("encryption-key")
        self.book.api_keys.add(api_key)
        self.book.encryption_keys.add(encryption_key)
        return answers.keys(api_key, encryption_key)

    def _demand_key(self, request: Request) -> None:
        scheme, _, key = request.authorization.partition(" ")
        if scheme != "PublicApiKey" or key not in self.book.api_keys:
            raise Refused(answers.error("4010000", "a public API key is required", 401))

    def _create_account(self, request: Request) -> Answer:
        self._demand_key(request)
        return answers.created_account(self.create_account("Card"))

    def create_account(self, card_type: str) -> str:
        """What the page's script asks for, once the wallet gave it a payload."""
        account = self.book.number("account")
        self.book.accounts[account] = card_type
        return account

    def _account(self, request: Request) -> Answer:
        self._demand_key(request)
        request.demand(_MANDATORY[ACCOUNT])
        card_type = self.book.accounts.get(request.get("transactionAccountId"))
        if card_type is None or request.get("encryptionKeyId") not in self.book.encryption_keys:
            raise Refused(answers.error("4040002", "AccountNotFound"))
        return answers.account(card_type)

    def _authorization(self, request: Request) -> Answer:
        self._demand_key(request)
        request.demand(_MANDATORY[AUTHORIZATION])
        kind = request.get("type") or request.get("method")
        if not isinstance(kind, str) or kind.lower() not in {"ecom.sale", "ecom.preauthorization"}:
            raise _schema_error(f"method {kind!r}")
        made = self.book.file(
            request.get("clientSystemTransactionId"), kind, request.amount, request.get("currencyCode")
        )
        return replace(Answer(Kind.FOLLOW_UP, made.follow_up_answer()), kind=Kind.AUTHORIZATION)
