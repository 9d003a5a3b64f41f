"""Phone numbers as people and browsers write them, in the interface's form: ``49-1711234567``.

"Format {1-3 digit country calling code}-{phone number}." (``cardholderMobilePhone``) With ``phonenumbers``
installed, its rules judge a number, else the list of calling codes, ``protocol/calling_codes.txt``. What is
doubtful stays as it is: the field's type refuses it, with an example.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from wallet_gateway.protocol.codes import alpha_2_country
from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.text import without_bidi_controls

_CANONICAL: Final = re.compile(r"[1-9][0-9]{0,2}-[0-9]{1,15}")
_WRITTEN: Final = re.compile(r"\+?[0-9\s()./\u2010-\u2015-]{4,40}")
_OPTIONAL_ZERO: Final = re.compile(r"\(\s*0\s*\)")
_ZERO_IS_DIALLED: Final = frozenset({"39", "225", "229", "241", "242", "378"})
"""Calling codes, such as Italy's, whose numbers may begin with a 0 that is dialled from abroad, too."""
_NORTH_AMERICA: Final = "1"
_LEAST_DIGITS, _MOST_DIGITS = 4, 15


def read_mobile_phone(text: str, country: str | None = None) -> str:
    """Return a number as ``{calling code}-{number}``; one that cannot be read for sure is returned as it is.

    ``country`` is the alpha-3 code by which a number in its national form is read.
    """
    folded = without_bidi_controls(text).strip()
    if _CANONICAL.fullmatch(folded):
        return folded
    if not _WRITTEN.fullmatch(folded):
        return text
    is_international = folded.startswith(("+", "00"))
    if is_international:
        folded = folded.removeprefix("+").removeprefix("00")
        if not re.sub(r"\D", "", folded).startswith(tuple(_ZERO_IS_DIALLED)):
            folded = _OPTIONAL_ZERO.sub("", folded)
    digits = re.sub(r"\D", "", folded)
    if is_international:
        return _read(digits, None) or text
    try:
        region = alpha_2_country(country) if country else None
    except UnknownCode:
        region = None
    return (_read(digits, region) if region else None) or text


def _read(digits: str, region: str | None) -> str | None:
    """Read digits that begin with a calling code, or without one in the national form of a region."""
    try:
        import phonenumbers
    except ImportError:
        return _read_by_list(digits, region)
    try:
        number = phonenumbers.parse(digits if region else f"+{digits}", region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    return f"{number.country_code}-{phonenumbers.national_significant_number(number)}"


@cache
def _calling_codes() -> dict[str, tuple[str, list[str]]]:
    """Return the national prefix, or a hyphen, and the regions of each calling code."""
    lines = (files("wallet_gateway.protocol") / "calling_codes.txt").read_text("ascii").splitlines()
    return {code: (prefix, regions) for code, prefix, *regions in map(str.split, lines)}


def _read_by_list(digits: str, region: str | None) -> str | None:
    if region is None:
        # No calling code is the beginning of another one.
        code = next((digits[:length] for length in (1, 2, 3) if digits[:length] in _calling_codes()), None)
        number = digits[len(code or "") :]
    else:
        code = next((one for one, (_, regions) in _calling_codes().items() if region in regions), None)
        prefix = _calling_codes()[code][0] if code else "-"
        is_short = code == _NORTH_AMERICA and len(digits) == len("2125550123")
        if prefix != "-" and not digits.startswith(prefix) and not is_short:
            return None
        number = digits if prefix == "-" or is_short else digits.removeprefix(prefix)
    if code is None or (number.startswith("0") and code not in _ZERO_IS_DIALLED):
        return None
    fits = len(number) >= _LEAST_DIGITS and len(code) + len(number) <= _MOST_DIGITS
    return f"{code}-{number}" if fits else None
