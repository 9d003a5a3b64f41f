"""An operation's refusal as admin pages show it, in the reader's language."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _

from wallet_gateway.payments.errors import OperationError
from wallet_gateway.protocol.text import visible


def refusal_text(error: OperationError | ImproperlyConfigured, *, gateway: str) -> str:
    """Return why nothing was done; name the gateway whose settings are missing or wrong."""
    if isinstance(error, OperationError):
        return visible(error.message)
    words = _("Gateway %(gateway)s is not in the settings, or its settings are wrong. Nothing was done.")
    return words % {"gateway": visible(gateway)}
