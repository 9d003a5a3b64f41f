"""Probes of detached refunds. They need a migrated deposit, and refund the smallest amounts."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway.conformance.answers import Answer, member
from wallet_gateway.conformance.expectations import accepted, as_documented, echoes, equal
from wallet_gateway.conformance.gateway import Gateway, text_of
from wallet_gateway.conformance.messages import Body, as_in_example, number, without
from wallet_gateway.conformance.registry import Area
from wallet_gateway.conformance.results import Failed, Skipped
from wallet_gateway.conformance.schemas import fields, mandatory
from wallet_gateway.conformance.target import amount_of

area = Area("detached")
_REQUEST = "Detached refund request"
_RESPONSE = "Detached refund approved response"
_MANDATORY = [*mandatory("detached_refund_request"), "apmDetails.apmProvider"]
_LIMIT = "RefundAmountExceeded"


@area.probe("refund", section=_REQUEST, moves_money=True)
def a_detached_refund(gateway: Gateway) -> None:
    """A detached refund of a migrated deposit is accepted."""
    gateway.detached_done()


@area.probe_each("response.{}", fields("detached_refund_response"), section=_RESPONSE, moves_money=True)
def response(gateway: Gateway, path: str) -> None:
    """The response has {} as its table says."""
    _, answer = gateway.detached_answered()
    as_documented("detached_refund_response", path, answer.value)


@area.probe_each(
    "response.echo.{}", ("clientSystemTransactionId", "currencyCode"), section=_RESPONSE, moves_money=True
)
def echo(gateway: Gateway, name: str) -> None:
    """The response repeats {}."""
    body, answer = gateway.detached_answered()
    text_of(answer.value, name)
    echoes(answer.value, name, body[name])


@area.probe("response.approved", section="States and transitions", moves_money=True)
def approved(gateway: Gateway) -> None:
    """A successful detached refund is Approved."""
    _, answer = gateway.detached_answered()
    equal("state", text_of(answer.value, "state"), "Approved")


@area.probe("response.not-more", section=_RESPONSE, moves_money=True)
def not_more_than_asked(gateway: Gateway) -> None:
    """An approved response may refund less than requested, and never more."""
    body, answer = gateway.detached_answered()
    refunded = amount_of(str(member(answer.value, "amount")))
    if refunded is None:
        raise Skipped("there is no amount")
    if refunded > Decimal(body["amount"]):
        raise Failed(f"{body['amount']} was requested, {refunded} is refunded")


@area.probe("response.messages", section=_RESPONSE, moves_money=True)
def messages_state_both_amounts(gateway: Gateway) -> None:
    """The response messages state the requested and the actual refund amount."""
    body, answer = gateway.detached_answered()
    texts = [member(answer.value, name) for name in ("providerResponseMessage", "responseMessage")]
    if not all(isinstance(text, str) for text in texts):
        raise Skipped("there are not both messages")
    wanted = [Decimal(body["amount"]), amount_of(str(member(answer.value, "amount")))]
    said = " ".join(map(str, texts))
    if missing := [str(amount) for amount in wanted if amount is not None and amount not in amounts_in(said)]:
        raise Failed(f"{missing[0]} is not in {said!r}")


@area.probe("example", section=_REQUEST, moves_money=True)
def example(gateway: Gateway) -> None:
    """The spellings of the document's example are accepted: apmdetails, apmProviderName, a number."""
    gateway.detached_answered()
    accepted(gateway.detached_refund(as_in_example("detached_refund_request", gateway.detached_body())))


@area.probe("amount.number", section="General conventions", moves_money=True)
def an_amount_as_a_number(gateway: Gateway) -> None:
    """An amount that is a JSON number is accepted, as in the document's example."""
    gateway.detached_answered()
    body = gateway.detached_body()
    accepted(gateway.detached_refund(body | {"amount": number(body["amount"])}))


@area.probe("amount.comma", section="General conventions", moves_money=True)
def a_comma(gateway: Gateway) -> None:
    """An amount with a comma is refused: "reject comma separators"."""
    body = gateway.detached_body()
    if "." not in body["amount"]:
        raise Skipped("the currency has no decimals")
    gateway.detached_is_refused(body | {"amount": body["amount"].replace(".", ",")})


@area.probe_each("mandatory.{}", _MANDATORY, section=_REQUEST, moves_money=True)
def without_a_mandatory_field(gateway: Gateway, path: str) -> None:
    """A detached refund without {} is refused."""
    gateway.detached_is_refused(without(gateway.detached_body(), path))


@area.probe("parent.unknown", section=_REQUEST, moves_money=True)
def an_unknown_parent(gateway: Gateway) -> None:
    """A detached refund of an unknown original is refused."""
    gateway.detached_is_refused(gateway.detached_body() | {"parentTransactionId": gateway.reference()})


# The limit


def _over_the_limit(gateway: Gateway) -> tuple[Body, Answer]:
    """Ask once for more than can be refunded of the deposit."""
    return gateway.once("over the limit", lambda: _ask_for_more(gateway))


def _ask_for_more(gateway: Gateway) -> tuple[Body, Answer]:
    gateway.detached_answered()
    amount = gateway.deposit().refundable + Decimal(gateway.account.smallest)
    body = gateway.detached_body(str(amount))
    return body, gateway.detached_refund(body)


@area.probe("limit", section="Limits", moves_money=True)
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


@area.probe("limit.code", section="Errors", moves_money=True)
def code_of_the_limit(gateway: Gateway) -> None:
    """The code of the refund limit is 4107940."""
    answer = _limit_error(gateway)
    equal("code", str(member(answer.value, "code")), "4107940")


@area.probe("limit.message", section="Errors", moves_money=True)
def message_of_the_limit(gateway: Gateway) -> None:
    """The message of the refund limit begins with RefundAmountExceeded."""
    text = text_of(_limit_error(gateway).value, "details.message")
    if not text.startswith(_LIMIT):
        raise Failed(f"it begins {text[:40]!r}")


@area.probe("limit.amounts", section="Errors", moves_money=True)
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
