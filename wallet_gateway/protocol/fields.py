"""What every message is made of: the base model and the kinds of field.

A message is a frozen value. It is made by ``build`` from Python values, or by ``from_wire`` and ``from_json`` from
what the other party sent; all three report every fault at once. No single message, and no table, lives here.

Names and enumerated values are folded on the way in only: what a shop builds is canonical already, and an order
of a hundred lines must not pay for letter case it does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol import codes, money, strict_json
from wallet_gateway.protocol.complaints import PATTERNS, complaints_of
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, excerpt
from wallet_gateway.protocol.folding import fold, gather
from wallet_gateway.protocol.plans import Kind

_NOT_EMPTY = r"\S"
_AMOUNT = r"^(0|[1-9][0-9]{0,13})(\.[0-9]{1,4})?$"
_POSITIVE_AMOUNT = r"^([1-9][0-9]{0,13}(\.[0-9]{1,4})?|0\.[0-9]{0,3}[1-9][0-9]{0,3})$"
_RATE = r"^(0|[1-9][0-9]{0,2})(\.[0-9]{1,4})?$"
_URL = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#\\@]+([/?#][^\s\\]*)?$"

PATTERNS.update(
    {
        _AMOUNT: money.explain,
        _POSITIVE_AMOUNT: money.explain,
        _RATE: lambda text: (
            f"{excerpt(text)} is no rate; give a percentage with up to 4 decimals, such as 19 or 7.7"
        ),
        _URL: lambda text: (
            f"{excerpt(text)} is no absolute http or https address, such as https://shop.example/back"
        ),
    }
)

Text = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY)]
"""A mandatory text: not empty, not only white space."""

OptionalText = Annotated[str, Strict()]
"""A text that may say nothing."""

Identifier = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY, max_length=255)]
"""An identifier as anybody may send it, up to 255 characters."""

OwnReference = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY, max_length=255), Kind.REFERENCE]
"""A reference the merchant makes: when we write it, 1 to 64 of ``A-Z a-z 0-9 _ -``."""

Amount = Annotated[str, Strict(), Field(pattern=_AMOUNT), Kind.AMOUNT]
"""An amount of zero or more, held as the text the wire carries."""

PositiveAmount = Annotated[str, Strict(), Field(pattern=_POSITIVE_AMOUNT), Kind.POSITIVE_AMOUNT]
"""The amount of a transaction, which is above zero."""

Rate = Annotated[str, Strict(), Field(pattern=_RATE), Kind.RATE]
"""A percentage with up to four decimals, such as ``19`` or ``7.7``."""

CurrencyCode = Annotated[str, Strict(), AfterValidator(codes.check_currency)]
CountryCode = Annotated[str, Strict(), AfterValidator(codes.check_country)]
SubdivisionCode = Annotated[str, Strict(), AfterValidator(codes.check_subdivision)]

Url = Annotated[str, Strict(), Field(pattern=_URL, max_length=2048)]
"""An absolute http or https address without user name."""


class WireModel(BaseModel):
    """A message or a part of one; attributes in snake_case, wire names in camelCase."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,
    )

    alternative_names: ClassVar[Mapping[str, str]] = {}
    """Other spellings the interface shows, to the canonical wire name."""

    is_answer: ClassVar[bool] = False
    """Answers are read more tolerantly: numbers for text, zeros beyond the currency's decimals."""

    @classmethod
    def build(cls, **values: Any) -> Self:
        """Make the message from Python values in snake_case; raises InvalidMessage with every fault."""
        errors: list[FieldError] = []
        return cls._checked(gather(cls, values, errors), errors)

    def is_written_for(self, exponent: int | None) -> bool:
        """Whether every amount in this part has the decimals of a currency with ``exponent``; None is any."""
        return True

    def to_wire(self) -> dict[str, Any]:
        """The message as JSON values in canonical names; what is None is left out."""
        return self.__pydantic_serializer__.to_python(  # type: ignore[no-any-return]
            self, mode="json", by_alias=True, exclude_defaults=True
        )

    def to_json(self) -> bytes:
        """The message as bytes to send; the same message always gives the same bytes."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_defaults=True)

    @classmethod
    def from_wire(cls, source: Mapping[str, Any]) -> Self:
        """Read JSON values in any letter case and documented spelling; raises InvalidMessage with every fault."""
        errors: list[FieldError] = []
        return cls._checked(fold(cls, source, errors), errors)

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Read the bytes of a message; raises UnreadableBody or InvalidMessage."""
        value = strict_json.loads(data)
        if not isinstance(value, dict):
            raise InvalidMessage([FieldError("", "the body is no JSON object")])
        return cls.from_wire(value)

    @classmethod
    def _checked(cls, values: dict[str, Any], errors: list[FieldError]) -> Self:
        try:
            message = cls.__pydantic_validator__.validate_python(values)
        except ValidationError as error:
            found = {fault.path: fault for fault in (*complaints_of(error), *errors)}
            raise InvalidMessage(found.values()) from error
        if errors:
            raise InvalidMessage(errors)
        return message  # type: ignore[no-any-return]


class TransactionRequest(WireModel):
    """What every request that moves money begins with."""

    merchant_id: Identifier
    store_id: Identifier
    user_id: Identifier
    type: str
    amount: PositiveAmount
    currency_code: CurrencyCode
    client_system_transaction_id: OwnReference

    @property
    def money(self) -> money.Money:
        """The amount with its currency."""
        return money.Money.parse(self.amount, self.currency_code)

    @model_validator(mode="after")
    def _has_the_decimals_of_its_currency(self) -> Self:
        written = self.money.to_wire()
        if self.amount != written:
            raise InvalidMessage([FieldError("amount", f"{self.amount} is to be written {written}")])
        return self
