"""Tell a developer, once, that customers come back to another address than the one the shop is looked at.

While `DEBUG` is on and nothing is set, the return address is a guess. With `runserver 8080` it is wrong, and
a customer who has paid stands on a page that refuses to connect.
"""

from __future__ import annotations

import logging

from django.http import HttpRequest

from wallet_gateway import conf

logger = logging.getLogger("wallet_gateway.checkout")

_told: set[str] = set()
"""The addresses of this process's requests that were told already."""


def warn_of_other_origin(request: HttpRequest) -> None:
    """Log once at level WARNING that a request came to another origin than the one assumed."""
    if not conf.is_origin_assumed():
        return
    seen, assumed = f"{request.scheme}://{request.get_host()}", conf.settings().public_origin
    if seen != assumed and seen not in _told:
        _told.add(seen)
        logger.warning(
            "this page was opened at %s, but a customer who has paid comes back to %s: start the shop there, "
            "or set WALLET_GATEWAY['PUBLIC_ORIGIN'] to %r, and with it GATEWAYS",
            seen,
            assumed,
            seen,
        )
