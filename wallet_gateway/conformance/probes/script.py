"""Probes of wallet.js, the script that the merchant's payment page imports. It is read, and not run."""

from __future__ import annotations

from urllib.parse import urljoin

from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.registry import Area
from wallet_gateway.conformance.results import Failed, Skipped
from wallet_gateway.conformance.wire import fetch

area = Area("script")
_SECTION = "Browser script interface"
_USUAL = ("/wallet.js", "/wallet/wallet.js", "/static/wallet_gateway/wallet.js")


def _script(gateway: Gateway) -> tuple[str, Answer]:
    """Return the address and content of the script; raises Skipped where it cannot be found."""
    return gateway.once("wallet.js", lambda: _find(gateway))


def _find(gateway: Gateway) -> tuple[str, Answer]:
    named = gateway.account.wallet_js
    for path in (named,) if named else _USUAL:
        answer = fetch(named, tls=gateway.account.tls()) if named else gateway.wire.send("GET", path)
        if answer.status == 200 and answer.content_type != "text/html":
            return path, answer
    raise Skipped("wallet.js is at none of the usual addresses; name yours in the account file, as walletJs")


@area.probe("type", section=_SECTION)
def its_type(gateway: Gateway) -> None:
    """wallet.js is served as JavaScript."""
    _, answer = _script(gateway)
    if "javascript" not in answer.content_type:
        raise Failed(f"it is served as {answer.content_type or 'nothing'}")


@area.probe("version", section="Versioning")
def cache_busting(gateway: Gateway) -> None:
    """wallet.js is served with a v parameter, too: "the script file is cache-busted"."""
    path, _ = _script(gateway)
    if path == gateway.account.wallet_js:
        answer = fetch(urljoin(path, "?v=kit"), tls=gateway.account.tls())
    else:
        answer = gateway.wire.send("GET", path, query={"v": "kit"})
    if answer.status != 200:
        raise Failed(f"with v it answers {answer}")


@area.probe("entry", section=_SECTION)
def its_entry(gateway: Gateway) -> None:
    """wallet.js names runWalletPay."""
    _, answer = _script(gateway)
    if b"runWalletPay" not in answer.body:
        raise Failed("runWalletPay is not in it")
