"""Masking what must not be seen again: secrets and card numbers, before anything is stored or shown."""

from __future__ import annotations

import re
from typing import Final

from wallet_gateway.protocol.strict_json import JsonValue, fold_name

MASK: Final = "[masked]"

SECRET_NAMES: Final = frozenset(
    {
        "apikey",
        "authenticationvalue",
        "authorization",
        "cryptogram",
        "encryptedmessage",
        "encryptionkey",
        "encryptionkeyid",
        "paymentdata",
        "publicapikey",
        "signedmessage",
        "token",
    }
)
"""Names, in lower case, of fields whose value is never kept."""

_REFERENCE_NAMES: Final = frozenset(
    {"clientsystemtransactionid", "clientsysteminvoiceid", "parenttransactionid", "id"}
)
"""Names of fields that may be long numbers without being a card's."""

# Card numbers have 12 to 19 digits, with or without blanks and hyphens between them.
_CARD_NUMBER: Final = re.compile(r"(?<![\w-])\d(?:[ -]?\d){11,18}(?![\w-])")
_ANY_SECRET: Final = "|".join(sorted(SECRET_NAMES))
_SECRET_PARAMETER: Final = re.compile(rf"((?:{_ANY_SECRET})=)[^&]*", re.IGNORECASE)
# A secret that is an object has no end in broken text, so everything after it goes too.
_SECRET_PAIR: Final = re.compile(
    rf'("(?:{_ANY_SECRET})"\s*:\s*)("(?:[^"\\]|\\.)*"?|[{{\[].*|[^,}}\]\s]+)', re.IGNORECASE | re.DOTALL
)


def mask(value: JsonValue, name: str = "") -> JsonValue:
    """Give a JSON value with its secrets replaced; ``name`` is the field it stands in."""
    folded = fold_name(name)
    if folded in SECRET_NAMES:
        return MASK
    if isinstance(value, dict):
        return {key: mask(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [mask(part, name) for part in value]
    if not isinstance(value, str) or folded in _REFERENCE_NAMES:
        return value
    return _mask_card_numbers(value)


def mask_text(text: str) -> str:
    """Do the same for text that is no JSON, as well as text allows."""
    return _mask_card_numbers(_SECRET_PAIR.sub(rf'\1"{MASK}"', text))


def mask_path(path: str) -> str:
    """Give a path with the secrets of its query replaced."""
    return _SECRET_PARAMETER.sub(rf"\1{MASK}", path)


def _mask_card_numbers(text: str) -> str:
    if len(text) < 12 or not _CARD_NUMBER.search(text):
        return text
    return _CARD_NUMBER.sub(_mask_digits, text)


def _mask_digits(found: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", found[0])
    return f"{'*' * (len(digits) - 4)}{digits[-4:]}" if _passes_luhn(digits) else found[0]


def _passes_luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0
