"""Probes of what the document leaves open: they report how the gateway behaves, and which settings follow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from wallet_gateway.conformance.answers import MISSING, Answer, has, member
from wallet_gateway.conformance.gateway import (
    CAPTURE,
    DETACHED,
    PREAUTHORIZATION,
    REFUND,
    REVERSAL,
    SALE,
    Gateway,
    Payment,
    type_of,
)
from wallet_gateway.conformance.messages import Body, changed, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Finding, SettingValue, Skipped, text_of
from wallet_gateway.conformance.schemas import fields
from wallet_gateway.conformance.wallet_flow import WalletFlow
from wallet_gateway.conformance.wire import split_url

_NAMES = "General conventions"
_SIGNER: Final = "myshop.signing.sign"
_HALF_AN_HOUR: Final = timedelta(minutes=30)
_TYPES: Final = {SALE, PREAUTHORIZATION.casefold(), CAPTURE, REFUND, REVERSAL.casefold(), DETACHED}


def _end_of(answer: Answer, what: str = "it") -> Finding:
    return Finding(f"{what} is accepted" if answer.is_success else f"{what} is refused: {answer}")


# How it is reached


@probe("open.account", section="Authentication")
def what_the_account_file_adds(gateway: Gateway) -> Finding:
    """Paths and certificates that the gateway wants besides what the document shows."""
    account = gateway.account
    settings: dict[str, SettingValue] = {}
    if account.paths:
        settings["PATHS"] = dict(account.paths)
    if account.ca_file:
        settings["CA_FILE"] = account.ca_file
    if account.client_cert:
        pair = (account.client_cert, account.client_key) if account.client_key else account.client_cert
        settings["CLIENT_CERT"] = pair
    return Finding(f"needs {', '.join(settings)}" if settings else "nothing is added", settings)


@probe("open.authentication", section="Authentication")
def authentication(gateway: Gateway) -> Finding:
    """Whether a checkout with nothing but the document's headers is accepted."""
    answer = gateway.send("checkout", body=gateway.plain_checkout(), with_account=False)
    found = _end_of(answer)
    if answer.is_success:
        return found
    if gateway.account.headers:
        return Finding(found.text, {"AUTH": _SIGNER})
    if answer.status == 401:
        return Finding(f"{found.text}; name headers in the account file", {"AUTH": _SIGNER})
    return found


@probe("open.redirect-hosts", section="Checkout response")
def host_of_the_page(gateway: Gateway) -> Finding:
    """The host of the page that customers are sent to."""
    url = text_of(gateway.checkout(gateway.plain_checkout()).value, "redirectUrl")
    parts = split_url(url)
    if parts is None:
        raise Skipped(f"{url!r} is no web address")
    is_own = parts.netloc == urlsplit(gateway.wire.base_url).netloc
    return Finding(f"pages are on {parts.netloc}", {} if is_own else {"REDIRECT_HOSTS": (parts.netloc,)})


# Checkouts


@probe("open.billing-address", section="addressDetails")
def billing_address(gateway: Gateway) -> Finding:
    """Whether a checkout without a billing address is accepted."""
    if gateway.needs_billing_address:
        return Finding("a checkout without one is refused", {"BILLING_ADDRESS_REQUIRED": True})
    gateway.checkout_is_accepted(gateway.plain_checkout())
    return Finding("a checkout without one is accepted")


@probe("open.unknown-fields", section=_NAMES)
def unknown_fields(gateway: Gateway) -> Finding:
    """Whether a checkout with a field that the document does not know is accepted."""
    answer = gateway.checkout(gateway.plain_checkout() | {"kitUnknownField": "x"})
    return _end_of(answer, "a checkout with one")


@probe("open.request-case", section=_NAMES)
def letter_case_of_requests(gateway: Gateway) -> Finding:
    """Whether names of a request in PascalCase are read."""
    answer = gateway.checkout(_pascal(gateway.plain_checkout()))
    return _end_of(answer, "a checkout in PascalCase")


@probe("open.type-case", section="Limits")
def letter_case_of_types(gateway: Gateway) -> Finding:
    """Whether a checkout takes the spelling of the wallet flow, ecom.preauthorization."""
    return _end_of(gateway.checkout(gateway.plain_checkout("ecom.preauthorization")))


@probe("open.card-details", section="shoppingCartDetails")
def spelling_of_the_cart(gateway: Gateway) -> Finding:
    """Whether shoppingCardDetails, as the field table spells it, is read as the cart."""
    body = gateway.cart_checkout()
    cart = changed(body, "shoppingCartDetails.totalTaxAmount", "0.01").pop("shoppingCartDetails")
    answer = gateway.checkout(without(body, "shoppingCartDetails") | {"shoppingCardDetails": cart})
    return Finding("it is ignored" if answer.is_success else "it is read")


@probe("open.cart-total", section="shoppingCartDetails")
def amount_and_cart(gateway: Gateway) -> Finding:
    """Whether the amount of a checkout must be what its cart comes to."""
    answer = gateway.checkout(gateway.cart_checkout() | {"amount": "2.00"})
    return _end_of(answer, "a checkout with another amount")


@probe("open.decimals.{}", ("1", "1.0", "1.000"), section=_NAMES)
def decimals(gateway: Gateway, amount: str) -> Finding:
    """Whether {} is read as an amount of a currency with two decimals."""
    gateway.full_checkout()
    return _end_of(gateway.checkout(gateway.plain_checkout() | {"amount": amount}))


@probe("open.same-checkout", section="Checkout request")
def the_same_checkout_twice(gateway: Gateway) -> Finding:
    """What a checkout sent twice under one reference is answered."""
    body = gateway.plain_checkout()
    first = gateway.checkout_is_accepted(body)
    second = gateway.checkout(body)
    if not second.is_success:
        return _end_of(second, "the second")
    same = member(first.value, "redirectUrl") == member(second.value, "redirectUrl")
    return Finding(f"the second is answered with {'the same page' if same else 'a new page'}")


# Status queries


@probe("open.unknown-reference", section="Transaction status record")
def an_unknown_reference(gateway: Gateway) -> Finding:
    """What a status query for an unknown reference is answered."""
    return Finding(str(gateway.status(gateway.reference())))


@probe("open.unpaid", section="Transaction status record")
def an_unpaid_checkout(gateway: Gateway) -> Finding:
    """What a status query is answered while the customer has not decided."""
    body = gateway.plain_checkout()
    gateway.checkout_is_accepted(body)
    return Finding(str(gateway.status(body["clientSystemTransactionId"])))


@probe("open.references", section="Transaction status record")
def references_of_follow_ups(gateway: Gateway) -> Finding:
    """Whether follow-ups are reported under their original's reference."""
    body, _ = gateway.answered(REFUND)
    answers = gateway.records_of(body)
    own, original = ({type_of(record) for record in answer.records} for answer in answers)
    if REFUND in original and REFUND in own:
        return Finding("a refund is reported under its own reference and its original's")
    if REFUND in original:
        return Finding("a refund is reported under its original's only", {"SHARES_REFERENCES": True})
    if REFUND not in own:
        raise Skipped("the refund is reported under neither reference")
    return Finding("a refund is reported under its own reference only")


@probe("open.clock", section="Transaction status record")
def zone_of_times(gateway: Gateway) -> Finding:
    """How far transactionDateTime is from the time in UTC."""
    text = text_of(gateway.record(gateway.paid_sale()), "transactionDateTime")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Skipped("it is no time") from None
    away = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)
    if abs(away) < _HALF_AN_HOUR:
        return Finding("times are in UTC")
    return Finding(f"times are {away / timedelta(hours=1):+.1f} hours from UTC")


@probe("open.states", section="States and transitions")
def states(gateway: Gateway) -> Finding:
    """Which states and codes of the provider appear."""
    values = [*_answers(gateway), gateway.record(gateway.paid_sale())]
    codes = ("state", "providerStateCode")
    names = [str(member(value, name)) for value in values for name in codes if has(value, name)]
    return Finding(f"there are {', '.join(dict.fromkeys(names))}")


def _answers(gateway: Gateway) -> list[object]:
    return [gateway.answered(type_)[1].value for type_ in (REFUND, CAPTURE)]


@probe("open.state-words", section="States and transitions")
def words_of_states(gateway: Gateway) -> Finding:
    """Which words for states appear beside Approved, Errored and Pending."""
    values = [*_answers(gateway), *(record for _, record in _records_of_payments(gateway))]
    words = [state for value in values if isinstance(state := member(value, "state"), str)]
    others = [word for word in words if word.casefold() not in ("approved", "errored", "pending")]
    shown = ", ".join(map(repr, dict.fromkeys(others)))
    return Finding(f"there are {shown}; teach adapt_answer what they mean" if shown else "none")


def _records_of_payments(gateway: Gateway) -> list[tuple[str, dict[str, object]]]:
    """Return the records in the answers about payments, each with the reference of its payment.

    Besides the payments of this run these are checkouts that a sandbox's customer did not pay.
    """
    gateway.paid_sale()
    gateway.authorization()
    references = [*(payment.reference for payment in gateway.payments), *gateway.undecided()]
    return [(reference, record) for reference in references for record in gateway.status(reference).records]


def _is_errored(gateway: Gateway, reference: str, record: dict[str, object]) -> bool:
    is_refused = gateway.undecided().get(reference) == "refused"
    return is_refused or str(member(record, "state")).casefold() == "errored"


@probe("open.errored-amount", section="Transaction status record")
def amount_of_an_errored_record(gateway: Gateway) -> Finding:
    """Which amount the record of a declined payment carries."""
    found = _records_of_payments(gateway)
    errored = [record for reference, record in found if _is_errored(gateway, reference, record)]
    if not errored:
        raise Skipped("no payment of this run was declined")
    carried = [member(record, "transactionAmount") for record in errored]
    shown = ["none" if one is MISSING else "null" if one is None else str(one) for one in carried]
    amounts = dict.fromkeys(shown)
    if list(amounts) == [gateway.account.amount]:
        return Finding("the amount that was requested")
    return Finding(f"{', '.join(amounts)}, where {gateway.account.amount} was requested")


@probe("open.unapproved-ids", section="Transaction status record")
def ids_of_what_is_not_approved(gateway: Gateway) -> Finding:
    """Whether declined and pending payments have ids of their own."""
    ids: dict[str, set[str]] = {}
    for reference, record in _records_of_payments(gateway):
        is_pending = gateway.undecided().get(reference) == "pending"
        if is_pending or _is_errored(gateway, reference, record):
            ids.setdefault(str(member(record, "id")), set()).add(reference)
    if not ids:
        raise Skipped("no payment of this run was declined or stayed pending")
    shared = [id_ for id_, references in ids.items() if len(references) > 1]
    if shared:
        return Finding(f"no: several payments share the id {', '.join(map(repr, shared))}")
    placeholders = [id_ for id_ in ids if not id_.strip("0- ")]
    return Finding(f"no: there is the id {placeholders[0]!r}" if placeholders else "they have")


@probe("open.shared-records", section="Transaction status record")
def records_of_two_payments(gateway: Gateway) -> Finding:
    """Whether the answers about two payments have a record in common: the same id and type."""
    payments: dict[tuple[str, str], set[str]] = {}
    for reference, record in _records_of_payments(gateway):
        if reference not in gateway.undecided() and not _is_errored(gateway, reference, record):
            payments.setdefault((str(member(record, "id")), type_of(record)), set()).add(reference)
    shared = [f"{type_} {id_!r}" for (id_, type_), references in payments.items() if len(references) > 1]
    return Finding(f"they have {', '.join(shared)}" if shared else "they have none")


@probe("open.portal-references", section="Transaction status record")
def references_of_the_portal(gateway: Gateway) -> Finding:
    """Under which reference the answer about a payment has what was made in the provider's portal."""
    control, sale = gateway.controls(), gateway.pay(SALE)
    control.portal(sale.reference, REFUND, gateway.account.smallest)
    records = gateway.status(sale.reference).records
    refunds = [one for one in records if type_of(one) == REFUND]
    if not refunds:
        return Finding("the answer does not have it")
    reference = member(refunds[0], "clientSystemTransactionId")
    is_own = reference != sale.reference
    return Finding(f"one of the gateway's own, such as {reference!r}" if is_own else "its original's")


@probe("open.record-types", section="Transaction status record")
def types_of_records(gateway: Gateway) -> Finding:
    """Which types that the document does not name records of a new payment and its refund have."""
    body, _ = gateway.answered(REFUND)
    records = [record for answer in gateway.records_of(body) for record in answer.records]
    types = {str(member(record, "type")): None for record in records}
    unknown = tuple(name for name in types if name.casefold() not in _TYPES)
    if not unknown:
        return Finding("none")
    return Finding(f"there are {', '.join(unknown)}", {"IGNORED_RECORD_TYPES": unknown})


@probe("open.answer-case", section=_NAMES)
def letter_case_of_answers(gateway: Gateway) -> Finding:
    """Whether the names of answers are spelled as the tables have them."""
    values = [gateway.answered(REFUND)[1].value, gateway.record(gateway.paid_sale())]
    tables = [*fields("follow_up_response"), *fields("status_records")]
    known = {name.casefold(): name for name in tables}
    found = [name for value in values if isinstance(value, dict) for name in value]
    other = [name for name in found if known.get(name.casefold(), name) != name]
    return Finding(f"other spellings: {', '.join(dict.fromkeys(other))}" if other else "they are")


# Follow-ups


@probe("open.same-refund", section="Follow-up request")
def the_same_refund_twice(gateway: Gateway) -> Finding:
    """What a refund sent twice under one reference is answered."""
    body, first = gateway.answered(REFUND)
    second = gateway.follow_up(body)
    if not second.is_success:
        return _end_of(second, "the second")
    same = member(first.value, "id") == member(second.value, "id")
    return Finding("the second is answered as the first" if same else "both are executed: money moved twice")


@probe("open.several.{}", ("capture", "refund"), section="Follow-up request")
def several(gateway: Gateway, name: str) -> Finding:
    """Whether a second {} of a part is accepted."""
    type_ = CAPTURE if name == "capture" else REFUND
    gateway.answered(type_)
    original = gateway.authorization() if type_ == CAPTURE else gateway.paid_sale()
    return _end_of(gateway.follow_up(gateway.follow_up_body(type_, original)))


@probe("open.refund-limit", section="Limits")
def refund_of_more_than_was_paid(gateway: Gateway) -> Finding:
    """What a refund of more than was paid is answered."""
    gateway.answered(REFUND)
    sale = gateway.paid_sale()
    more = Decimal(gateway.account.amount) + Decimal(gateway.account.smallest)
    return _end_of(gateway.follow_up(gateway.follow_up_body(REFUND, sale, str(more))))


@probe("open.reversal-after-capture", section="Follow-up request")
def reversal_after_a_capture(gateway: Gateway) -> Finding:
    """Whether what is partly captured can be reversed."""
    gateway.answered(CAPTURE)
    original = gateway.authorization()
    body = gateway.follow_up_body(REVERSAL, original, gateway.account.amount)
    return _end_of(gateway.follow_up(body))


@probe("open.reversal-of-a-part", section="Follow-up request")
def reversal_of_a_part(gateway: Gateway) -> Finding:
    """Whether a part of a pre-authorization can be reversed."""
    original = gateway.once("part to reverse", lambda: gateway.pay(PREAUTHORIZATION))
    return _end_of(gateway.follow_up(gateway.follow_up_body(REVERSAL, original)))


# Errors


def _refusals(gateway: Gateway) -> Iterator[tuple[str, Answer]]:
    """Give some refusals, each with what was wrong."""
    body = gateway.plain_checkout()
    yield "a missing field", gateway.checkout(without(body, "amount"))
    yield "an unknown merchant", gateway.checkout(body | {"merchantId": "NOBODY"})
    nothing = Payment(gateway.reference(), SALE)
    yield "an unknown original", gateway.follow_up(gateway.follow_up_body(REFUND, nothing))


@probe("open.status-codes", section="Errors")
def status_codes(gateway: Gateway) -> Finding:
    """Which HTTP status refusals have."""
    refusals = [(what, answer) for what, answer in _refusals(gateway) if answer.is_refusal]
    if not refusals:
        raise Skipped("nothing was refused")
    return Finding(", ".join(f"{what}: {answer.status}" for what, answer in refusals))


@probe("open.error-messages", section="Error response")
def error_messages(gateway: Gateway) -> Finding:
    """Whether errors are described: "more detailed description where available"."""
    errors = [(what, answer) for what, answer in _refusals(gateway) if answer.is_error]
    if not errors:
        raise Skipped("there was no error body")
    bare = [what for what, answer in errors if not answer.message]
    return Finding(f"not for {', '.join(bare)}" if bare else "they are")


# The wallet button


@probe("open.key-life", section="Authentication")
def life_of_keys(gateway: Gateway) -> Finding:
    """Whether the public key service tells how long its keys live."""
    answer = WalletFlow(gateway).keys()
    return Finding("it does, as expiresAt" if has(answer.value, "expiresAt") else "it does not")


@probe("open.account-fields", section="Payment account (digital wallet flow)")
def fields_of_an_account(gateway: Gateway) -> Finding:
    """What a payment account tells beyond cardType."""
    value = WalletFlow(gateway).look_up().value
    names = [name for name in value if name.casefold() != "cardtype"] if isinstance(value, dict) else []
    return Finding(", ".join(names) or "nothing")


def _pascal(value: Body) -> Body:
    return {
        name[:1].upper() + name[1:]: _pascal(part) if isinstance(part, dict) else part
        for name, part in value.items()
    }
