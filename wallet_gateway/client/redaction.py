"""Redact messages before they are stored, logged or shown, by field name and by what text looks like.

Secrets are removed, personal data are shortened, account numbers keep their last four digits. Amounts,
references, states, codes and messages stay, because they are the evidence. An unknown name is judged by its
parts (`payerSurname`, `newApiKey`), and free text is searched for card numbers, e-mail addresses and keys.
Card numbers are looked for in all else, too, but for identifiers, which one in ten would change by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TypeGuard

from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.money import MAX_DIGITS
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, dumps, fold_name, loads

MAX_TEXT_LENGTH = 20_000
"""Characters kept of one body."""
_OVERHANG = 900
"""Characters read beyond those kept, more than any card number or name of a key has."""
REMOVED = "[removed]"
_FEWEST_LINES = 8
_LINES_AT_A_TIME = 32
"""As many as their names are looked up once for: few enough that little is redacted behind the cut."""

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
_CREDENTIAL_WORDS = ("authorization", "publicapikey", "bearer")
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
    return _redact(value, _free_text)[:MAX_TEXT_LENGTH]


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


def _redact(value: JsonValue, rule: Rule) -> str:
    """Return a redacted value as JSON text: one walk, because a customer waits for it with every request."""
    if isinstance(value, str):
        shown = rule(value)
        return str(shown) if isinstance(shown, NumberText) else encode_basestring(str(shown))
    if isinstance(value, dict):
        # Two names that differ in a card number only are one afterwards.
        members = {}
        for position, (name, part) in enumerate(value.items(), 1):
            written, its = _name_and_rule(name)
            written = written or _numbered(position)
            if its is _remove:
                members[written] = _QUOTED_REMOVED
            elif type(part) is str:
                # Nearly every value of a message: a call of its own would take as long as its rule.
                members[written] = encode_basestring(its(part))
            else:
                members[written] = _redact(part, its)
        return "{" + ",".join([f"{name}:{part}" for name, part in members.items()]) + "}"
    if isinstance(value, list):
        parts = _lines(value) if _are_lines(value) else (_redact(part, rule) for part in value)
        return "[" + ",".join(_beginning(parts)) + "]"
    return _redact_adapted(value, rule)


def _redact_adapted(value: object, rule: Rule) -> str:
    """Redact what `adapt_request` may send besides the types of our own messages, and null and truth."""
    if isinstance(value, Mapping):
        return _redact(dict(value), rule)
    if isinstance(value, tuple):
        return _redact(list(value), rule)
    if isinstance(value, int) and not isinstance(value, bool):
        return _redact(NumberText(int.__repr__(value)), rule)
    return dumps(value).decode("utf-8")


def _beginning(parts: Iterator[str]) -> Iterator[str]:
    """Yield the redacted parts of a list, up to the one behind which the whole text is cut in any case."""
    length = 0
    for written in parts:
        yield written
        length += len(written)
        if length > MAX_TEXT_LENGTH:
            return


def _are_lines(parts: list[JsonValue]) -> TypeGuard[list[dict[str, JsonValue]]]:
    """Return whether a list is long and of objects with the same names, as are the lines of a cart."""
    if len(parts) < _FEWEST_LINES or not isinstance(parts[0], dict):
        return False
    names = list(parts[0])
    return bool(names) and all(isinstance(part, dict) and list(part) == names for part in parts)


def _lines(lines: list[dict[str, JsonValue]]) -> Iterator[str]:
    """Yield redacted objects with the same names, field by field for some of them at a time."""
    names = [(name, *_name_and_rule(name)) for name in lines[0]]
    names = [(name, written or _numbered(n), rule) for n, (name, written, rule) in enumerate(names, 1)]
    for first in range(0, len(lines), _LINES_AT_A_TIME):
        some = lines[first : first + _LINES_AT_A_TIME]
        # Two names that differ in a card number only are one afterwards.
        columns = {
            written: _column(written, [line[name] for line in some], its) for name, written, its in names
        }
        for fields in zip(*columns.values(), strict=True):
            yield "{" + ",".join(fields) + "}"


def _column(name: str, values: list[JsonValue], rule: Rule) -> list[str]:
    """Return one field of several lines; what they have in common is redacted once."""
    if rule is _remove:
        return [f"{name}:{_QUOTED_REMOVED}"] * len(values)
    texts = [value for value in values if type(value) is str]
    if len(texts) < len(values):
        return [f"{name}:{_redact(value, rule)}" for value in values]
    written = {text: f"{name}:{encode_basestring(rule(text))}" for text in set(texts)}
    return [written[text] for text in texts]


@lru_cache(maxsize=2048)
def _name_and_rule(name: str) -> tuple[str, Rule]:
    """Return a name as it is written, and the rule for what it names.

    One that is not written as fields are is empty: maps by value have e-mail addresses and names for names.
    """
    written = encode_basestring(mask_card_numbers(name)) if _NAME.fullmatch(name) else ""
    return written, _rule_of(name)


def _numbered(position: int) -> str:
    return f'"[name {position}]"'


_QUOTED_REMOVED = f'"{REMOVED}"'


def _redact_field(field: re.Match[str]) -> str:
    head, name, value = field.groups()
    quote = next((mark for mark in ('\\"', '"') if value.startswith(mark)), "")
    inner = value.removeprefix(quote).removesuffix(quote) if quote else value
    return f"{head}{quote}{_rule_of(name)(inner)}{quote}"


def _redact_account(found: re.Match[str]) -> str:
    return found[1] + _rule_of("accountId")(found[2])


def _redact_named(found: re.Match[str]) -> str:
    head, name, value = found.groups()
    rule = _rule_of(name)
    # Free text is searched with the text around it, and a card number has been masked already.
    is_done = rule is _free_text or (rule is _keep_last_four and value.startswith("***"))
    return found[0] if is_done else head + rule(value)


@lru_cache(maxsize=2048)
def _rule_of(name: str) -> Rule:
    folded = fold_name(name).replace("_", "").replace("-", "")
    return next((rule for pattern, rule in _RULES if pattern.search(folded)), _free_text)


def _keep(text: str) -> str:
    return text


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
    if len(text) <= MAX_TEXT_LENGTH:
        return _without_numbers_addresses_and_keys(text)
    return _of_the_beginning(text, _without_numbers_addresses_and_keys)


def _of_the_beginning(text: str, rule: Rule) -> str:
    """Apply a rule to the part of a text that can be kept, so that a long text costs no more.

    A number, key or address that the cut divides is not recognised. An address may have any length and is
    therefore read to its end. A divided number or key stands at the end of the result, which is left out:
    otherwise it would be shown wherever the text before it has become shorter.
    """
    if len(text) <= MAX_TEXT_LENGTH + _OVERHANG:
        return rule(text)
    address = _REST_OF_ADDRESS.match(text, MAX_TEXT_LENGTH + _OVERHANG)
    return rule(text[: address.end()] if address else text)[:-_OVERHANG]


def _without_numbers_addresses_and_keys(text: str) -> str:
    if '"' in text:
        text = _FIELD.sub(_redact_field, text)
    if "'" in text:
        text = _QUOTED_FIELD.sub(_redact_named, text)
    if "/" in text:
        text = _ACCOUNT.sub(_redact_account, text)
    # Before the parameters: of a number with blanks in it a parameter has the first digits only.
    text = mask_card_numbers(text)
    if "=" in text:
        text = _PARAMETER.sub(_redact_named, text)
    if "@" in text:
        text = _EMAIL.sub(_redact_address, text)
    return _CREDENTIAL.sub(rf"\1{REMOVED}", text) if _may_have_credential(text) else text


def _may_have_credential(text: str) -> bool:
    """Return whether one of the words is in a text that begin a key: cheaper than to look for a key."""
    if len(text) < 13:
        return False
    # Unicode has more letters that the pattern takes for those of the words.
    return not text.isascii() or any(map(text.lower().__contains__, _CREDENTIAL_WORDS))


def _redact_address(found: re.Match[str]) -> str:
    first, domain = found.groups()
    return f"{first}***@{domain}" if domain else found[0]


# The first that fits decides. Names are folded and without separators.
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (
        re.compile(
            r"^(id|recordid|skinid|merchantid|storeid|productid|providermerchantid|providerauthorizationid)$"
            r"|^(clientsystemtransaction|clientsysteminvoice|parenttransaction)id$"
            r"|^(apmprovidertransaction|providertransaction)id$|^providerdiscretionarydata$"
        ),
        _keep,
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
    (
        re.compile(
            r"cryptogram|apikey|encryptionkey|privatekey|authori[sz]ation|authenticationvalue|secret|password"
            r"|token$|tokenizationdata|paymentdata|signature|security(code|number)|cv[cvn]2?(code|number|value)?$"
            r"|cardverification|(cavv|ucaf|track[12]?)(data|value)?$|^pin$|^eci|national"
        ),
        _remove,
    ),
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
