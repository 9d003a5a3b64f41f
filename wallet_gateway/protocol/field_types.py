"""The types of the fields that messages are made of.

Each type is pydantic's ``Annotated``: a ``BeforeValidator`` brings the value into its canonical form, then a
pattern and pydantic's own checks judge it. Every pattern is registered with the sentence that says what would
be right. A type knows nothing of the message it stands in but the ``Reading`` pydantic passes as context;
without one, as in a message's constructor, only canonical values are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    Secret,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import CoreSchema, core_schema

from wallet_gateway.protocol import codes, money
from wallet_gateway.protocol.card_numbers import has_card_number, mask_card_numbers
from wallet_gateway.protocol.cryptograms import CRYPTOGRAM_PATTERN
from wallet_gateway.protocol.strict_json import NumberText, fold_name
from wallet_gateway.protocol.text import quote, without_bidi_controls


@dataclass(slots=True)
class Reading:
    """How one message is read: the validation context of ``WireModel.build`` and ``WireModel.from_wire``."""

    is_from_python: bool
    """The values come from Python code under snake_case names, not from the wire."""
    is_answer: bool
    """The message is an answer, which is read more tolerantly."""
    currency: codes.Currency | None = None
    """The currency of the amounts, set when it is found; None while it is unknown."""


@dataclass(frozen=True, slots=True)
class UnquotedNumber:
    """A JSON number in a request: amounts, rates and whole numbers read it, a text refuses it.

    In an answer a number stays a ``NumberText``, which is a text.
    """

    digits: str


@dataclass(frozen=True, slots=True)
class RepeatedField:
    """Stands for the value of a field that one object names more than once; no type takes it."""

    message: str


# Patterns, and what to say of a text that does not match

_NOT_EMPTY = r"\S"
# At most 14 digits in all, so each decimal leaves one digit less before the period.
_AMOUNT = "^({})$".format(
    "|".join(
        f"(0|[1-9][0-9]{{0,{money.MAX_DIGITS - decimals - 1}}})"
        + (rf"\.[0-9]{{{decimals}}}" if decimals else "")
        for decimals in range(money.MAX_EXPONENT + 1)
    )
)
_RATE = r"^(0|[1-9][0-9]{0,2})(\.[0-9]{1,4})?$"
_URL = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s\x00-\x1f\x7f/?#\\@:][^\s\x00-\x1f\x7f/?#\\@]*([/?#][^\s\x00-\x1f\x7f\\]*)?$"
_OWN_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")


PATTERN_MESSAGES: dict[str, Callable[[str], str]] = {
    _NOT_EMPTY: lambda _: "is empty; give a text",
    _AMOUNT: money.explain,
    _RATE: lambda text: (
        f"{quote(text)} is no rate; give a percentage with up to 4 decimals, such as 19 or 7.7"
    ),
    _URL: lambda text: (
        f"{quote(text)} is no absolute http or https address, such as https://shop.example/back"
    ),
}
"""By pattern, the sentence on a text that does not match it; each is added where its pattern is defined."""


# Texts


REVEALED_ON_THE_WIRE = PlainSerializer(
    lambda masked: masked.get_secret_value(), return_type=str, when_used="json-unless-none"
)
"""Writes a masked text as it is where a message is written for the other party, and nowhere else."""

Text = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY)]
"""A mandatory text: not empty, not only white space."""

OptionalText = Annotated[str, Strict(), Field(min_length=0)]
"""A text that may be empty. Asking for its length finds lone surrogates, which could not be written."""

Identifier = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY, max_length=255)]
"""An identifier of either party, up to 255 characters."""

Url = Annotated[str, Strict(), Field(pattern=_URL, max_length=8192)]
"""An absolute http or https address without user name. The interface names no limit; signed ones are long."""


def _check_own_reference(value: object, info: ValidationInfo) -> object:
    is_ours = info.context is not None and info.context.is_from_python
    if is_ours and isinstance(value, str) and not _OWN_REFERENCE.fullmatch(value):
        raise ValueError(f"{quote(value)} is no reference of ours; use 1 to 64 of A-Z a-z 0-9 _ -")
    return value


OwnReference = Annotated[Identifier, BeforeValidator(_check_own_reference)]
"""A reference the merchant chooses: 1 to 64 of ``A-Z a-z 0-9 _ -`` when we write it, any when we read it.

"The merchant's own unique reference for the transaction." (Checkout request)
"""


OF_A_CUSTOMER = AfterValidator(lambda text: mask_card_numbers(without_bidi_controls(text)))
"""For a text that a customer may have written: without card numbers and without controls of direction."""

_EMAIL = r"^([^\s@]{1,64}@[^\s@]{1,255})?$"
PATTERN_MESSAGES[_EMAIL] = lambda _: "is no e-mail address; give one such as ada@shop.example"


def _check_email(address: str) -> str:
    # With other digits it would be another address, so it is not masked.
    if has_card_number(address):
        raise ValueError("holds what has the form of a card number, which is neither stored nor sent")
    return address


Email = Annotated[str, Strict(), Field(pattern=_EMAIL), AfterValidator(_check_email)]
"""An e-mail address, which may be empty: one @ with something on both sides, no blanks and no card number."""


# Proofs of a card's use

PATTERN_MESSAGES[CRYPTOGRAM_PATTERN] = lambda _: "is no cryptogram; give Base64 of 12 to 252 characters"
_ECI = r"^[0-9]{1,2}$"
PATTERN_MESSAGES[_ECI] = lambda text: f"{quote(text)} is no indicator; give one digit or two, such as 05"

Cryptogram = Annotated[str, Strict(), Field(pattern=CRYPTOGRAM_PATTERN)]
"""The proof that a tokenized card was used, in Base64. A secret until it is used up."""

EciIndicator = Annotated[str, Strict(), Field(pattern=_ECI)]
"""The electronic commerce indicator, which says how the cardholder was authenticated: one or two digits."""


MaskedCryptogram = Annotated[Secret[Cryptogram], REVEALED_ON_THE_WIRE]
"""The same as an object that shows nothing; `get_secret_value()` returns the text."""

MaskedEciIndicator = Annotated[Secret[EciIndicator], REVEALED_ON_THE_WIRE]
"""The same as an object that shows nothing."""


# Amounts and rates


def _normalize_amount(value: object, info: ValidationInfo) -> object:
    """Write an amount with its currency's decimals; without a known currency its pattern alone judges it.

    "Implement tolerant parsing of both string and number, and reject comma separators." (General conventions)
    """
    reading: Reading | None = info.context
    if reading is None or value is None or isinstance(value, RepeatedField):
        return value
    if isinstance(value, UnquotedNumber):
        value = value.digits
    currency = reading.currency
    if currency is None:
        return money.write_out(value)
    units = money.parse_amount(value, currency, allow_zero=True, extra_zeros=reading.is_answer)
    return money.format_units(units, currency.exponent)


def _normalize_rate(value: object, info: ValidationInfo) -> object:
    if info.context is None:
        return value
    return value.digits if isinstance(value, UnquotedNumber) else money.plain_text(value)


Amount = Annotated[str, Strict(), Field(pattern=_AMOUNT), BeforeValidator(_normalize_amount)]
"""An amount of zero or more, held as the text the wire carries.

"Monetary amounts are sent as strings. The decimal separator is the period character." (General conventions)
"""

PositiveAmount = Annotated[Amount, AfterValidator(money.check_above_zero)]
"""The amount of a transaction, which is above zero."""

Rate = Annotated[str, Strict(), Field(pattern=_RATE), BeforeValidator(_normalize_rate)]
"""A percentage with up to four decimals, such as ``19`` or ``7.7``, read from text or number."""


# Whole numbers


def _read_whole_number(value: object, info: ValidationInfo) -> object:
    """Make an int of a JSON number from the wire; anything else stays, for the type to judge."""
    if info.context is None or info.context.is_from_python:
        return value
    digits = value.digits if isinstance(value, UnquotedNumber) else value
    if isinstance(digits, NumberText) and _WHOLE_NUMBER.fullmatch(digits):
        return int(digits)
    return value


FROM_JSON_NUMBER = BeforeValidator(_read_whole_number)
"""Reads an int from a JSON number; the last part of every ``Annotated[int, ...]``."""


# Fields that nothing depends on


def _keep(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """Return what can be read; anything else is left out, unless a field is given twice."""
    try:
        return read(value)
    except ValidationError as error:
        if any(isinstance(details["input"], RepeatedField) for details in error.errors()):
            raise
        return None


KEPT = WrapValidator(_keep)
"""For a field that the interface does not name and nothing depends on: a gateway may mean another thing."""


# Codes of ISO tables


def _keep_currency(value: object, read: ValidatorFunctionWrapHandler) -> object:
    # pydantic would make plain text of the currency of a row, which knows its decimals.
    return value if isinstance(value, codes.Currency) else read(value)


CurrencyCode = Annotated[str, Strict(), AfterValidator(codes.check_currency), WrapValidator(_keep_currency)]
"""A currency: "Three-character ISO 4217 code"."""

CountryCode = Annotated[str, Strict(), AfterValidator(codes.check_country)]
"""A country: "ISO 3166 alpha-3 country code"."""

SubdivisionCode = Annotated[str, Strict(), AfterValidator(codes.check_subdivision)]
"""A subdivision: "Region or state in ISO 3166-2 format"."""


# Enumerated values


class AnyCase:
    """Marks an enumerated type: its values are taken in any letter case and held as the table spells them.

    The interface itself varies it: the tables list ``storecredit``, "the example writes ``storeCredit``".
    """

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the respelling before pydantic's check of the enumeration."""
        values: Iterable[str] = get_args(source)
        if isinstance(source, type) and issubclass(source, Enum):
            values = [member.value for member in source]
        table = {fold_name(value): value for value in values}

        def respell(value: object, info: ValidationInfo) -> object:
            if info.context is None or not isinstance(value, str):
                return value
            return table.get(fold_name(value), value)

        return core_schema.with_info_before_validator_function(respell, handler(source))


ANY_CASE = AnyCase()
