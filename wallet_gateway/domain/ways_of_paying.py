"""How customers pay: on the gateway's hosted page, or by the wallet button on the shop's own page. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from wallet_gateway.domain.states import TransactionKind


class Way(StrEnum):
    """How a customer pays."""

    HOSTED_PAGE = "HOSTED_PAGE"
    WALLET_BUTTON = "WALLET_BUTTON"


WAY_OF: Mapping[TransactionKind, Way] = MappingProxyType(
    {TransactionKind.CHECKOUT: Way.HOSTED_PAGE, TransactionKind.AUTHORIZATION: Way.WALLET_BUTTON}
)
"""By the kind of the transaction that opens the payment."""
