"""The accounts of the shop under chaos: one for each combination of settings that decides about money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl


@dataclass(frozen=True, slots=True, kw_only=True)
class Merchant:
    """A merchant account, with the options of its gateway."""

    settings: dict[str, Any]

    @property
    def named(self) -> dict[str, str]:
        """The account as keyword arguments of the sandbox's control calls."""
        return {"merchant_id": self.settings["MERCHANT_ID"], "store_id": self.settings["STORE_ID"]}


def _merchant(name: str, **options: Any) -> Merchant:
    account = {"MERCHANT_ID": f"CHAOS-{name}", "STORE_ID": f"CHAOS-{name}-STORE", "USER_ID": "sandbox-user"}
    return Merchant(settings=BUILT_IN_MERCHANT | account | options)


MERCHANTS: Final = {
    "default": Merchant(settings=dict(BUILT_IN_MERCHANT)),
    "booking": _merchant("BOOKING", BOOK_ELSEWHERE="book", LATE_PAYMENT="accept"),
    "sharing": _merchant("SHARING", SHARES_REFERENCES=True),
}
"""By the alias of the gateway in the settings."""


def add_merchants(control: SandboxControl) -> None:
    """Let every account use the sandbox."""
    for merchant in MERCHANTS.values():
        given = merchant.settings
        control.add_merchant(
            merchant_id=given["MERCHANT_ID"],
            store_id=given["STORE_ID"],
            user_id=given["USER_ID"],
            provider=given["PROVIDER"],
        )
