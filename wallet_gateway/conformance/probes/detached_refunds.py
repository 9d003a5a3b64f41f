"""Probes of detached refunds. They need a migrated deposit, and refund the smallest amounts."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway.conformance.answers import Answer, member
from wallet_gateway.conformance.gateway import DETACHED, Gateway
from wallet_gateway.conformance.messages import Body, as_in_example, number, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped, accepted, as_documented, equal, says, text_of
from wallet_gateway.conformance.schemas import fields, mandatory
from wallet_gateway.conformance.target import amount_of

_REQUEST = "Detached refund request"
_RESPONSE = "Detached refund approved response"
_MANDATORY = [*mandatory("detached_refund_request"), "apmDetails.apmProvider"]
_ECHOED = ("clientSystemTransactionId", "currencyCode")
_LIMIT = "RefundAmountExceeded"


@probe("detached.refund", section=_REQUEST)
def a_detached_refund(gateway: Gateway) -> None:
    """A detached refund of a migrated deposit is accepted."""
    gateway.done(DETACHED)


@probe("detached.response.{}", fields("detached_refund_response"), section=_RESPONSE)
def response(gateway: Gateway, path: str) -> None:
    """The response has {} as its table says."""
    _, answer = gateway.answered(DETACHED)
    as_documented("detached_refund_response", path, answer.value)


@probe("detached.response.echo.{}", _ECHOED, section=_RESPONSE)
def echo(gateway: Gateway, name: str) -> None:
    """The response repeats {}."""
    body, answer = gateway.answered(DETACHED)
    says(answer.value, name, body[name])


@probe("detached.response.approved", section="States and transitions")
def approved(gateway: Gateway) -> None:
    """A successful detached refund is Approved."""
    _, answer = gateway.answered(DETACHED)
    says(answer.value, "state", "Approved")


@probe("detached.response.not-more", section=_RESPONSE)
def not_more_than_asked(gateway: Gateway) -> None:
    """An approved response may refund less than requested, and never more."""
    body, answer = gateway.answered(DETACHED)
    refunded = amount_of(str(member(answer.value, "amount")))
    if refunded is None:
        raise Skipped("there is no amount")
    if refunded > Decimal(body["amount"]):
        raise Failed(f"{body['amount']} was requested, {refunded} is refunded")


@probe("detached.response.messages", section=_RESPONSE)
def messages_state_both_amounts(gateway: Gateway) -> None:
    """The response messages state the requested and the actual refund amount."""
    body, answer = gateway.answered(DETACHED)
    texts = [member(answer.value, name) for name in ("providerResponseMessage", "responseMessage")]
    if not all(isinstance(text, str) for text in texts):
        raise Skipped("there are not both messages")
    wanted = [Decimal(body["amount"]), amount_of(str(member(answer.value, "amount")))]
    said = " ".join(map(str, texts))
    if missing := [str(amount) for amount in wanted if amount is not None and amount not in amounts_in(said)]:
        raise Failed(f"{missing[0]} is not in {said!r}")


@probe("detached.example", section=_REQUEST)
def example(gateway: Gateway) -> None:
    """The spellings of the document's example are accepted: apmdetails, apmProviderName, a number."""
    gateway.answered(DETACHED)
    accepted(gateway.detached_refund(as_in_example("detached_refund_request", gateway.detached_body())))


@probe("detached.amount.number", section="General conventions")
def an_amount_as_a_number(gateway: Gateway) -> None:
    """An amount that is a JSON number is accepted, as in the document's example."""
    gateway.answered(DETACHED)
    body = gateway.detached_body()
    accepted(gateway.detached_refund(body | {"amount": number(body["amount"])}))


@probe("detached.amount.comma", section="General conventions")
def a_comma(gateway: Gateway) -> None:
    """An amount with a comma is refused: "reject comma separators"."""
    body = gateway.detached_body()
    if "." not in body["amount"]:
        raise Skipped("the currency has no decimals")
    gateway.detached_is_refused(body | {"amount": body["amount"].replace(".", ",")})


@probe("detached.mandatory.{}", _MANDATORY, section=_REQUEST)
def without_a_mandatory_field(gateway: Gateway, path: str) -> None:
    """A detached refund without {} is refused."""
    gateway.detached_is_refused(without(gateway.detached_body(), path))


@probe("detached.parent.unknown", section=_REQUEST)
def an_unknown_parent(gateway: Gateway) -> None:
    """A detached refund of an unknown original is refused."""
    gateway.detached_is_refused(gateway.detached_body() | {"parentTransactionId": gateway.reference()})


# The limit


def _over_the_limit(gateway: Gateway) -> tuple[Body, Answer]:
    """Ask once for more than can be refunded of the deposit."""
    return gateway.once("over the limit", lambda: _ask_for_more(gateway))


def _ask_for_more(gateway: Gateway) -> tuple[Body, Answer]:
    gateway.answered(DETACHED)
    deposit = gateway.deposit()
    amount = Decimal(deposit.amount) - Decimal(deposit.refunded) + Decimal(gateway.account.smallest)
    body = gateway.detached_body(str(amount))
    return body, gateway.detached_refund(body)


@probe("detached.limit", section="Limits")
def more_than_is_refundable(gateway: Gateway) -> None:
    """A detached refund of more than the remaining refundable amount is refused."""
    _, answer = _over_the_limit(gateway)
    if not answer.is_refusal:
        raise Failed(f"it is not refused: {answer}")


def _limit_error(gateway: Gateway) -> Answer:
    _, answer = _over_the_limit(gateway)
    if not answer.is_error:
        raise Skipped(f"there is no error: {answer}")
    return answer


@probe("detached.limit.code", section="Errors")
def code_of_the_limit(gateway: Gateway) -> None:
    """The code of the refund limit is 4107940."""
    answer = _limit_error(gateway)
    equal("code", str(member(answer.value, "code")), "4107940")


@probe("detached.limit.message", section="Errors")
def message_of_the_limit(gateway: Gateway) -> None:
    """The message of the refund limit begins with RefundAmountExceeded."""
    text = text_of(_limit_error(gateway).value, "details.message")
    if not text.startswith(_LIMIT):
        raise Failed(f"it begins {text[:40]!r}")


@probe("detached.limit.amounts", section="Errors")
def amounts_of_the_limit(gateway: Gateway) -> None:
    """The message has deposit, refunded, maximum refundable and requested amount, in this order."""
    body, _ = _over_the_limit(gateway)
    text = text_of(_limit_error(gateway).value, "details.message")
    if not text.startswith(_LIMIT):
        raise Skipped("it is another message")
    found = amounts_in(text)
    if len(found) != 4:
        raise Failed(f"it has {len(found)} amounts: {text!r}")
    deposit, refunded, maximum, requested = found
    wanted = Decimal(gateway.deposit().amount)
    if (deposit, requested) != (wanted, Decimal(body["amount"])) or maximum != deposit - refunded:
        stated = ", ".join(map(str, found))
        raise Failed(f"of a deposit of {wanted} and a request of {body['amount']} it states {stated}")


def amounts_in(text: str) -> list[Decimal]:
    """Return the numbers of a text, in their order."""
    words = "".join(mark if mark in "0123456789." else " " for mark in text).split()
    amounts = (amount_of(word.strip(".")) for word in words if word.strip("."))
    return [amount for amount in amounts if amount is not None]
