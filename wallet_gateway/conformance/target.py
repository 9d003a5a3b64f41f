"""What the kit is run against: the gateway's URL and an account at it. Bad input ends in one sentence."""

from __future__ import annotations

import ipaddress
import json
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

PATHS: Final[Mapping[str, str]] = {
    "checkout": "/api/v5/checkout",
    "follow_up": "/api/v5/apmTransactions",
    "detached_refund": "/api/v5/apmTransactions",
    "status": "/api/v5/apmTransactions",
    "public_key": "/api/v5/publicKeys",
    "create_payment_account": "/api/v5/paymentAccounts",
    "get_payment_account": "/api/v5/paymentAccounts/{transactionAccountId}",
    "authorization": "/api/v5/transactions",
}
"""The paths under the names that the setting ``PATHS`` uses. The last four are "only referred to by name"."""

_PROFILES: Final = ("test", "prod")


class Unusable(Exception):
    """The kit cannot be run with this input; the message is one sentence for the person who gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """A migrated deposit that detached refunds may refer to."""

    parent_transaction_id: str
    amount: str
    refunded: str

    @property
    def refundable(self) -> Decimal:
        """What can still be refunded."""
        return Decimal(self.amount) - Decimal(self.refunded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account at the gateway, and how the kit may use it."""

    merchant_id: str
    store_id: str
    user_id: str
    provider: str
    profile: str = "test"
    currency: str = "EUR"
    amount: str = "1.00"
    """What each payment of the kit is of, with the decimals of the currency."""
    return_url: str = "https://shop.example/wallet"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the gateway wants with each request; ``$NAME`` stands for an environment variable."""
    paths: Mapping[str, str] = field(default_factory=dict)
    deposit: Deposit | None = None
    wallet_js: str = ""
    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""

    def path(self, operation: str) -> str:
        """Return the path of an operation, as given or as the document has it."""
        return self.paths.get(operation, PATHS[operation])

    @property
    def smallest(self) -> str:
        """The smallest amount with the decimals of ``amount``: 0.01 for 1.00."""
        exponent = Decimal(self.amount).as_tuple().exponent
        return f"{Decimal((0, (1,), int(exponent))):f}"

    def tls(self) -> ssl.SSLContext | None:
        """Return how certificates are verified and shown; None for the usual way. Raises Unusable."""
        if not self.ca_file and not self.client_cert:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca_file or None)
            if self.client_cert:
                context.load_cert_chain(self.client_cert, self.client_key or None)
        except OSError as error:
            raise Unusable(f"The certificates of the account file cannot be used: {error}.") from error
        return context


SANDBOX_ACCOUNT: Final = Account(
    merchant_id="SANDBOX-MERCHANT",
    store_id="SANDBOX-STORE",
    user_id="sandbox-user",
    provider="ExampleWalletV2",
)
"""The merchant that every sandbox starts with."""


# The URL


def check_url(url: str) -> str:
    """Return the base URL without a slash at its end; raises Unusable."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise Unusable(f"{url!r} is no web address: {error}.") from error
    if parts.scheme not in ("http", "https") or not host:
        raise Unusable(f"{url!r} is no web address; give one such as https://gateway.example.")
    if parts.username is not None or parts.query or parts.fragment:
        raise Unusable("The URL is scheme, host and path; credentials belong into the account file.")
    if parts.scheme == "http" and not is_loopback(host):
        raise Unusable(f"{host} is on another machine: give its https address, plain http is not used.")
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# The account file


def read_account(file: Path) -> Account:
    """Read an account file; raises Unusable."""
    try:
        value = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Unusable(f"The account file {file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise Unusable(f"The account file {file} is no JSON.") from error
    if not isinstance(value, dict):
        raise Unusable(f"The account file {file} holds no JSON object.")
    try:
        return _account(value)
    except _Wrong as error:
        raise Unusable(f"The account file {file} is none: {error}.") from error


class _Wrong(ValueError):
    """A member of the account file is missing or wrong."""


_NAMES: Final = {
    "".join([first, *map(str.capitalize, rest)]): name
    for name, (first, *rest) in ((one.name, one.name.split("_")) for one in fields(Account))
}
_REQUIRED: Final = ("merchantId", "storeId", "userId", "provider")
_DEPOSIT: Final = ("parentTransactionId", "amount", "refunded")


def _account(given: Mapping[str, Any]) -> Account:
    if unknown := sorted(set(given) - set(_NAMES)):
        raise _Wrong(f"{unknown[0]} is not known; there are {', '.join(_NAMES)}")
    if missing := [name for name in _REQUIRED if name not in given]:
        raise _Wrong(f"{missing[0]} is missing")
    return Account(**{_NAMES[name]: _value(name, value) for name, value in given.items()})


def _value(name: str, value: object) -> Any:  # noqa: ANN401  (the type of one of the fields)
    if name == "deposit":
        return _deposit(value)
    if name in ("headers", "paths"):
        return {key: _from_environment(part) for key, part in _texts(name, value).items()}
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"{name} must be a text that is not empty")
    if name == "profile" and value not in _PROFILES:
        raise _Wrong(f"profile is {value!r}, not one of {', '.join(_PROFILES)}")
    if name == "amount":
        _check_amount(name, value)
    return value


def _texts(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
        raise _Wrong(f"{name} must be an object of texts")
    if name == "paths" and (unknown := sorted(set(value) - set(PATHS))):
        raise _Wrong(f"paths has {unknown[0]}; there are {', '.join(PATHS)}")
    if name == "paths" and not all(path.startswith("/") for path in value.values()):
        raise _Wrong("paths begin with a slash")
    return value


def _from_environment(value: str) -> str:
    if not value.startswith("$"):
        return value
    if value[1:] not in os.environ:
        raise _Wrong(f"there is no environment variable {value[1:]}")
    return os.environ[value[1:]]


def _deposit(value: object) -> Deposit:
    if not isinstance(value, dict) or not set(value) <= set(_DEPOSIT):
        raise _Wrong(f"deposit must be an object of {', '.join(_DEPOSIT)}")
    given = {"refunded": "0", **value}
    for name in _DEPOSIT:
        if not isinstance(given.get(name), str):
            raise _Wrong(f"deposit.{name} must be a text")
    for name in _DEPOSIT[1:]:
        _check_amount(f"deposit.{name}", given[name], zero=name == "refunded")
    return Deposit(
        parent_transaction_id=given["parentTransactionId"], amount=given["amount"], refunded=given["refunded"]
    )


def _check_amount(name: str, text: str, *, zero: bool = False) -> None:
    if amount_of(text) is None or not (zero or amount_of(text)):
        raise _Wrong(f"{name} is {text!r}; give an amount such as 1.00")


def amount_of(text: str) -> Decimal | None:
    """Return an amount of zero or more; None for a text that is not one."""
    try:
        amount = Decimal(text) if text.isascii() and set(text) <= set("0123456789.") else None
    except InvalidOperation:
        return None
    return amount
