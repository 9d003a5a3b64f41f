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


class Unusable(Exception):
    """The kit cannot be run with this input; the message is one sentence for the person who gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """A migrated deposit that detached refunds may refer to."""

    parent_transaction_id: str
    amount: str
    refunded: str = "0"


@dataclass(frozen=True, kw_only=True)
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

    @property
    def store(self) -> dict[str, str]:
        """Return what identifies the store in a message."""
        return {"merchantId": self.merchant_id, "storeId": self.store_id}

    @property
    def ids(self) -> dict[str, str]:
        """Return what identifies store and user in a message."""
        return self.store | {"userId": self.user_id}

    @property
    def decimals(self) -> int:
        """Return how many decimals amounts have."""
        return len(self.amount.partition(".")[2])

    @property
    def smallest(self) -> str:
        """The smallest amount with the decimals of ``amount``: 0.01 for 1.00."""
        return f"{Decimal((0, (1,), -self.decimals)):f}"

    def path(self, operation: str) -> str:
        """Return the path of an operation, as given or as the document has it."""
        return self.paths.get(operation, PATHS[operation])

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


def _in_json(name: str) -> str:
    first, *rest = name.split("_")
    return "".join([first, *map(str.capitalize, rest)])


_MEMBERS: Final = {_in_json(one.name): one.name for one in fields(Account)}
_OF_DEPOSIT: Final = {_in_json(one.name): one.name for one in fields(Deposit)}
_REQUIRED: Final = ("merchantId", "storeId", "userId", "provider")


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
    except Unusable as error:
        raise Unusable(f"The account file {file} is none: {error}.") from error


def _account(value: Mapping[str, Any]) -> Account:
    given: dict[str, Any] = {}
    for name, part in value.items():
        if name not in _MEMBERS:
            raise Unusable(f"{name} is not known; there are {', '.join(_MEMBERS)}")
        if name == "deposit":
            given[name] = _deposit(part)
        elif name in ("headers", "paths"):
            given[name] = _texts(name, part)
        elif isinstance(part, str) and part.strip():
            given[_MEMBERS[name]] = part
        else:
            raise Unusable(f"{name} must be a text that is not empty")
    if missing := [name for name in _REQUIRED if name not in value]:
        raise Unusable(f"{missing[0]} is missing")
    account = Account(**given)
    if account.profile not in ("test", "prod"):
        raise Unusable(f"profile is {account.profile!r}, not one of test, prod")
    _check_amount("amount", account.amount)
    return account


def _texts(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
        raise Unusable(f"{name} must be an object of texts")
    if name == "paths" and (unknown := sorted(set(value) - set(PATHS))):
        raise Unusable(f"paths has {unknown[0]}; there are {', '.join(PATHS)}")
    if name == "paths" and not all(path.startswith("/") for path in value.values()):
        raise Unusable("paths begin with a slash")
    for part in value.values():
        if part.startswith("$") and part[1:] not in os.environ:
            raise Unusable(f"there is no environment variable {part[1:]}")
    return {key: os.environ[part[1:]] if part.startswith("$") else part for key, part in value.items()}


def _deposit(value: object) -> Deposit:
    if not isinstance(value, dict) or not set(value) <= set(_OF_DEPOSIT):
        raise Unusable(f"deposit must be an object of {', '.join(_OF_DEPOSIT)}")
    given = {"refunded": "0", **value}
    for name in _OF_DEPOSIT:
        if not isinstance(given.get(name), str):
            raise Unusable(f"deposit.{name} must be a text")
        if name != "parentTransactionId":
            _check_amount(f"deposit.{name}", given[name], zero=name == "refunded")
    return Deposit(**{_OF_DEPOSIT[name]: text for name, text in given.items()})


def _check_amount(name: str, text: str, *, zero: bool = False) -> None:
    if amount_of(text) is None or not (zero or amount_of(text)):
        raise Unusable(f"{name} is {text!r}; give an amount such as 1.00")


def amount_of(text: str) -> Decimal | None:
    """Return an amount of zero or more; None for a text that is not one."""
    try:
        return Decimal(text) if set(text) <= set("0123456789.") else None
    except InvalidOperation:
        return None
