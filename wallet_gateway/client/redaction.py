"""Redact messages before they are stored, logged or shown, by field name and by what text looks like.

Secrets are removed, personal data are shortened, account numbers keep their last four digits. Amounts,
references, states, codes and messages stay, because they are the evidence. An unknown name is judged by its
parts (`payerSurname`, `newApiKey`), and free text is searched for card numbers, e-mail addresses and keys.
Card numbers are looked for in all else, too, but for identifiers, which one in ten would change by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import cast

from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.money import MAX_DIGITS
from wallet_gateway.protocol.secret_names import SECRET, plain_name
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, dumps, loads

MAX_TEXT_LENGTH = 20_000
"""Characters kept of one body."""
_OVERHANG = 900
"""Characters read beyond those kept, more than any card number or name of a key has."""
REMOVED = "[removed]"

Rule = Callable[[str], str]

# A run of the characters of an address, and the domain if it is one. Runs that are not addresses match as
# well, and possessive repeats give nothing back: no character is looked at more than twice, however long a
# run is.
_EMAIL = re.compile(r"([\w.%+-])[\w.%+-]*+(?:@([\w-]++(?:\.[\w-]++)++))?+")
_REST_OF_ADDRESS = re.compile(r"[\w.%+@-]*+")
# A key has a digit or is long; "Authorization: declined" and "PublicApiKey is missing" are messages.
_CREDENTIAL = re.compile(
    r"(?i)(authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[a-z]{1,20}\s{1,4})?|(?:publicapikey|bearer)\s{1,4})"
    r"(?=\S{0,15}[0-9]|\S{16})[^\s\"'<,;]+"
)
_ORIGIN = re.compile(r"(?i)(https?://)(?:[^/?#]*@)?([^/?#]*)")
# A field as messages have it, or a path of fields.
_NAME = re.compile(r"[A-Za-z_@$][A-Za-z0-9_.$:-]{0,63}")
# One field of something that wants to be JSON, whole or cut off; its quotes may be escaped, as in a text that
# repeats a request. A value in escaped quotes ends at the next one.
_FIELD = re.compile(
    r'(\\?"([^"\\]{1,64})\\?"\s*+:\s*+)'
    r'(\\"(?:[^"\\]++|\\[^"])*+(?:\\")?+|"(?:[^"\\]++|\\.)*+"?|[^\s"{}\[\],\\]++)',
    re.DOTALL,
)
# The account in a path, of an address that is repeated in a text.
_ACCOUNT = re.compile(r"(?i)(paymentaccounts/)([^/?&\s\"'<]++)")
# One parameter, as in an address or a form, or as Java writes an object: Request[apiKey=..., amount=...].
_PARAMETER = re.compile(
    r"(?i)(?<![a-z0-9_-])(([a-z][a-z0-9_-]{0,63}+)=[\"']?)([^=&?\s\"'<>,;(){}\[\]]++)(?!=[^=&\s])"
)
# One field as Python, Ruby and others write an object.
_QUOTED_FIELD = re.compile(r"('([^'\\]{1,64}+)'\s{0,4}+(?::|=>)\s{0,4}+')([^'\\]++)")


def redact(value: JsonValue) -> str:
    """Return a JSON value as redacted JSON text of at most 20,000 characters."""
    return dumps(_redacted(value, _free_text)).decode("utf-8")[:MAX_TEXT_LENGTH]


def redact_text(text: bytes | str) -> str:
    """Return a body as redacted text of at most 20,000 characters.

    A body that is not strict JSON is redacted field by field, as far as fields can be recognised.
    """
    try:
        return redact(loads(text))
    except UnreadableBody:
        plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return redact_message(plain)[:MAX_TEXT_LENGTH]


def redact_message(text: str) -> str:
    """Return free text without card numbers, e-mail addresses, keys and NULs, which databases refuse.

    A very long text is cut after about 20,000 characters.
    """
    return _free_text(text.replace("\0", "\ufffd"))


def _redacted(value: object, rule: Rule) -> JsonValue:
    if isinstance(value, str):
        return rule(value)
    if isinstance(value, Mapping):
        shown: dict[str, JsonValue] = {}
        for position, (name, part) in enumerate(value.items(), 1):
            its = _rule_of(name)
            stored = _written(name) or f"[name {position}]"
            shown[stored] = REMOVED if its is _remove else _redacted(part, its)
        return shown
    if isinstance(value, list | tuple):
        return [_redacted(part, rule) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        # What `adapt_request` may send besides the types of our own messages.
        return _redacted(NumberText(int.__repr__(value)), rule)
    return cast(JsonValue, value)


def _redact_field(field: re.Match[str]) -> str:
    head, name, value = field.groups()
    quote = next((mark for mark in ('\\"', '"') if value.startswith(mark)), "")
    inner = value.removeprefix(quote).removesuffix(quote) if quote else value
    return f"{head}{quote}{_rule_of(name)(inner)}{quote}"


def _redact_named(found: re.Match[str]) -> str:
    head, name, value = found.groups()
    rule = _rule_of(name)
    # Free text is searched with the text around it, and a card number has been masked already.
    is_done = rule is _free_text or (rule is _keep_last_four and value.startswith("***"))
    return found[0] if is_done else head + rule(value)


@lru_cache(maxsize=2048)
def _written(name: str) -> str:
    """Return a name as it is stored; empty for one that no field has: maps by value have people for names."""
    return mask_card_numbers(name) if _NAME.fullmatch(name) else ""


@lru_cache(maxsize=2048)
def _rule_of(name: str) -> Rule:
    plain = plain_name(name)
    return next((rule for pattern, rule in _RULES if pattern.search(plain)), _free_text)


def _keep_amount(text: str) -> str:
    few = len(text) <= MAX_DIGITS or sum(map(str.isdigit, text)) <= MAX_DIGITS
    return text if few else mask_card_numbers(text)


def _remove(_text: str) -> str:
    return REMOVED


def _shorten(text: str) -> str:
    return text[:1] + "***" if text else text


def _shorten_email(text: str) -> str:
    local, at, domain = text.rpartition("@")
    return f"{local[:1]}***{at}{mask_card_numbers(domain)}" if at else _shorten(text)


def _keep_last_four(text: str) -> str:
    return f"***{text[-4:]}" if len(text) >= 8 else _shorten(text)


def _keep_origin(text: str) -> str:
    origin = _ORIGIN.match(text)
    return mask_card_numbers(f"{origin[1]}{origin[2]}/***") if origin else _shorten(text)


def _free_text(text: str) -> str:
    if len(text) < 6:
        return text
    if len(text) <= MAX_TEXT_LENGTH + _OVERHANG:
        return _without_numbers_addresses_and_keys(text)
    # Of a longer one only the part that can be kept is searched, so that it costs no more. A number, key or
    # address that the cut divides is not recognised. An address may have any length and is therefore read to
    # its end. A divided number or key stands at the end of the result, which is left out: otherwise it would
    # be shown wherever the text before it has become shorter.
    address = _REST_OF_ADDRESS.match(text, MAX_TEXT_LENGTH + _OVERHANG)
    return _without_numbers_addresses_and_keys(text[: address.end()] if address else text)[:-_OVERHANG]


def _without_numbers_addresses_and_keys(text: str) -> str:
    text = _FIELD.sub(_redact_field, text)
    text = _QUOTED_FIELD.sub(_redact_named, text)
    text = _ACCOUNT.sub(lambda found: found[1] + _keep_last_four(found[2]), text)
    # Before the parameters: of a number with blanks in it a parameter has the first digits only.
    text = mask_card_numbers(text)
    text = _PARAMETER.sub(_redact_named, text)
    if "@" in text:
        text = _EMAIL.sub(lambda found: f"{found[1]}***@{found[2]}" if found[2] else found[0], text)
    return _CREDENTIAL.sub(rf"\1{REMOVED}", text)


# The first that fits decides. Names are folded and without separators.
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (
        re.compile(
            r"^(id|recordid|skinid|merchantid|storeid|productid|providermerchantid|providerauthorizationid)$"
            r"|^(clientsystemtransaction|clientsysteminvoice|parenttransaction)id$"
            r"|^(apmprovidertransaction|providertransaction)id$|^providerdiscretionarydata$"
        ),
        str,
    ),
    (re.compile(r"amount$|rate$|quantity$"), _keep_amount),
    # Words of the interface: kept, but for what never is one.
    (
        re.compile(
            r"^(state|type|code|language|paymentmethod)$"
            r"|(currency|country|state|response)code$|country$|datetime$|timeout$"
            r"|^apm(name|provider|providername|paymentmethod)$|^(product|discount|shipping)name$"
        ),
        _free_text,
    ),
    (SECRET, _remove),
    (re.compile(r"accountnumber|accountid|cardnumber|^pan$|iban"), _keep_last_four),
    (re.compile(r"mail"), _shorten_email),
    (re.compile(r"ur[il]$"), _keep_origin),
    (
        re.compile(
            r"phone|name$|firstname|lastname|street|housenumber|city|postal|zip|address|locality|birth"
            r"|cardholderid|payerid|userid"
        ),
        _shorten,
    ),
)
