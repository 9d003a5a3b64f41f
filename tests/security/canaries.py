"""Values that exist nowhere else: where one of them is found, it came from the place that was given it."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from tests.support.personal import CITY, EMAIL, FIRST_NAME, LAST_NAME, NATIONAL_ID, PHONE, STREET

CARD_NUMBERS = ("4929119922883374", "4929 1199 2288 3374", "4929-1199-2288-3374")
"""One card number, in the spellings that free text is searched for."""
ACCOUNT_ID, CREDENTIAL = "acct-canary-5521", "credential-canary-8e0b17"
HEALTH_TOKEN, SECRET_KEY = "health-canary-" + "h" * 30, "secret-key-canary-" + "k" * 40
FERNET_KEY = base64.urlsafe_b64encode(b"fernet-canary-of-32-octets-here!").decode()
CSRF_TOKEN, SESSION = "c5Rf" * 8, "session-canary-99d1"
USER_ID = "user-canary-44"

WALLET_ADDRESS = {
    "name": f"{FIRST_NAME} {LAST_NAME}",
    "address1": STREET,
    "locality": CITY,
    "postalCode": "10115",
    "countryCode": "DE",
}
PERSONAL = ("e-mail", "first name", "last name", "telephone", "national id", "street", "city")
_INDICATOR = re.compile(r"eci_?indicator\W{1,12}0[0-9]", re.IGNORECASE)


@dataclass
class Canaries:
    """What is planted: names and values. Some are known only while the operations run."""

    values: dict[str, set[str]] = field(
        default_factory=lambda: {
            "card number": set(CARD_NUMBERS),
            "national id": {NATIONAL_ID},
            "telephone": {PHONE},
            "e-mail": {EMAIL},
            "first name": {FIRST_NAME},
            "last name": {LAST_NAME},
            "street": {STREET},
            "city": {CITY},
            "payment account": {ACCOUNT_ID},
            "credential": {CREDENTIAL},
            "health token": {HEALTH_TOKEN},
            "secret key": {SECRET_KEY},
            "fernet key": {FERNET_KEY},
            "session": {SESSION},
            "csrf token": {CSRF_TOKEN},
            "user id": {USER_ID},
        }
    )

    def plant(self, name: str, value: str) -> None:
        """Search for one more value from now on."""
        assert len(value) > 7, f"{name} is too short to be told from other text: {value!r}"
        self.values.setdefault(name, set()).add(value)

    def found_in(self, places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield each canary with the name of each place that it stands in, in whatever form."""
        for canary, values in self.values.items():
            forms = _forms(values)
            # A pattern of all forms would take a hundred times as long.
            yield from (
                (canary, place) for place, text in places.items() if any(form in text for form in forms)
            )
        yield from (("eci indicator", place) for place, text in places.items() if _INDICATOR.search(text))


def _forms(values: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for value in values:
        octets = value.encode()
        found |= {value, quote(value), quote(value, safe=""), html.escape(value), json.dumps(value)[1:-1]}
        # In the midst of other octets the first and last letters of base64 depend on the neighbours.
        found |= {octets.hex(), base64.b64encode(octets).decode().rstrip("=")[:-1]}
    return found
