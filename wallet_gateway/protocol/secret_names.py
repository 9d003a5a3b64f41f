"""Which fields hold what nobody may keep, by their names: the interface's, a wallet's and a card's. Pure."""

from __future__ import annotations

import re

from wallet_gateway.protocol.strict_json import fold_name

SECRET = re.compile(
    r"cryptogram|apikey|encryptionkey|privatekey|authori[sz]ation|authenticationvalue|secret|password"
    r"|token$|tokenizationdata|paymentdata|(encrypted|signed)message|signature|security(code|number)"
    r"|cv[cvn]2?(code|number|value)?$|cardverification|(cavv|ucaf|track[12]?)(data|value)?$|^pin$|^eci|national"
)
"""Found in the `plain_name` of each field whose value is never stored, logged or shown."""


def plain_name(name: str) -> str:
    """Return a field's name in small letters without separators, as names are compared."""
    return fold_name(name).replace("_", "").replace("-", "")
