"""Read what a page posts after the sheet: a success or a failure, whole or not at all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.client.redaction import REMOVED, redact_message, without_card_numbers
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.wallet.pricing import NO_OPTION, region_of
from wallet_gateway.protocol.accounts import FailedWalletResult, SheetChoices, WalletResult
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.faults import is_contradictory
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import is_storable, printable

LONGEST_REPORT = 300
"""Characters kept of what a browser reports."""
_ACCOUNT = "transactionaccountid"


def invalid_result(*faults: FieldError) -> InvalidInput:
    """Return the refusal of a result; `faults` name fields and hold no value."""
    return InvalidInput(ErrorCode.WALLET_RESULT_INVALID, errors=faults)


@sensitive_variables()
def read_result(detail: object) -> WalletResult | FailedWalletResult:
    """Return the detail as a message; raises `InvalidInput` that names every fault.

    A failure has a code and no field of a success, as the gateway's error body. Fields that the interface
    does not name are not read, and so never stored.
    """
    if not isinstance(detail, Mapping) or not all(isinstance(name, str) for name in detail):
        raise invalid_result(FieldError("", "the detail is no JSON object"))
    if is_contradictory(detail, _ACCOUNT):
        raise invalid_result(FieldError("code", "stands beside a field of a success"))
    failed = "code" in {fold_name(name) for name in detail}
    model = FailedWalletResult if failed else WalletResult
    try:
        return model.from_wire(detail)
    except InvalidMessage as error:
        # The cause holds the values, and one of them may be a cryptogram.
        faults = [FieldError(fault.path, _without_values(fault)) for fault in error.errors]
    raise invalid_result(*faults)


@sensitive_variables()
def check_shipping(result: WalletResult, wallet: WalletPolicy | None) -> None:
    """See that an address that the sheet had to ask for is there, and one that may be sent to.

    Without it the price would be that of whatever address the page named before. Raises
    `InvalidInput`.
    """
    if wallet is None or not wallet.shipping_address:
        return
    country = result.shipping_address.country_code if result.shipping_address else None
    if not country:
        raise invalid_result(FieldError("shippingAddress", "was asked for and is missing"))
    if wallet.shipping_countries and country not in wallet.shipping_countries:
        raise invalid_result(FieldError("shippingAddress.countryCode", "is none that is sent to"))


_GIVEN = {"email", "billing_address", "shipping_address"}
_LONGEST_PHONE = 14
"""Digits; one of thirteen or fourteen may well have a card's check digit."""


@sensitive_variables()
def given_by(result: WalletResult) -> dict[str, Any]:
    """Return what the wallet gave of the customer, without what a page may have put there by mistake or not.

    No column of ours is a place for a card number or a cryptogram, whoever sends one.
    """
    given: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True, include=_GIVEN)
    return {name: _fit_to_keep(name, value) for name, value in given.items()}


@sensitive_variables()
def _fit_to_keep(name: str, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {part: _fit_to_keep(part, text) for part, text in value.items()}
    if name == "phoneNumber" and sum(map(str.isdigit, value)) <= _LONGEST_PHONE:
        return value
    return _LIKE_CRYPTOGRAM.sub(REMOVED, without_card_numbers(value))


@sensitive_variables()
def bound_account(account_id: str) -> str:
    """Return what an attempt is bound to: the account, or its hash where it could be a secret of a card."""
    if _fit_to_keep("transactionAccountId", account_id) == account_id:
        return account_id
    return f"sha256:{hashlib.sha256(account_id.encode()).hexdigest()}"


@sensitive_variables()
def checked_choices(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a customer chose on the sheet, fit to be kept; raises `InvalidInput`.

    The choices are priced as they are kept, for they are priced again before the card is charged.
    """
    try:
        choices = SheetChoices.from_wire(chosen)
    except InvalidMessage as error:
        faults = [FieldError(fault.path, _without_values(fault)) for fault in error.errors]
    else:
        address = _fit_to_keep("address", choices.address.to_wire()) if choices.address else None
        option = None if choices.option in {None, NO_OPTION} else _fit_to_keep("option", choices.option)
        offers = [_fit_to_keep("offers", code) for code in choices.offers]
        return {"address": region_of(address), "option": option, "offers": offers}
    raise invalid_result(*faults)


_SECRET = ("cryptogram", "eciIndicator")
_LIKE_CRYPTOGRAM = re.compile(r"[A-Za-z0-9+/]{27}=")


def _without_values(fault: FieldError) -> str:
    if fault.path in _SECRET:
        return "is not what the wallet gives for a tokenized card"
    return _without_secrets(fault.message)[:LONGEST_REPORT]


def _without_secrets(text: str) -> str:
    # A page that takes one field for another reports a secret where none belongs.
    return _LIKE_CRYPTOGRAM.sub(REMOVED, redact_message(text))


def report_of(failed: FailedWalletResult) -> str:
    """Return what a failure says, fit to be stored."""
    said = failed.details.message if failed.details else None
    return as_report(" ".join(part for part in (failed.code, failed.description, said) if part))


def as_report(text: object) -> str:
    """Return what a browser says of itself, fit to be stored: no secrets, no control characters, not long."""
    if not is_storable(text):
        return ""
    # Cut at the end: half of a card's number would not be seen as one.
    return _without_secrets(printable(str(text)))[:LONGEST_REPORT]
