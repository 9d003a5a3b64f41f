"""Billing addresses of shops that keep street and house number in one line, as the interface wants them."""

from __future__ import annotations

from wallet_gateway.protocol.codes import alpha_3_country
from wallet_gateway.protocol.errors import UnknownCode


def postal_address(*, line: str, city: str, postcode: str, country: str) -> dict[str, str] | None:
    """Return a billing address for `payments.create_order`, or None: all its parts are mandatory.

    The house number is the first or last word of `line` that has a digit; `country` is an alpha-2 code.
    """
    words = line.split()
    places = [place for place in (len(words) - 1, 0) if words and any(map(str.isdigit, words[place]))]
    number = words.pop(places[0]) if places else ""
    address = {
        "street": " ".join(words),
        "house_number": number,
        "city": city.strip(),
        "zip_postal_code": postcode.strip(),
        "country_code": _alpha_3(country),
    }
    return address if all(address.values()) else None


def _alpha_3(country: str) -> str:
    try:
        return alpha_3_country(country)
    except UnknownCode:
        return ""
