"""The test suite's gateway without a wallet button: customers are sent to the gateway's page at once."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.settings import WALLET_GATEWAY as WITH_BUTTON

WALLET_GATEWAY: dict[str, Any] = deepcopy(WITH_BUTTON)
del WALLET_GATEWAY["GATEWAYS"]["default"]["WALLET"]
