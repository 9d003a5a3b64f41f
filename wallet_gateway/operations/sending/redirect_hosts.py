"""Where a customer may be sent: pages of the gateway on hosts that the settings allow, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import Finding, Verdict
from wallet_gateway.operations.context import GatewayContext


def is_allowed_page(url: str, context: GatewayContext) -> bool:
    """Say whether an address that the gateway named is one to send a customer to."""
    schemes: Sequence[str] = ("https", "http") if context.policy.allow_plain_http else ("https",)
    scheme, host = _split(url)
    return scheme in schemes and host in context.policy.redirect_hosts


def unexpected_host(url: str, *, verdict: Verdict = Verdict.NO_NEWS, record_id: str = "") -> Finding:
    """Return the finding that the gateway named a page on a host that is not allowed."""
    host = _split(url)[1][:100]
    detail = f"payment page on host {host!r}, which is not among the allowed ones"
    kind = DiscrepancyKind.UNEXPECTED_HOST
    return Finding(verdict=verdict, record_id=record_id, discrepancy=kind, detail=detail)


def _split(url: str) -> tuple[str, str]:
    """Return scheme and host of an address, both empty where it is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower()
