"""What the operations are given, made from the settings: one context for each gateway, and the return URLs.

No verbs here; `payments` and the sweep pass these on.
"""

from __future__ import annotations

from django.urls import reverse
from django.utils.module_loading import import_string

from wallet_gateway import conf, return_tokens, wiring
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.wallet.encryption import WalletCipher
from wallet_gateway.protocol.checkout import RedirectDetails
from wallet_gateway.return_tokens import ReturnOutcome

_PLACE = "-token-"
_contexts: dict[str, GatewayContext] = {}


def context_of(alias: str) -> GatewayContext:
    """Return the gateway of an alias with its policy and the clock; one for each process."""
    gateway, known = wiring.gateway(alias), _contexts.get(alias)
    if known is not None and known.gateway is gateway:
        return known
    # Made anew whenever the settings, and so the client, have changed.
    given = conf.gateway_settings(alias)
    context = GatewayContext(
        alias=alias,
        gateway=gateway,
        policy=given.policy,
        clock=wiring.clock(),
        wallet=given.wallet,
        cipher=cipher(),
        price=import_string(given.pricing) if given.pricing else None,
        for_order=import_string(given.for_order) if given.for_order else None,
        authenticate=import_string(given.authenticator) if given.authenticator else None,
    )
    _contexts[alias] = context
    return context


def cipher() -> WalletCipher | None:
    """Return the cipher of secrets at rest; None where the settings have no keys, and so no wallet."""
    keys = conf.settings().fernet_keys
    return WalletCipher(keys) if keys else None


def return_urls(reference: str) -> RedirectDetails:
    """Return the six absolute URLs by which a customer comes back from one attempt to pay."""
    before, _, after = _return_address().rpartition(_PLACE)

    def url(outcome: ReturnOutcome) -> str:
        return before + return_tokens.sign(reference, outcome) + after

    return RedirectDetails.build(
        return_url=url(ReturnOutcome.RETURN),
        success_url=url(ReturnOutcome.SUCCESS),
        pending_url=url(ReturnOutcome.PENDING),
        error_url=url(ReturnOutcome.ERROR),
        cancel_url=url(ReturnOutcome.CANCEL),
        refused_url=url(ReturnOutcome.REFUSED),
    )


def _return_address() -> str:
    """Return the absolute URL of a return with a place for its token: it is looked up once for all six."""
    return conf.settings().public_origin + reverse("wallet_gateway:return", args=[_PLACE])
