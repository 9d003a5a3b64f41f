"""The wallet's cards at the gateway: its keys, payment accounts, authorizations with them, and 3-D Secure.

Each kind of card has its own proof of authentication. Interface, section Payment account: "value Card means
`PAN_ONLY` (3DS needed), value Token means tokenized." Refusals never quote the content of a wallet token.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from wallet_gateway.protocol.accounts import (
    CardNetwork,
    CardType,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PaymentAccountResponse,
    PublicKeyResponse,
)
from wallet_gateway.protocol.accounts import PaymentAccount as DescribedAccount
from wallet_gateway.protocol.authorizations import AUTHENTICATED, AuthorizationRequest
from wallet_gateway.protocol.cryptograms import CRYPTOGRAM_PATTERN
from wallet_gateway.protocol.endpoints import PUBLIC_KEY_SCHEME
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.checkouts import URL_NAMES, authorization_details
from wallet_gateway.sandbox.models import (
    Authentication,
    AuthenticationOutcome,
    DuplicatePolicy,
    Merchant,
    Outcome,
    PaymentAccount,
    PublicKey,
    RecordState,
    hash_secret,
)
from wallet_gateway.sandbox.records import (
    NOT_AUTHENTICATED,
    PENDING,
    answer_once,
    change_state,
    decide_request,
    decision_for_outcome,
    outcome_of_amount,
    response_to_request,
    write_record,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext, current_conditions, write_lock
from wallet_gateway.sandbox.tokens import InvalidToken, Reason, key_ring, open_token, read_payload
from wallet_gateway.sandbox.wallet import CRYPTOGRAM_3DS, PAN_ONLY

# Keys are issued, and a wallet token is decrypted once


KEY_LIFETIME: Final = timedelta(hours=1)
"""Lifetime of issued keys, by the sandbox's clock."""


def issue_public_key(context: RequestContext) -> dict[str, Any]:
    """Issue a pair of keys and return the public key response."""
    api_key, encryption_key = f"pk-{secrets.token_urlsafe(24)}", f"ek-{secrets.token_urlsafe(24)}"
    expires_at = (context.conditions.now + KEY_LIFETIME).replace(microsecond=0)
    with write_lock():
        PublicKey.objects.create(
            merchant=context.merchant,
            api_key_hash=hash_secret(api_key),
            encryption_key_hash=hash_secret(encryption_key),
            expires_at=expires_at,
        )
    return PublicKeyResponse.build(
        api_key=api_key, encryption_key=encryption_key, expires_at=expires_at.isoformat()
    ).to_wire()


def check_api_key(merchant: Merchant, api_key: str, *, now: datetime) -> None:
    """Check that a key of this store is valid; raises ``ApiKeyRefused`` or a related refusal."""
    if not api_key:
        raise Refusal("ApiKeyRefused", f"Send the header 'Authorization: {PUBLIC_KEY_SCHEME} <API_KEY>'.")
    key = PublicKey.objects.filter(api_key_hash=hash_secret(api_key)).first()
    if key is None:
        raise Refusal("ApiKeyRefused", "Nobody was issued this API key; ask the public key service for one.")
    if key.merchant_id != merchant.pk:
        raise Refusal("KeyOfAnother", "This API key was issued to another store.")
    if key.expires_at <= now:
        text = f"This API key worked until {key.expires_at.isoformat()}; ask for a new one."
        raise Refusal("ApiKeyExpired", text)


def check_encryption_key(merchant: Merchant, encryption_key: str, *, now: datetime) -> None:
    """Check that an encryption key of this store is valid; raises ``EncryptionKeyRefused``."""
    key = PublicKey.objects.filter(merchant=merchant, encryption_key_hash=hash_secret(encryption_key)).first()
    if key is None or key.expires_at <= now:
        text = "encryptionKeyId is not a working encryption key of this store."
        raise Refusal("EncryptionKeyRefused", text)


_CARD_TYPES: Final = {PAN_ONLY: CardType.CARD, CRYPTOGRAM_3DS: CardType.TOKEN}
_NUMBER: Final = re.compile(r"[0-9]{12,19}")
_CRYPTOGRAM: Final = re.compile(CRYPTOGRAM_PATTERN)
_ECI: Final = re.compile(r"[0-9]{1,2}")
_NETWORKS: Final = (
    (CardNetwork.VISA, re.compile(r"4")),
    (CardNetwork.MASTERCARD, re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720")),
    (CardNetwork.AMEX, re.compile(r"3[47]")),
    (CardNetwork.DISCOVER, re.compile(r"6011|64[4-9]|65")),
    (CardNetwork.JCB, re.compile(r"35(2[89]|[3-8])")),
)


def create_payment_account(context: RequestContext, request: PaymentAccountRequest) -> dict[str, Any]:
    """Create an account from a token and return the wallet result; raises a ``Refusal``."""
    merchant, now = context.merchant, context.conditions.now
    reference, data = request.client_system_transaction_id, request.payment_data
    method, policy = data.payment_method_data, context.conditions.behaviour.duplicates
    # The token's card decides, but the network named beside it must be an accepted one too.
    named = method.info.card_network
    if named and fold_name(named) not in map(fold_name, CardNetwork):
        raise Refusal("CardNotAccepted", f"{quote(named)} is not taken; these are: {', '.join(CardNetwork)}.")
    keys = key_ring.at(now)
    try:
        plaintext = open_token(
            method.tokenization_data.token,
            recipient_id=f"gateway:{merchant.gateway_name}",
            private_keys=keys.private_keys,
            root_keys=keys.root_document,
            now=now,
        )
        account, cryptogram = _read_card(read_payload(plaintext), merchant)
    except InvalidToken as error:
        is_expired = error.reason in {Reason.EXPIRED_MESSAGE, Reason.EXPIRED_INTERMEDIATE_KEY}
        raise Refusal("TokenExpired" if is_expired else "TokenRefused", f"{error}.") from error
    account.reference, account.created_at, eci_indicator = reference, now, account.eci_indicator
    with write_lock():
        earlier = PaymentAccount.objects.filter(
            merchant__merchant_id=merchant.merchant_id, message_hash=account.message_hash
        ).first()
        if earlier is None or policy == DuplicatePolicy.EXECUTE:
            account.save()
        else:
            is_repeated = earlier.merchant_id == merchant.pk and earlier.reference == reference
            if policy == DuplicatePolicy.REJECT or not is_repeated:
                text = "The token was used before; every approval in the wallet makes a new one."
                raise Refusal("TokenReplayed", text)
            account = earlier
    return PaymentAccountResponse(
        client_system_transaction_id=reference,
        transaction_account_id=account.account_id,
        cryptogram=cryptogram or None,
        eci_indicator=eci_indicator or None,
        billing_address=method.info.billing_address,
        shipping_address=data.shipping_address,
        email=data.email,
    ).to_wire()


def describe_payment_account(context: RequestContext, query: PaymentAccountQuery) -> dict[str, Any]:
    """Return the card of an account; raises ``EncryptionKeyRefused`` or ``UnknownAccount``."""
    check_encryption_key(context.merchant, query.encryption_key_id, now=context.conditions.now)
    account = find_account(context.merchant, query.transaction_account_id)
    return DescribedAccount.build(
        transaction_account_id=account.account_id,
        card_type=account.card_type,
        card_network=account.card_network,
        masked_account_number=account.masked_number,
        expiration_month=account.expiration_month,
        expiration_year=account.expiration_year,
    ).to_wire()


def find_account(merchant: Merchant, account_id: str) -> PaymentAccount:
    """Find a store's account; raises ``UnknownAccount``."""
    account = PaymentAccount.objects.filter(merchant=merchant, account_id=account_id).first()
    if account is None:
        raise Refusal("UnknownAccount", f"This store has no payment account {quote(account_id)}.")
    return account


def _read_card(payload: dict[str, Any], merchant: Merchant) -> tuple[PaymentAccount, str]:
    """Return the account of a payload's card, not stored yet, and its cryptogram; raises a ``Refusal``."""
    details = payload.get("paymentMethodDetails")
    if payload.get("paymentMethod") != "CARD" or not isinstance(details, dict):
        raise Refusal("CardNotAccepted", "The token holds no card.")
    number = _text(details, "pan", _NUMBER)
    card_type = _CARD_TYPES.get(str(details.get("authMethod")))
    if card_type is None:
        raise Refusal("CardNotAccepted", f"authMethod must be {PAN_ONLY} or {CRYPTOGRAM_3DS}.")
    message_id, made_for = _text(payload, "messageId"), _text(payload, "gatewayMerchantId")
    network = next((network for network, beginning in _NETWORKS if beginning.match(number)), None)
    if network is None:
        raise Refusal("CardNotAccepted", f"The card must be of one of: {', '.join(CardNetwork)}.")
    tokenized = card_type is CardType.TOKEN
    month = _whole(details, "expirationMonth", 1, 12)
    year = _whole(details, "expirationYear", 2000, 2999)
    cryptogram = _text(details, "cryptogram", _CRYPTOGRAM) if tokenized else ""
    has_eci = tokenized and details.get("eciIndicator") is not None
    account = PaymentAccount(
        merchant=merchant,
        card_type=card_type,
        card_network=network,
        masked_number=f"{'*' * (len(number) - 4)}{number[-4:]}",
        expiration_month=month,
        expiration_year=year,
        cryptogram_hash=hash_secret(cryptogram) if cryptogram else "",
        eci_indicator=_text(details, "eciIndicator", _ECI) if has_eci else "",
        message_hash=hash_secret(message_id),
    )
    if made_for != merchant.merchant_id:
        raise Refusal("TokenOfAnotherMerchant", "The token was made for another merchant.")
    return account, cryptogram


def _text(values: dict[str, Any], name: str, pattern: re.Pattern[str] = re.compile(r".+")) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise Refusal("TokenRefused", f"The payload's {name} is not as it must be.")
    return value


def _whole(values: dict[str, Any], name: str, minimum: int, maximum: int) -> int:
    value = values.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise Refusal("TokenRefused", f"The payload's {name} is not as it must be.")
    return value


# A card is paid with, at once or after 3-D Secure on the gateway's page


PAGE_LIFETIME: Final = timedelta(minutes=15)
"""Lifetime of the 3-D Secure page; a customer who does not return in time has abandoned it."""
_UNDECIDED: Final = ("", AuthenticationOutcome.ABANDONED)


def authorize(context: RequestContext, request: AuthorizationRequest) -> dict[str, Any]:
    """Pay, or start 3-D Secure on the gateway's page, and return the response; raises a ``Refusal``."""
    merchant, now = context.merchant, context.conditions.now

    def execute() -> dict[str, Any]:
        account = find_account(merchant, request.transaction_account_id)
        if account.card_type == CardType.TOKEN:
            _check_cryptogram(account, request)
        else:
            _check_three_d_secure(request)
        # An undocumented state may be a success, so it counts as used.
        used = account.authorizations.exclude(state=RecordState.ERRORED).first()
        if used is not None:
            text = f"The account was used for {quote(used.reference)}, which is {used.state}."
            raise Refusal("AccountUsedUp", text)
        needs_page = account.card_type == CardType.CARD and request.three_d_secure is None
        # A request with a fault mode fails at once, before any 3-D Secure page.
        waits = needs_page and context.fault is None
        record = write_record(
            merchant,
            request.client_system_transaction_id,
            request.type,
            request.money,
            PENDING if waits else decide_request(request.type, request.money, context.fault),
            now=now,
            details=authorization_details(
                request.type, provider=merchant.provider, account_number=account.masked_number
            ),
            account=account,
        )
        response = response_to_request(record, context.conditions.behaviour)
        if waits:
            page = Authentication.objects.create(
                record=record,
                redirect_details=request.redirect_details.to_wire() if request.redirect_details else {},
                expires_at=now + PAGE_LIFETIME,
            )
            response["redirectUrl"] = context.base_url + page.get_absolute_url()
        return response

    return answer_once(context, request, execute)


def _check_cryptogram(account: PaymentAccount, request: AuthorizationRequest) -> None:
    if request.three_d_secure is not None:
        text = "The account is a Token: send its cryptogram, and no threeDSecure."
        raise Refusal("ThreeDSecureNotAllowed", text)
    required = "The account is a Token: send the {} of the wallet result."
    if request.cryptogram is None:
        raise Refusal("CryptogramRequired", required.format("cryptogram"))
    if not account.has_cryptogram(request.cryptogram.get_secret_value()):
        raise Refusal("CryptogramDiffers", "cryptogram is not the one of this account.")
    if account.eci_indicator and request.eci_indicator is None:
        raise Refusal("CryptogramRequired", required.format("eciIndicator"))
    given = request.eci_indicator.get_secret_value() if request.eci_indicator else ""
    if bool(given) != bool(account.eci_indicator) or given.zfill(2) != account.eci_indicator.zfill(2):
        raise Refusal("CryptogramDiffers", "eciIndicator is not the one of this account.")


def _check_three_d_secure(request: AuthorizationRequest) -> None:
    if request.cryptogram is not None or request.eci_indicator is not None:
        text = "The account is a Card: send no cryptogram and no eciIndicator."
        raise Refusal("CryptogramNotAllowed", text)
    proof = request.three_d_secure
    if proof is None and request.redirect_details is None:
        raise Refusal("ThreeDSecureRequired", "The account is a Card: send threeDSecure, or redirectDetails.")
    if proof is not None and proof.transaction_status not in AUTHENTICATED:
        text = f"threeDSecure.transactionStatus is {proof.transaction_status}; only Y and A are paid."
        raise Refusal("ThreeDSecureNotPassed", text)


def decide_authentication(
    authentication: Authentication, outcome: AuthenticationOutcome | str, *, by_hand: bool = True
) -> str:
    """Apply the customer's decision and return the URL of the shop to which the browser is redirected.

    An abandoned page leaves the payment pending until it expires. With ``by_hand`` a person pressed the
    button, and a special amount determines the outcome. Raises ``AuthenticationUsedUp`` or
    ``AuthenticationExpired``.
    """
    outcome = AuthenticationOutcome(outcome)
    with write_lock():
        authentication.refresh_from_db()
        now = current_conditions().now
        check_authentication_open(authentication, now=now)
        record = authentication.record
        if outcome is AuthenticationOutcome.SUCCESS:
            paid = outcome_of_amount(record.amount) if by_hand else Outcome.SUCCESS
            decision, url_name = decision_for_outcome(record.type, paid), URL_NAMES[paid]
        elif outcome is AuthenticationOutcome.FAILED:
            decision, url_name = NOT_AUTHENTICATED, "refusedUrl"
        else:
            decision, url_name = PENDING, "cancelUrl"
        authentication.decided_outcome = outcome
        authentication.save(update_fields=["decided_outcome"])
        if decision is not PENDING:
            change_state(record, decision, now=now)
    location: str = authentication.redirect_details[url_name]
    return location


def check_authentication_open(authentication: Authentication, *, now: datetime) -> None:
    """Check that the page is still open; raises ``AuthenticationUsedUp`` or ``AuthenticationExpired``."""
    record = authentication.record
    name = f"3-D Secure page of {quote(record.reference)}"
    if authentication.expires_at <= now:
        raise Refusal(
            "AuthenticationExpired", f"The {name} ended at {authentication.expires_at.isoformat()}."
        )
    if authentication.decided_outcome or record.state != RecordState.PENDING:
        raise Refusal("AuthenticationUsedUp", f"The {name} was left: the payment is {record.state}.")


def expired_authentications(now: datetime) -> QuerySet[Authentication]:
    """Return the pages that have expired and whose payment waits for the customer, the oldest first."""
    waiting = Authentication.objects.filter(record__state=RecordState.PENDING, decided_outcome__in=_UNDECIDED)
    return waiting.filter(expires_at__lte=now).select_related("record").order_by("expires_at", "pk")
