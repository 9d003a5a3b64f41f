"""Probes of wallet.js, the script that the merchant's payment page imports. It is read, and not run."""

from __future__ import annotations

from urllib.parse import urljoin

from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped

_SECTION = "Browser script interface"
_USUAL = ("/wallet.js", "/wallet/wallet.js", "/static/wallet_gateway/wallet.js")


def _script(gateway: Gateway) -> tuple[str, Answer]:
    """Return the address and content of the script; raises Skipped where it cannot be found."""
    return gateway.once("wallet.js", lambda: _find(gateway))


def _find(gateway: Gateway) -> tuple[str, Answer]:
    base_url, named = gateway.wire.base_url, gateway.account.wallet_js
    for url in (named,) if named else [f"{base_url}{path}" for path in _USUAL]:
        answer = gateway.wire.fetch(url)
        if answer.status == 200 and answer.content_type != "text/html":
            return url, answer
    raise Skipped("wallet.js is at none of the usual addresses; name yours in the account file, as walletJs")


@probe("script.type", section=_SECTION)
def its_type(gateway: Gateway) -> None:
    """wallet.js is served as JavaScript."""
    _, answer = _script(gateway)
    if "javascript" not in answer.content_type:
        raise Failed(f"it is served as {answer.content_type or 'nothing'}")


@probe("script.version", section="Versioning")
def cache_busting(gateway: Gateway) -> None:
    """wallet.js is served with a v parameter, too: "the script file is cache-busted"."""
    url, _ = _script(gateway)
    answer = gateway.wire.fetch(urljoin(url, "?v=kit"))
    if answer.status != 200:
        raise Failed(f"with v it answers {answer}")


@probe("script.entry", section=_SECTION)
def its_entry(gateway: Gateway) -> None:
    """wallet.js names runWalletPay."""
    _, answer = _script(gateway)
    if b"runWalletPay" not in answer.body:
        raise Failed("runWalletPay is not in it")
