"""What the settings say that a gateway requires of an order: one of its currencies, and a billing address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.protocol.checkout import BillingAddress
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.wire import MISSING


def check_requirements(
    content: Mapping[str, Any], *, currency: str, gateway: str, policy: GatewayPolicy
) -> None:
    """Check the content of a new order, in wire format; raise `InvalidInput`."""
    if policy.currencies is not None and currency not in policy.currencies:
        known = ", ".join(sorted(policy.currencies))
        raise InvalidInput(
            _("Gateway %(gateway)s takes no %(currency)s. The settings allow: %(known)s."),
            gateway=gateway,
            currency=currency,
            known=known,
        )
    if policy.billing_address_required:
        check_billing_address(content)


def check_billing_address(content: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for content without a billing address.

    An address that is given is complete, because the order could not be created otherwise.
    """
    if not content.get("addressDetails", {}).get("billingAddress"):
        missing = [
            FieldError(path=f"billing_address.{name}", message=MISSING)
            for name, field in BillingAddress.model_fields.items()
            if field.is_required()
        ]
        raise InvalidInput(
            _("The gateway requires a billing address. %(problems)s"),
            ErrorCode.FIELDS_INVALID,
            errors=missing,
        )
