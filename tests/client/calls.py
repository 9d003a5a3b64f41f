"""One call of every method of the gateway, with an answer that suits it."""

from __future__ import annotations

from collections.abc import Callable

from wallet_gateway.client.exchange import Answer, MerchantAccount
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.authorizations import AuthorizationRequest, AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutType
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest, FollowUpType

ACCOUNT = MerchantAccount(merchant_id="M-1", store_id="S-1", user_id="user-1", provider="ExampleWalletV2")
SHOP = "https://shop.example/wallet/return/secret-token"
COMMON = {
    "merchant_id": "M-1",
    "store_id": "S-1",
    "user_id": "user-1",
    "amount": "10.00",
    "currency_code": "EUR",
}
CHECKOUT = CheckoutRequest.build(
    **COMMON,
    type=CheckoutType.SALE,
    client_system_transaction_id="order-1",
    checkout_details={"payment_method": "ExampleWalletV2", "cardholder_email": "jane.doe@mail.example"},
    redirect_details=dict.fromkeys(
        ("return_url", "success_url", "pending_url", "error_url", "cancel_url", "refused_url"), SHOP
    ),
)
CAPTURE = FollowUpRequest.build(
    **COMMON,
    type=FollowUpType.CAPTURE,
    client_system_transaction_id="capture-1",
    client_system_invoice_id="order-1",
    apm_details={"apm_provider": "ExampleWalletV2"},
)
DETACHED = DetachedRefundRequest.build(
    **COMMON,
    type="detached.refund",
    client_system_transaction_id="refund-1",
    parent_transaction_id="old-1",
    apm_details={"apm_provider": "ExampleWalletV2"},
)
API_KEY, ENCRYPTION_KEY, CRYPTOGRAM = "api-key-5f1e", "encryption-key-77", "QUJDREVGR0hJSktMTU5PUFFSU1Q="
AUTHORIZATION = AuthorizationRequest.build(
    **COMMON,
    type=AuthorizationType.SALE,
    client_system_transaction_id="order-1",
    transaction_account_id="account-4711",
    cryptogram=CRYPTOGRAM,
    eci_indicator="05",
)
PAGE = b'{"RedirectUrl": "https://gateway.example/c/token"}'
CAPTURED = (
    b'{"id": "g-1", "state": "Approved", "clientSystemTransactionId": "capture-1", "currencyCode": "EUR"}'
)
REFUNDED = (
    b'{"state": "Approved", "amount": "7.50", "currencyCode": "EUR", "apmDetails": {"apmProviderName": "W"}}'
)
RECORDS = (
    b'[{"id": "g-1", "state": "Approved", "currencyCode": "EUR", "transactionAmount": 10.00,'
    b' "clientSystemTransactionId": "order-1", "type": "ecom.sale",'
    b' "transactionDateTime": "2026-01-01T10:00:00.1234567",'
    b' "apmDetails": {"apmPayerEmailAddress": "jane.doe@mail.example"}}]'
)
KEYS = (
    b'{"apiKey": "api-key-5f1e", "encryptionKey": "encryption-key-77", "expiresAt": "2026-01-01T10:00:00Z"}'
)
PAYMENT_ACCOUNT = (
    b'{"transactionAccountId": "account-4711", "cardType": "Token", "cardNetwork": "VISA",'
    b' "maskedAccountNumber": "************1111", "expirationMonth": 12, "expirationYear": 2030}'
)
AUTHORIZED = (
    b'{"id": "g-1", "state": "Approved", "clientSystemTransactionId": "order-1", "currencyCode": "EUR"}'
)
ERROR = b'{"code": "4107940", "details": {"message": "SchemaValidationError: amount"}}'

Call = Callable[[Gateway], Answer[object]]
CALLS: dict[str, tuple[Call, bytes]] = {
    "checkout": (lambda gateway: gateway.checkout(CHECKOUT), PAGE),
    "follow_up": (lambda gateway: gateway.follow_up(CAPTURE), CAPTURED),
    "detached_refund": (lambda gateway: gateway.detached_refund(DETACHED), REFUNDED),
    "public_key": (lambda gateway: gateway.public_key(), KEYS),
    "payment_account": (
        lambda gateway: gateway.payment_account(
            "account-4711", api_key=API_KEY, encryption_key=ENCRYPTION_KEY
        ),
        PAYMENT_ACCOUNT,
    ),
    "authorize": (lambda gateway: gateway.authorize(AUTHORIZATION, api_key=API_KEY), AUTHORIZED),
    "status": (lambda gateway: gateway.status("order-1"), RECORDS),
}
