"""Probes of the error body, as the document's own two errors and unknown merchants bring it."""

from __future__ import annotations

from wallet_gateway.conformance.answers import MISSING, Answer, member
from wallet_gateway.conformance.gateway import REFUND, SALE, Gateway, Payment
from wallet_gateway.conformance.messages import without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped, as_documented, equal, text_of

_BODY = "Error response"
_WHERE = ("checkout", "follow-up")
_IDS = ("merchantId", "storeId", "userId")


def _refusal(gateway: Gateway, where: str) -> Answer:
    """Return the refusal of a request that lacks its amount; raises Skipped if it is not refused."""
    if where == "checkout":
        answer = gateway.checkout(without(gateway.plain_checkout(), "amount"))
    else:
        refund = gateway.follow_up_body(REFUND, Payment(gateway.reference(), SALE))
        answer = gateway.follow_up(without(refund, "amount"))
    if not answer.is_refusal:
        raise Skipped(f"it was not refused: {answer}")
    return answer


def _error(gateway: Gateway, where: str) -> Answer:
    answer = _refusal(gateway, where)
    if not isinstance(answer.value, dict):
        raise Skipped(f"there is no error body: {answer}")
    return answer


@probe("errors.json.{}", _WHERE, section="General conventions")
def json_body(gateway: Gateway, where: str) -> None:
    """The refusal of a {} is a JSON object."""
    answer = _refusal(gateway, where)
    if not isinstance(answer.value, dict):
        raise Failed(f"it is none: {answer}")


@probe("errors.code.{}", _WHERE, section=_BODY)
def code(gateway: Gateway, where: str) -> None:
    """The error body of a {} has its code, a String."""
    as_documented("error", "code", _error(gateway, where).value)


@probe("errors.details.{}", _WHERE, section=_BODY)
def details(gateway: Gateway, where: str) -> None:
    """The error body of a {} has its description in details.message, a String, where it has one."""
    value = _error(gateway, where).value
    as_documented("error", "details", value)
    if member(value, "details") is not MISSING:
        as_documented("error", "details.message", value)


@probe("errors.schema.code.{}", _WHERE, section="Errors")
def code_of_a_schema_error(gateway: Gateway, where: str) -> None:
    """The code of a {} without a required field is 4107940."""
    found = member(_error(gateway, where).value, "code")
    if found is MISSING:
        raise Skipped("there is no code")
    equal("code", str(found), "4107940")


@probe("errors.schema.message.{}", _WHERE, section="Errors")
def message_of_a_schema_error(gateway: Gateway, where: str) -> None:
    """The message on a {} without a required field begins with SchemaValidationError."""
    text = text_of(_error(gateway, where).value, "details.message")
    if not text.startswith("SchemaValidationError"):
        raise Failed(f"it begins {text[:40]!r}")


@probe("errors.unknown.{}", _IDS, section="Authentication")
def an_unknown_merchant(gateway: Gateway, name: str) -> None:
    """A checkout with an unknown {} is refused: "identification is by the fields"."""
    gateway.checkout_is_refused(gateway.plain_checkout() | {name: "NOBODY"})
