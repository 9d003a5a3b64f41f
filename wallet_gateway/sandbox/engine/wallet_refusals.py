"""Why the gateway refuses what the wallet button asks for. Codes are made as ``refusals`` says."""

from __future__ import annotations

from typing import Final

from wallet_gateway.protocol.faults import FaultCode
from wallet_gateway.sandbox.engine.refusals import Refusal

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
