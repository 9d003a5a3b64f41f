"""Look up the card of a wallet result, determine its authentication requirement, and build its request.

Only the gateway's answer decides which card it is. Queries may be repeated; nothing here moves money.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, Refused
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.card_security import (
    AuthenticationRequirement,
    CardMismatch,
    duty_of,
    why_not_charge,
)
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import CardRefused, TryAgain
from wallet_gateway.operations.wallet.hooks import AuthenticationQuestion
from wallet_gateway.operations.wallet.keys import PublicKey, note_if_refused, opened
from wallet_gateway.operations.wallet.result import as_report
from wallet_gateway.operations.wallet.retries import retry_read
from wallet_gateway.protocol.accounts import PaymentAccount, WalletResult
from wallet_gateway.protocol.authorizations import AuthorizationRequest, ThreeDSecure
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.wallet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A wallet result and the gateway's data of its card; `repr` shows none of it."""

    result: WalletResult = field(repr=False)
    account: PaymentAccount = field(repr=False)
    key: PublicKey = field(repr=False)

    @property
    def network(self) -> str:
        """Return the card's network in upper case; empty if the gateway does not name it."""
        return (self.account.card_network or "").strip().upper()

    @property
    def last_four(self) -> str:
        """Return the last four digits of the card's masked number, or those that the gateway shows."""
        digits = [c for c in self.account.masked_account_number or "" if c.isdigit() and c.isascii()]
        return "".join(digits[-4:])


def look_up(transaction: GatewayTransaction, result: WalletResult, context: GatewayContext) -> Card:
    """Query the gateway for the card of a result; this moves no money, so it is retried."""
    key = opened(transaction.wallet.key, context)
    account_id = result.transaction_account_id

    def read() -> Answer[PaymentAccount]:
        return context.gateway.payment_account(
            account_id, api_key=key.api_key, encryption_key=key.encryption_key
        )

    try:
        account = retry_read(read, context=context)
    except GatewayError as error:
        note_if_refused(key.row, error, context=context)
        if isinstance(error, Refused) and error.http_status == HTTPStatus.NOT_FOUND:
            # The page has named an account that there is not: the words of the answer repeat the page's own.
            logger.warning("the gateway knows no account as that of %s", transaction.reference)
            raise CardRefused(
                _("The gateway does not know this card. Nothing was charged. Take another card.")
            ) from None
        # The gateway may echo the account id, and a page may have put a card secret there.
        fault = one_line(as_report(str(error)))
        logger.error("the account of %s could not be asked about: %s", transaction.reference, fault)
        # Without the cause: its frames contain the request.
        raise TryAgain(
            _("The gateway did not say which card it is. Nothing was charged. Try again.")
        ) from None
    if account.transaction_account_id not in {None, account_id}:
        logger.error("the gateway named another account than that of %s", transaction.reference)
        raise TryAgain(_("The gateway named another card. Nothing was charged. Try again."))
    return Card(result=result, account=account, key=key)


def request_for(
    order: PaymentOrder,
    transaction: GatewayTransaction,
    card: Card,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
) -> AuthorizationRequest:
    """Return the request that charges the price of the sheet, with the authentication the card requires.

    Raises `CardRefused` if the card may not be charged.
    """
    result, account = card.result, context.gateway.account
    duty = _duty(card, context)
    amount = Money.from_minor_units(transaction.wallet.price["total"], order.currency)
    proof: dict[str, object]
    if duty is AuthenticationRequirement.NOTHING:
        proof = {"cryptogram": result.cryptogram, "eci_indicator": result.eci_indicator}
    elif duty is AuthenticationRequirement.REDIRECT:
        proof = {"redirect_details": return_urls(transaction.reference)}
    else:
        proof = {"three_d_secure": _authenticated(order, transaction, card, amount, context)}
    return AuthorizationRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=wire_type(TransactionKind.AUTHORIZATION, order.type),
        amount=amount.to_wire(),
        currency_code=order.currency,
        client_system_transaction_id=transaction.reference,
        transaction_account_id=result.transaction_account_id,
        **proof,
    )


def _duty(card: Card, context: GatewayContext) -> AuthenticationRequirement:
    # The interface names no field for the network; the sheet offered only cards of those that are accepted.
    if context.wallet is None or card.network not in {"", *context.wallet.card_networks}:
        raise CardRefused(_("Cards of this network are not accepted."))
    try:
        return duty_of(
            card.account.card_type,
            has_cryptogram=card.result.cryptogram is not None,
            external=context.authenticate is not None,
        )
    except CardMismatch as error:
        raise CardRefused(str(error)) from None


def _authenticated(
    order: PaymentOrder, transaction: GatewayTransaction, card: Card, amount: Money, context: GatewayContext
) -> ThreeDSecure:
    """Call the shop's own 3-D Secure function; raise `CardRefused` unless its result is sufficient."""
    assert context.authenticate is not None  # noqa: S101 - the authentication requirement implies it
    assert context.wallet is not None  # noqa: S101 - as above
    question = AuthenticationQuestion(
        order=order,
        reference=transaction.reference,
        account_id=card.result.transaction_account_id,
        amount=amount,
        card_network=card.network,
        card_last_four=card.last_four,
    )
    answer = context.authenticate(question)
    if answer is None:
        raise CardRefused(
            _("3-D Secure failed: the customer was not authenticated."), ErrorCode.THREE_DS_FAILED
        )
    proof = answer if isinstance(answer, ThreeDSecure) else _read_proof(answer)
    why = why_not_charge(
        proof, network=card.network, accept_unauthenticated=context.wallet.accept_unauthenticated
    )
    if why is not None:
        status = proof.transaction_status.value
        network = card.network[:20]
        raise CardRefused(why, ErrorCode.THREE_DS_FAILED, status=status, eci=proof.eci, network=network)
    return proof


def _read_proof(answer: Mapping[str, object]) -> ThreeDSecure:
    try:
        return ThreeDSecure.from_wire(answer)
    except InvalidMessage as error:
        paths = ", ".join(sorted(fault.path for fault in error.errors))
    raise CardRefused(
        _("The shop's 3-D Secure function returned an invalid result. Wrong fields: %(fields)s."),
        ErrorCode.THREE_DS_FAILED,
        fields=paths,
    )
