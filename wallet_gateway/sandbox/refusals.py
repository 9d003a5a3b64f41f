"""The refusals: every reason to refuse a request, with its HTTP status and fault code.

The interface names two codes, ``4107940`` and ``4000340``: "The same code value `4107940` is used for both
the refund-limit and the schema-validation errors." All other codes are the sandbox's own: a 4, the HTTP
status and a number. A message begins with the reason, as the interface's own messages do, so renaming a
reason changes the wire.
"""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.faults import FaultCode, error_body

REASONS: Final[dict[str, tuple[int, str]]] = {
    "Moved": (307, "4307001"),  # set by a fault
    "SchemaValidationError": (400, FaultCode.VALIDATION),  # the message names every invalid path
    "RefundAmountExceeded": (400, FaultCode.VALIDATION),  # the message states the four amounts
    "CaptureAmountExceeded": (400, "4400001"),  # more than is authorized and not yet captured
    "CurrencyDiffers": (400, "4400002"),  # a follow-up is in another currency than its original
    "ReversalNotWhole": (400, "4400003"),  # the amount is not the authorized amount
    "InvalidCall": (400, "4400004"),  # a control call cannot be read or cannot be executed
    "TokenMissing": (400, FaultCode.MISSING_TOKEN),
    "TokenRefused": (400, "4400010"),  # altered, for another gateway, or signed by an unknown key
    "TokenExpired": (400, "4400011"),  # the token or its signing key
    "TokenReplayed": (400, "4400012"),  # an account was created with it
    "TokenOfAnotherMerchant": (400, "4400013"),
    "CardNotAccepted": (400, "4400014"),  # its network or kind
    "ThreeDSecureRequired": (400, "4400015"),  # for an un-tokenized card
    "ThreeDSecureNotAllowed": (400, "4400016"),  # for a tokenized card
    "ThreeDSecureNotPassed": (400, "4400017"),
    "CryptogramRequired": (400, "4400018"),  # or the ECI, for a tokenized card
    "CryptogramNotAllowed": (400, "4400019"),  # nor the ECI, for an un-tokenized card
    "CryptogramDiffers": (400, "4400020"),  # it, or the ECI, is not the account's
    "KeyMissing": (401, "4401001"),  # the control key
    "ApiKeyRefused": (401, "4401002"),  # missing or unknown
    "ApiKeyExpired": (401, "4401003"),
    "EncryptionKeyRefused": (401, "4401004"),  # unknown or expired
    "StrangerRefused": (403, "4403001"),  # there is no control key, and the caller is on another machine
    "ForeignPage": (403, "4403002"),  # a browser calls for a page of another site
    "UnknownMerchant": (403, "4403003"),  # or store, or user
    "KeyOfAnother": (403, "4403004"),  # issued to another store
    "OriginNotRegistered": (403, "4403005"),  # the calling page's, for the merchant
    "UnknownPath": (404, "4404001"),
    "UnknownOriginal": (404, "4404002"),  # the transaction to act on
    "UnknownReference": (404, "4404003"),  # in a control call
    "UnknownAccount": (404, "4404004"),
    "MethodNotAllowed": (405, "4405001"),
    "ReferenceAlreadyUsed": (409, "4409001"),  # the clientSystemTransactionId, for another request
    "OriginalNotApproved": (409, "4409002"),  # or reversed
    "NothingToCapture": (409, "4409003"),  # the original is a sale, or reversed
    "AlreadyCaptured": (409, "4409004"),  # so it can only be refunded, not reversed
    "CheckoutUsedUp": (409, "4409005"),
    "CheckoutExpired": (409, "4409006"),
    "NotPending": (409, "4409007"),
    "AmbiguousReference": (409, "4409008"),  # several merchants use it; the caller must name one
    "AccountUsedUp": (409, "4409009"),  # charged, or a charge is pending
    "AuthenticationUsedUp": (409, "4409010"),
    "AuthenticationExpired": (409, "4409011"),
    "BodyTooLarge": (413, "4413001"),
    "UnsupportedMediaType": (415, "4415001"),
    "TooManyRequests": (429, "4429001"),  # set by a fault
}
"""HTTP status and fault code of each reason."""

_OF_A_WALLET_RESULT: Final = frozenset(
    {
        "TokenMissing",
        "TokenRefused",
        "TokenExpired",
        "TokenReplayed",
        "TokenOfAnotherMerchant",
        "CardNotAccepted",
    }
)


class Refusal(ValueError):
    """A request is refused for one of the ``REASONS``; it changes nothing and stores nothing.

    Where a docstring says that a function raises ``NotPending``, it raises a refusal for this reason.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(f"{reason}: {text}")
        self.reason = reason
        self.status, self.code = REASONS[reason]

    def to_wire(self) -> dict[str, Any]:
        """Return the error body (interface, section Error response) in wire form."""
        description = "GeneralValidationError" if self.reason in _OF_A_WALLET_RESULT else None
        return error_body(self.code, str(self)).model_copy(update={"description": description}).to_wire()
