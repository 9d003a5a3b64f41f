"""Check redirect URLs: a customer may only be sent to gateway pages on hosts that the settings allow."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import Finding, Verdict
from wallet_gateway.operations.context import GatewayContext


def is_allowed_page(url: str, context: GatewayContext) -> bool:
    """Return whether a customer may be sent to a URL from the gateway."""
    schemes: Sequence[str] = ("https", "http") if context.policy.allow_plain_http else ("https",)
    scheme, host = _split(url)
    return scheme in schemes and host in context.policy.redirect_hosts


def unexpected_host(url: str, *, verdict: Verdict = Verdict.NO_NEWS, record_id: str = "") -> Finding:
    """Return the finding for a gateway page on a host that is not allowed."""
    host = host_of(url)
    detail = f"payment page on host {host!r}, which is not among the allowed ones"
    kind = DiscrepancyKind.UNEXPECTED_HOST
    return Finding(verdict=verdict, record_id=record_id, discrepancy=kind, detail=detail)


def host_of(url: str) -> str:
    """Return the host of a URL, cut to 100 characters; empty if the URL is invalid."""
    return _split(url)[1][:100]


def _split(url: str) -> tuple[str, str]:
    """Return the scheme and host of a URL, both empty if the URL is invalid."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower()
