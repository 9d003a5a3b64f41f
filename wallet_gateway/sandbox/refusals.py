"""Why the gateway refuses: one class per reason, each with its HTTP status and fault code.

The interface prints two codes, ``4107940`` (validation and refund limit) and ``4000340``. Every other code is
the sandbox's own: a 4, the HTTP status, and a number. The message begins with the name of the class, as the
interface's own messages do, and goes on with what was wrong.

Why the gateway refuses what the wallet button asks for. Codes are made as ``refusals`` says.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from wallet_gateway.protocol.faults import FaultCode, error_body, refund_amount_exceeded
from wallet_gateway.protocol.money import Money


class Refusal(ValueError):
    """Base of all refusals; nothing was done and nothing is stored."""

    status: ClassVar[int]
    code: ClassVar[str]
    description: ClassVar[str | None] = None
    """The name of the kind of fault, where the interface gives one beside the message."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{type(self).__name__}: {text}")

    def to_wire(self) -> dict[str, Any]:
        """Give the error body of the interface, section Error response, in wire form."""
        body = error_body(self.code, str(self))
        return body.model_copy(update={"description": self.description}).to_wire()


class SchemaValidationError(Refusal):
    """The request itself is wrong, whatever is stored; the message names every path."""

    status = 400
    code = FaultCode.VALIDATION


class RefundAmountExceeded(Refusal):
    """More is asked back than can be given back; the message has the four amounts."""

    status = 400
    code = FaultCode.VALIDATION

    def __init__(self, *, deposit: Money, refunded: Money, maximum: Money, requested: Money) -> None:
        # The wire language words this one, for the merchant's side reads the amounts.
        ValueError.__init__(self, refund_amount_exceeded(deposit, refunded, maximum, requested).message)


class CaptureAmountExceeded(Refusal):
    """More is to be captured than is authorized and not yet captured."""

    status = 400
    code = "4400001"


class CurrencyDiffers(Refusal):
    """A follow-up is in another currency than its original."""

    status = 400
    code = "4400002"


class ReversalNotWhole(Refusal):
    """A reversal is for another amount than the authorization."""

    status = 400
    code = "4400003"


class InvalidCall(Refusal):
    """A control call cannot be read, or asks for what there is not."""

    status = 400
    code = "4400004"


class KeyMissing(Refusal):
    """The control interface wants a key, and the caller did not give it."""

    status = 401
    code = "4401001"


class StrangerRefused(Refusal):
    """The control interface has no key, and the caller is on another machine."""

    status = 403
    code = "4403001"


class ForeignPage(Refusal):
    """A page of another site makes a browser call the control interface."""

    status = 403
    code = "4403002"


class UnknownMerchant(Refusal):
    """No such merchant, store or user."""

    status = 403
    code = "4403003"


class UnknownPath(Refusal):
    """There is nothing at this address."""

    status = 404
    code = "4404001"


class UnknownOriginal(Refusal):
    """The transaction to act on does not exist."""

    status = 404
    code = "4404002"


class UnknownReference(Refusal):
    """The control interface was asked about something that is not there."""

    status = 404
    code = "4404003"


class MethodNotAllowed(Refusal):
    """The address is right, the method is not."""

    status = 405
    code = "4405001"


class ReferenceAlreadyUsed(Refusal):
    """The ``clientSystemTransactionId`` belongs to another request."""

    status = 409
    code = "4409001"


class OriginalNotApproved(Refusal):
    """The transaction to act on is not approved, or not any more."""

    status = 409
    code = "4409002"


class NothingToCapture(Refusal):
    """A sale is captured at once, and a reversed authorization never."""

    status = 409
    code = "4409003"


class AlreadyCaptured(Refusal):
    """What is captured can be refunded, not reversed."""

    status = 409
    code = "4409004"


class CheckoutUsedUp(Refusal):
    """The checkout was decided before."""

    status = 409
    code = "4409005"


class CheckoutExpired(Refusal):
    """The time of the checkout is over."""

    status = 409
    code = "4409006"


class NotPending(Refusal):
    """The transaction is decided already."""

    status = 409
    code = "4409007"


class AmbiguousReference(Refusal):
    """Several merchants use the reference; the caller must say whose is meant."""

    status = 409
    code = "4409008"


class BodyTooLarge(Refusal):
    """The body has more bytes than the service reads."""

    status = 413
    code = "4413001"


class UnsupportedMediaType(Refusal):
    """The body is not labelled as JSON."""

    status = 415
    code = "4415001"


class TooManyRequests(Refusal):
    """A fault says that the caller is to slow down."""

    status = 429
    code = "4429001"


class Moved(Refusal):
    """A fault says that the service is elsewhere."""

    status = 307
    code = "4307001"


_RESULT: Final = "GeneralValidationError"
"""The description of a failed result of the wallet button."""


class TokenMissing(Refusal):
    """A payment account is to be created without the wallet's token."""

    status = 400
    description = _RESULT
    code = FaultCode.MISSING_TOKEN


class TokenRefused(Refusal):
    """The token is not what it claims to be: altered, for another gateway, or by an unknown signer."""

    status = 400
    description = _RESULT
    code = "4400010"


class TokenExpired(Refusal):
    """The token, or the key that signed it, has expired."""

    status = 400
    description = _RESULT
    code = "4400011"


class TokenReplayed(Refusal):
    """The token was used for an account before."""

    status = 400
    description = _RESULT
    code = "4400012"


class TokenOfAnotherMerchant(Refusal):
    """The token was made for another merchant."""

    status = 400
    description = _RESULT
    code = "4400013"


class CardNotAccepted(Refusal):
    """The card is of a network, or of a kind, that is not taken."""

    status = 400
    description = _RESULT
    code = "4400014"


class ThreeDSecureRequired(Refusal):
    """An un-tokenized card is to be charged without 3-D Secure."""

    status = 400
    code = "4400015"


class ThreeDSecureNotAllowed(Refusal):
    """A tokenized card comes with 3-D Secure data, which belongs to other cards."""

    status = 400
    code = "4400016"


class ThreeDSecureNotPassed(Refusal):
    """The customer was not authenticated."""

    status = 400
    code = "4400017"


class CryptogramRequired(Refusal):
    """A tokenized card comes without its cryptogram or indicator."""

    status = 400
    code = "4400018"


class CryptogramNotAllowed(Refusal):
    """An un-tokenized card comes with a cryptogram or indicator, which belongs to tokenized ones."""

    status = 400
    code = "4400019"


class CryptogramDiffers(Refusal):
    """The cryptogram or indicator is not the one of this account."""

    status = 400
    code = "4400020"


class ApiKeyRefused(Refusal):
    """There is no API key, or nobody knows it."""

    status = 401
    code = "4401002"


class ApiKeyExpired(Refusal):
    """The API key has expired; a new one is to be asked for."""

    status = 401
    code = "4401003"


class EncryptionKeyRefused(Refusal):
    """The ``encryptionKeyId`` is unknown, or has expired."""

    status = 401
    code = "4401004"


class KeyOfAnother(Refusal):
    """The key was issued to another store."""

    status = 403
    code = "4403004"


class OriginNotRegistered(Refusal):
    """A page of a site that is not registered for the merchant makes a browser call the service."""

    status = 403
    code = "4403005"


class UnknownAccount(Refusal):
    """The store has no such payment account."""

    status = 404
    code = "4404004"


class AccountUsedUp(Refusal):
    """The account was charged before, or is about to be."""

    status = 409
    code = "4409009"


class AuthenticationUsedUp(Refusal):
    """The 3-D Secure page was left before."""

    status = 409
    code = "4409010"


class AuthenticationExpired(Refusal):
    """The time of the 3-D Secure page is over."""

    status = 409
    code = "4409011"
