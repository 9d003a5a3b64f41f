"""Parse the wallet result that a page posts after the sheet: a success or a failure, complete or rejected."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop as _
from pydantic import Secret

from wallet_gateway.client.redaction import redact_message
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.payments.wallet_pricing import NO_OPTION, region_of
from wallet_gateway.protocol.accounts import FailedWalletResult, SheetChoices, WalletResult
from wallet_gateway.protocol.card_numbers import has_card_number, mask_card_numbers
from wallet_gateway.protocol.cryptograms import is_cryptogram, mask_cryptograms, remove_cryptogram
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.faults import is_contradictory
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import is_storable, printable, without_bidi_controls
from wallet_gateway.protocol.wire import faults_without_values

LONGEST_REPORT = 300
"""Maximum number of characters stored of a browser's report."""
_ACCOUNT = "transactionaccountid"
_CRYPTOGRAM = "cryptogram"


def invalid_result(*faults: FieldError) -> InvalidInput:
    """Return the exception that rejects a result; `faults` name fields and contain no values."""
    return InvalidInput(
        _("The wallet's result is not valid. %(problems)s"), ErrorCode.FIELDS_INVALID, errors=faults
    )


def read_result(detail: object) -> WalletResult | FailedWalletResult:
    """Return the detail as a message; raise `InvalidInput` with all faults.

    A failure has a code and no field of a success, like the gateway's error body. Fields that the interface
    does not name are not read, and so never stored.
    """
    if isinstance(detail, Secret):
        detail = detail.get_secret_value()
    if not isinstance(detail, Mapping) or not all(isinstance(name, str) for name in detail):
        raise invalid_result(FieldError("", "the detail is no JSON object"))
    if name := _card_data_in(detail):
        raise invalid_result(FieldError(name, "is card data, which no page may have; nothing of it was kept"))
    if is_contradictory(detail, _ACCOUNT):
        raise invalid_result(FieldError("code", "stands beside a field of a success"))
    detail = _with_cryptogram_in_its_field_only(detail)
    failed = "code" in {fold_name(name) for name in detail}
    model = FailedWalletResult if failed else WalletResult
    try:
        return model.from_wire(detail)
    except InvalidMessage as error:
        # The cause contains the values, and one of them may be a cryptogram.
        faults = _without_values(error)
    raise invalid_result(*faults)


def _with_cryptogram_in_its_field_only(detail: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result without copies of its cryptogram, which a page may have put into any field."""
    own = [value for name, value in detail.items() if fold_name(name) == _CRYPTOGRAM]
    if any(isinstance(value, str) and has_card_number(value) for value in own):
        raise invalid_result(FieldError(_CRYPTOGRAM, "has the form of a card number"))
    given = list(filter(is_cryptogram, own))
    if not given:
        return detail

    def without(value: Any) -> Any:  # noqa: ANN401
        # A number that came as JSON is a text of another type, and stays one.
        for cryptogram in given if type(value) is str else ():
            value = remove_cryptogram(value, cryptogram)
        return value

    kept: dict[str, Any] = {}
    for name, value in detail.items():
        if fold_name(name) == _CRYPTOGRAM:
            kept[name] = value
        elif isinstance(value, Mapping):
            kept[name] = {part: without(inner) for part, inner in value.items()}
        else:
            kept[name] = without(value)
    return kept


_CARD_DATA = frozenset(
    {"pan", "primaryaccountnumber", "securitycode", "securitynumber", "cardverificationvalue"}
    | {"cvv", "cvv2", "cvv2code", "cvc", "cvc2", "cvn", "cav2", "cid"}
)


def _card_data_in(detail: object) -> str:
    """Return the first name, at any depth, of card data that no page may have; empty if there are none."""
    waiting: list[object] = [detail]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            for name, value in part.items():
                folded = fold_name(str(name)).replace("_", "").replace("-", "")
                # Some gateways return the number masked.
                if folded in _CARD_DATA or (folded == "cardnumber" and has_card_number(str(value))):
                    return folded
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return ""


def check_shipping(result: WalletResult, wallet: WalletPolicy | None) -> None:
    """Check that a required shipping address is present and allowed.

    Without it the price would be based on any address that the page sent before. Raises `InvalidInput`.
    """
    if wallet is None or not wallet.shipping_address:
        return
    country = result.shipping_address.country_code if result.shipping_address else None
    if not country:
        raise invalid_result(FieldError("shippingAddress", "was asked for and is missing"))
    if wallet.shipping_countries and country not in wallet.shipping_countries:
        raise invalid_result(FieldError("shippingAddress.countryCode", "is none that is sent to"))


_GIVEN = {"email", "billing_address", "shipping_address"}


def given_by(result: WalletResult) -> dict[str, Any]:
    """Return the wallet's customer data, without secrets that a page may have put there.

    No column may store a card number or a cryptogram, whatever its source.
    """
    given: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True, include=_GIVEN)
    return {name: _fit_to_keep(value) for name, value in given.items()}


def _fit_to_keep(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {part: _fit_to_keep(text) for part, text in value.items()}
    return mask_card_numbers(mask_cryptograms(without_bidi_controls(value)))


def bound_account(account_id: str) -> str:
    """Return the account that an attempt is bound to, or its hash if it could be a card secret."""
    if _fit_to_keep(account_id) == account_id:
        return account_id
    return f"sha256:{hashlib.sha256(account_id.encode()).hexdigest()}"


def checked_choices(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the customer's choices on the sheet in storable form; raise `InvalidInput`.

    The price is based on the stored choices, because they are priced again before the card is charged.
    """
    try:
        choices = SheetChoices.from_wire(chosen)
    except InvalidMessage as error:
        faults = _without_values(error)
    else:
        if choices.option and has_card_number(choices.option):
            raise invalid_result(FieldError("option", "has the form of a card number; give an option's id"))
        address = _fit_to_keep(choices.address.to_wire()) if choices.address else None
        # An option's id is the shop's own, and only one of those that PRICING then returns is stored.
        option = None if choices.option in {None, NO_OPTION} else choices.option
        offers = [_fit_to_keep(code) for code in choices.offers]
        return {"address": region_of(address), "option": option, "offers": offers}
    raise invalid_result(*faults)


_SECRET = ("cryptogram", "eciIndicator")
_NOT_FROM_A_WALLET = "is not what the wallet gives for a tokenized card"


def _without_values(error: InvalidMessage) -> list[FieldError]:
    return [
        FieldError(fault.path, _NOT_FROM_A_WALLET) if fault.path in _SECRET else fault
        for fault in faults_without_values(error)
    ]


def report_of(failed: FailedWalletResult) -> str:
    """Return the text of a failure in storable form."""
    said = failed.details.message if failed.details else None
    return as_report(" ".join(part for part in (failed.code, failed.description, said) if part))


def as_report(text: object) -> str:
    """Return a browser's report in storable form: without secrets or control characters, cut to length."""
    if not is_storable(text):
        return ""
    # A page that mixes up fields may report a secret in the wrong field.
    without_secrets = redact_message(mask_cryptograms(printable(str(text))))
    # Cut last: half of a card number would not be recognized as one.
    return without_secrets[:LONGEST_REPORT]
