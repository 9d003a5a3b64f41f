"""All refusals: one class per reason, each with its HTTP status and fault code.

The interface names two codes, ``4107940`` and ``4000340``: "The same code value `4107940` is used for both
the refund-limit and the schema-validation errors." All other codes are the sandbox's own: a 4, the HTTP
status and a number. A message begins with the class name, as the interface's own messages do, so renaming a
class changes the wire. The classes of all packages are in one file because their codes share one numbering.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from wallet_gateway.protocol.faults import FaultCode, error_body, refund_amount_exceeded
from wallet_gateway.protocol.money import Money


class Refusal(ValueError):
    """Base class; a refused request changes nothing and stores nothing."""

    status: ClassVar[int]
    code: ClassVar[str]
    description: ClassVar[str | None] = None
    """The kind of fault, if the interface gives one beside the message."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{type(self).__name__}: {text}")

    def to_wire(self) -> dict[str, Any]:
        """Return the error body (interface, section Error response) in wire form."""
        body = error_body(self.code, str(self))
        return body.model_copy(update={"description": self.description}).to_wire()


class SchemaValidationError(Refusal):
    """The request is invalid in itself; the message names every invalid path."""

    status = 400
    code = FaultCode.VALIDATION


class RefundAmountExceeded(Refusal):
    """A refund exceeds the refundable amount; the message states the four amounts."""

    status = 400
    code = FaultCode.VALIDATION

    def __init__(self, *, deposit: Money, refunded: Money, maximum: Money, requested: Money) -> None:
        # The message is defined in `protocol`, because the merchant's side parses its amounts.
        ValueError.__init__(self, refund_amount_exceeded(deposit, refunded, maximum, requested).message)


class CaptureAmountExceeded(Refusal):
    """A capture exceeds the authorized amount that is not yet captured."""

    status = 400
    code = "4400001"


class CurrencyDiffers(Refusal):
    """The currency of a follow-up differs from its original's."""

    status = 400
    code = "4400002"


class ReversalNotWhole(Refusal):
    """The amount of a reversal differs from the authorized amount."""

    status = 400
    code = "4400003"


class InvalidCall(Refusal):
    """A control call cannot be parsed or cannot be executed."""

    status = 400
    code = "4400004"


class KeyMissing(Refusal):
    """The control key is required and missing."""

    status = 401
    code = "4401001"


class StrangerRefused(Refusal):
    """There is no control key, and the caller is on another machine."""

    status = 403
    code = "4403001"


class ForeignPage(Refusal):
    """A browser calls the control interface for a page of another site."""

    status = 403
    code = "4403002"


class UnknownMerchant(Refusal):
    """The merchant, store or user is unknown."""

    status = 403
    code = "4403003"


class UnknownPath(Refusal):
    """The path is unknown."""

    status = 404
    code = "4404001"


class UnknownOriginal(Refusal):
    """The transaction to act on does not exist."""

    status = 404
    code = "4404002"


class UnknownReference(Refusal):
    """A control call names an unknown reference."""

    status = 404
    code = "4404003"


class MethodNotAllowed(Refusal):
    """The path does not support the method."""

    status = 405
    code = "4405001"


class ReferenceAlreadyUsed(Refusal):
    """The ``clientSystemTransactionId`` was used for another request."""

    status = 409
    code = "4409001"


class OriginalNotApproved(Refusal):
    """The original is not approved, or has been reversed."""

    status = 409
    code = "4409002"


class NothingToCapture(Refusal):
    """There is nothing to capture: the original is a sale, or has been reversed."""

    status = 409
    code = "4409003"


class AlreadyCaptured(Refusal):
    """A captured payment can only be refunded, not reversed."""

    status = 409
    code = "4409004"


class CheckoutUsedUp(Refusal):
    """The checkout has already been decided."""

    status = 409
    code = "4409005"


class CheckoutExpired(Refusal):
    """The checkout has expired."""

    status = 409
    code = "4409006"


class NotPending(Refusal):
    """The transaction is not pending."""

    status = 409
    code = "4409007"


class AmbiguousReference(Refusal):
    """Several merchants use the reference; the caller must name one."""

    status = 409
    code = "4409008"


class BodyTooLarge(Refusal):
    """The body exceeds the maximum size."""

    status = 413
    code = "4413001"


class UnsupportedMediaType(Refusal):
    """The body's content type is not JSON."""

    status = 415
    code = "4415001"


class TooManyRequests(Refusal):
    """Set by a fault: the caller must slow down."""

    status = 429
    code = "4429001"


class Moved(Refusal):
    """Set by a fault: the service has moved."""

    status = 307
    code = "4307001"


_RESULT: Final = "GeneralValidationError"
"""The description of a failed wallet result."""


class TokenMissing(Refusal):
    """The request to create a payment account lacks the wallet's token."""

    status = 400
    description = _RESULT
    code = FaultCode.MISSING_TOKEN


class TokenRefused(Refusal):
    """The token is altered, for another gateway, or signed by an unknown key."""

    status = 400
    description = _RESULT
    code = "4400010"


class TokenExpired(Refusal):
    """The token or its signing key has expired."""

    status = 400
    description = _RESULT
    code = "4400011"


class TokenReplayed(Refusal):
    """The token has already been used for an account."""

    status = 400
    description = _RESULT
    code = "4400012"


class TokenOfAnotherMerchant(Refusal):
    """The token is for another merchant."""

    status = 400
    description = _RESULT
    code = "4400013"


class CardNotAccepted(Refusal):
    """The card's network or kind is not accepted."""

    status = 400
    description = _RESULT
    code = "4400014"


class ThreeDSecureRequired(Refusal):
    """An un-tokenized card needs 3-D Secure."""

    status = 400
    code = "4400015"


class ThreeDSecureNotAllowed(Refusal):
    """A tokenized card must not be sent with 3-D Secure data."""

    status = 400
    code = "4400016"


class ThreeDSecureNotPassed(Refusal):
    """The 3-D Secure authentication failed."""

    status = 400
    code = "4400017"


class CryptogramRequired(Refusal):
    """A tokenized card needs its cryptogram and ECI."""

    status = 400
    code = "4400018"


class CryptogramNotAllowed(Refusal):
    """An un-tokenized card must not be sent with a cryptogram or ECI."""

    status = 400
    code = "4400019"


class CryptogramDiffers(Refusal):
    """The cryptogram or ECI does not belong to this account."""

    status = 400
    code = "4400020"


class ApiKeyRefused(Refusal):
    """The API key is missing or unknown."""

    status = 401
    code = "4401002"


class ApiKeyExpired(Refusal):
    """The API key has expired."""

    status = 401
    code = "4401003"


class EncryptionKeyRefused(Refusal):
    """The ``encryptionKeyId`` is unknown or has expired."""

    status = 401
    code = "4401004"


class KeyOfAnother(Refusal):
    """The key belongs to another store."""

    status = 403
    code = "4403004"


class OriginNotRegistered(Refusal):
    """The origin of the calling page is not registered for the merchant."""

    status = 403
    code = "4403005"


class UnknownAccount(Refusal):
    """The store has no such payment account."""

    status = 404
    code = "4404004"


class AccountUsedUp(Refusal):
    """The account has been charged, or a charge is pending."""

    status = 409
    code = "4409009"


class AuthenticationUsedUp(Refusal):
    """The 3-D Secure page has already been left."""

    status = 409
    code = "4409010"


class AuthenticationExpired(Refusal):
    """The 3-D Secure page has expired."""

    status = 409
    code = "4409011"
