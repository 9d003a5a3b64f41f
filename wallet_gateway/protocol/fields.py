"""What every message is made of: the base model and the kinds of field.

A message is a frozen value. It is made by ``build`` from Python values, or by ``from_wire`` and ``from_json``
from what the other party sent; all three report every fault at once. The constructor is pydantic's own: it
wants canonical values and raises pydantic's error. No single message, and no table, lives here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol import codes, money, strict_json
from wallet_gateway.protocol.complaints import PATTERNS, complaints_of
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage, excerpt
from wallet_gateway.protocol.folding import fold, gather
from wallet_gateway.protocol.plans import Kind

_NOT_EMPTY = r"\S"
# At most 14 digits in all, so one digit before the period less for each one behind it.
_AMOUNT = "^({})$".format(
    "|".join(
        f"(0|[1-9][0-9]{{0,{money.MAX_DIGITS - decimals - 1}}})"
        + (rf"\.[0-9]{{{decimals}}}" if decimals else "")
        for decimals in range(money.FINEST + 1)
    )
)
_RATE = r"^(0|[1-9][0-9]{0,2})(\.[0-9]{1,4})?$"
_URL = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s\x00-\x1f\x7f/?#\\@:][^\s\x00-\x1f\x7f/?#\\@]*([/?#][^\s\x00-\x1f\x7f\\]*)?$"

PATTERNS.update(
    {
        _NOT_EMPTY: lambda _: "is empty; give a text",
        _AMOUNT: money.explain,
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

OptionalText = Annotated[str, Strict(), Field(min_length=0)]
"""A text that may say nothing; asking for its length finds lone surrogates, which could not be written."""

Identifier = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY, max_length=255)]
"""An identifier as anybody may send it, up to 255 characters."""

OwnReference = Annotated[str, Strict(), Field(pattern=_NOT_EMPTY, max_length=255), Kind.REFERENCE]
"""A reference the merchant makes: when we write it, 1 to 64 of ``A-Z a-z 0-9 _ -``."""

Amount = Annotated[str, Strict(), Field(pattern=_AMOUNT), Kind.AMOUNT]
"""An amount of zero or more, held as the text the wire carries."""

PositiveAmount = Annotated[Amount, AfterValidator(money.check_above_zero)]
"""The amount of a transaction, which is above zero."""

Rate = Annotated[str, Strict(), Field(pattern=_RATE), Kind.RATE]
"""A percentage with up to four decimals, such as ``19`` or ``7.7``."""

CurrencyCode = Annotated[str, Strict(), AfterValidator(codes.check_currency)]
CountryCode = Annotated[str, Strict(), AfterValidator(codes.check_country)]
SubdivisionCode = Annotated[str, Strict(), AfterValidator(codes.check_subdivision)]

Url = Annotated[str, Strict(), Field(pattern=_URL, max_length=2048)]
"""An absolute http or https address without user name."""


class _Name(str):
    """A field's name, which shows itself without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


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

    def __repr_args__(self) -> Iterator[tuple[None, _Name]]:
        """Show the names of what is given: values are personal data, and a repr gets into logs."""
        return ((None, _Name(name)) for name, value in self if value is not None)

    __str__ = BaseModel.__repr__

    @classmethod
    def build(cls, **values: object) -> Self:
        """Make the message from Python values in snake_case; raises InvalidMessage with every fault."""
        errors: list[FieldError] = []
        return cls.checked(gather(cls, values, errors), errors)

    def to_wire(self) -> dict[str, Any]:
        """The message as JSON values in canonical names; what is None is left out."""
        values: dict[str, Any] = self.__pydantic_serializer__.to_python(self, mode="json", exclude_none=True)
        return values

    def to_json(self) -> bytes:
        """The message as bytes to send; the same message always gives the same bytes."""
        return self.__pydantic_serializer__.to_json(self, exclude_none=True)

    @classmethod
    def from_wire(cls, source: Mapping[str, Any]) -> Self:
        """Read JSON values in any letter case and documented spelling; raises InvalidMessage."""
        errors: list[FieldError] = []
        return cls.checked(fold(cls, source, errors), errors)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Read the bytes of a message; raises UnreadableBody or InvalidMessage."""
        value = strict_json.loads(data)
        if not isinstance(value, dict):
            raise InvalidMessage([FieldError("", "the body is no JSON object; send one, in braces")])
        return cls.from_wire(value)

    @classmethod
    def from_canonical(cls, wire: dict[str, Any]) -> Self:
        """Read again what ``to_wire`` gave: its spelling is ours already, every rule is applied once more."""
        return cls.checked(wire, [])

    @classmethod
    def checked(cls, values: dict[str, Any], errors: list[FieldError], context: object = None) -> Self:
        """Validate canonical values, and raise what is wrong together with the faults found before."""
        try:
            message: Self = cls.__pydantic_validator__.validate_python(
                values, context=context, by_alias=True, by_name=False
            )
        except ValidationError as error:
            # Of two faults in one field the first found is ours, and says more.
            faults = {fault.path: fault for fault in (*complaints_of(error), *errors)}
            raise InvalidMessage(faults.values()) from error
        if errors:
            raise InvalidMessage(errors)
        return message

    @classmethod
    def of_checked(cls, rows: Iterable[dict[str, Any]]) -> tuple[Self, ...]:
        """Messages of complete, checked values by attribute; for who has applied the rules to many at once.

        This is what ``model_construct`` does, without looking for aliases and defaults in each of them.
        """
        make, set_attribute, fields_set = cls.__new__, object.__setattr__, set(cls.model_fields)
        messages = []
        for values in rows:
            message = make(cls)
            set_attribute(message, "__dict__", values)
            set_attribute(message, "__pydantic_fields_set__", fields_set)
            set_attribute(message, "__pydantic_extra__", None)
            set_attribute(message, "__pydantic_private__", None)
            messages.append(message)
        return tuple(messages)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; one with changes is checked like any other message, so that none can be made wrong."""
        return self.build(**{**dict(self), **update}) if update else super().model_copy(deep=deep)

    def is_written_for(self, currency: str | None) -> bool:  # noqa: ARG002  (it matters where there are amounts)
        """Whether the amounts in this part are written with the decimals of a currency; None is any."""
        return True


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
        # Only an amount that went past build and from_wire, which write it so, can fail here.
        exponent = codes.currency_exponent(self.currency_code)
        try:
            written = money.format_units(money.units_of(self.amount, exponent), exponent)
        except InvalidAmount as error:
            raise InvalidMessage([FieldError("amount", str(error))]) from error
        if self.amount != written:
            raise InvalidMessage([FieldError("amount", f"{self.amount} is to be written {written}")])
        return self
