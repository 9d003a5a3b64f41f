"""The base of every message: how it is read, written and checked.

A message is a frozen value. ``build`` makes it from Python values, ``from_wire`` and ``from_json`` from what
the other party sent. All three normalize first: names become canonical, and the currency, once found, says
how many decimals the amounts below it have. Then pydantic checks every field by its type, and the rules
between the fields of each object whose fields are right by themselves. Every fault found is reported at once.
The constructor is pydantic's own: it takes canonical values only and raises pydantic's error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel

from wallet_gateway.protocol import codes, strict_json
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, UnknownCode
from wallet_gateway.protocol.field_types import (
    PATTERN_MESSAGES,
    CurrencyCode,
    Identifier,
    OwnReference,
    PositiveAmount,
    Reading,
    RepeatedField,
    UnquotedNumber,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText, fold_name
from wallet_gateway.protocol.text import quote

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CURRENCY: Final = "currencyCode"
"""The field that says how many decimals the amounts of a message have."""

MISSING: Final = "is missing; it is mandatory"
MISSING_WHERE: Final = "is missing; it is required where {}"
_BUILDING: Final = RLock()

Condition: TypeAlias = Callable[[Mapping[str, Any]], bool]
"""Decides by a message's values, by attribute."""


class _Name(str):
    """A field's name, shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class BuiltOnFirstUse(BaseModel):
    """A model whose validator is made when it is first needed: all of them together take long at start."""

    model_config = ConfigDict(defer_build=True)

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:
        """Make the validator, unless it is there; pydantic calls this on first use."""
        # One thread builds and others wait: not every release of pydantic sees to that by itself.
        with _BUILDING:
            return super().model_rebuild(**options)

    @classmethod
    def build_all(cls) -> None:
        """Make the validators of all subclasses; raises pydantic's error where that cannot be done."""
        for model in cls.__subclasses__():
            model.model_rebuild()
            model.build_all()


class WireModel(BuiltOnFirstUse):
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
    """Other spellings in the interface's examples, to the canonical wire name."""

    required_where: ClassVar[Mapping[str, tuple[str, Condition]]] = {}
    """Fields that are required because of others, by attribute: in words, and decided by all values."""

    is_answer: ClassVar[bool] = False
    """An answer and its parts are read more tolerantly: numbers for text, zeros beyond the decimals."""

    wire_names: ClassVar[Mapping[str, str]] = {}
    """The canonical wire names by attribute."""

    spellings: ClassVar[Mapping[str, str]] = {}
    """The canonical wire names by every canonical, case-folded and alternative spelling."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Derive the names of a message from its fields, once."""
        super().__pydantic_init_subclass__(**kwargs)
        # Not every release of pydantic has written the aliases into the fields by now.
        cls.wire_names = {name: field.alias or to_camel(name) for name, field in cls.model_fields.items()}
        canonical = {name: name for name in cls.wire_names.values()}
        folded = {fold_name(other): name for other, name in {**canonical, **cls.alternative_names}.items()}
        cls.spellings = folded | canonical

    # Reading

    @classmethod
    def build(cls, **values: object) -> Self:
        """Make the message from Python values in snake_case; raises InvalidMessage with every fault.

        An unknown name is a TypeError, as for any function.
        """
        return cls.checked(values, Reading(is_from_python=True, is_answer=False))

    @classmethod
    def from_wire(cls, source: object) -> Self:
        """Read a JSON object in any letter case and documented spelling; raises InvalidMessage.

        Unknown names are ignored.

        "Example payloads vary in letter case of field names" (General conventions).
        """
        if not isinstance(source, Mapping):
            raise InvalidMessage([FieldError("", f"{quote(source)} is no JSON object")])
        return cls.checked(source, Reading(is_from_python=False, is_answer=cls.is_answer))

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Read the bytes of a message; raises UnreadableBody or InvalidMessage."""
        return cls.from_wire(strict_json.loads(data))

    @classmethod
    def checked(cls, values: Mapping[str, Any], reading: Reading | None = None) -> Self:
        """Validate values; without a reading they are as ``to_wire`` writes them. Raises InvalidMessage."""
        try:
            return cls.model_validate(values, context=reading, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidMessage(_field_errors(error)) from error

    @model_validator(mode="wrap")
    @classmethod
    def _normalize(
        cls, source: object, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Give the values canonical names, and note the currency for the amounts of this object and below."""
        reading: Reading | None = info.context
        if reading is not None and isinstance(source, cls):
            # It may have been read without a currency, and with other decimals than that has.
            source = source.model_dump(by_alias=not reading.is_from_python)
        if reading is None or not isinstance(source, Mapping):
            return validate(source)
        if reading.is_from_python:
            wire_names = cls.wire_names
            try:
                values = {wire_names[name]: value for name, value in source.items()}
            except KeyError as error:
                raise TypeError(f"{cls.__name__} has no field {quote(error.args[0])}") from None
        else:
            values = cls._from_spellings(source, is_answer=reading.is_answer)
        if CURRENCY in values:
            # Of an unknown one its own field says what is wrong.
            reading.currency, code = None, values[CURRENCY]
            with suppress(UnknownCode):
                reading.currency = codes.check_currency(code) if isinstance(code, str) else None
        return validate(values)

    @classmethod
    def _from_spellings(cls, source: Mapping[str, Any], *, is_answer: bool) -> dict[str, Any]:
        spellings, values = cls.spellings, dict[str, Any]()
        for name, value in source.items():
            wire_name = spellings.get(name) or spellings.get(fold_name(name))
            if wire_name is None:
                continue
            if wire_name in values:
                # Parsers disagree on which of two values counts, so neither does.
                names = [quote(name) for name in source if spellings.get(fold_name(name)) == wire_name]
                message = f"is given more than once, as {' and '.join(names)}; send {wire_name} alone"
                value = RepeatedField(message)
            elif type(value) is NumberText and not is_answer:
                value = UnquotedNumber(value)
            values[wire_name] = value
        return values

    # Writing

    def to_wire(self) -> dict[str, Any]:
        """Return the message as JSON values under canonical names, without what is None."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_json(self) -> bytes:
        """Return the message as bytes to send; the same message always gives the same bytes."""
        return self.model_dump_json(exclude_none=True).encode()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy; one with changes is checked like any other message."""
        return self.build(**{**dict(self), **update}) if update else super().model_copy(deep=deep)

    def __repr_args__(self) -> Iterator[tuple[None, _Name]]:
        """Show the names of the given fields only: values are personal data, and a repr gets into logs."""
        return ((None, _Name(name)) for name, value in self if value is not None)

    __str__ = BaseModel.__repr__

    # The rules between fields

    @classmethod
    def missing_in(cls, values: Mapping[str, Any]) -> Iterator[FieldError]:
        """Yield each field that is missing although its condition holds, given all values by attribute."""
        for name, (condition, holds) in cls.required_where.items():
            if values[name] in (None, "") and holds(values):
                yield FieldError(cls.wire_names[name], MISSING_WHERE.format(condition))

    def faults(self) -> Iterable[FieldError]:
        """Return what else is wrong between fields that are right by themselves. For subclasses."""
        return ()

    @model_validator(mode="after")
    def _keeps_the_rules(self) -> Self:
        if faults := [*self.faults(), *self.missing_in(vars(self))]:
            raise InvalidMessage(faults)
        return self


class TransactionRequest(WireModel):
    """The fields that every request that moves money begins with."""

    merchant_id: Identifier
    store_id: Identifier
    user_id: Identifier
    type: str
    amount: PositiveAmount
    currency_code: CurrencyCode
    client_system_transaction_id: OwnReference

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money.parse(self.amount, self.currency_code)


# Pydantic's faults in our sentences


def faults_without_values(error: InvalidMessage) -> list[FieldError]:
    """Give the faults of a message that no value may leave: of a text they tell the length alone."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return list(error.errors)
    return list(_field_errors(cause, with_values=False))


def _field_errors(error: ValidationError, *, with_values: bool = True) -> Iterator[FieldError]:
    """Give every fault pydantic found, with its canonical path and our sentence."""
    for details in error.errors(include_url=False):
        path = ""
        for step in details["loc"]:
            path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
        if not with_values and isinstance(details["input"], str):
            details["input"] = f"{len(details['input'])} characters"
        cause = details.get("ctx", {}).get("error")
        if isinstance(cause, InvalidMessage):
            yield from (fault.under(path) for fault in cause.errors)
        else:
            yield FieldError(path, _error_message(details))


def _error_message(details: ErrorDetails) -> str:
    """Say what is wrong and what would be right; a value is quoted shortly or not at all."""
    value, kind = details["input"], details["type"]
    if value is None or kind == "missing":
        return MISSING
    if isinstance(value, RepeatedField):
        return value.message
    if isinstance(value, UnquotedNumber):
        if kind in {"string_type", "enum", "literal_error"}:
            return f"{quote(value.digits)} is a number; send text, in quotes"
        value = value.digits
    if kind == "string_pattern_mismatch":
        return PATTERN_MESSAGES[details["ctx"]["pattern"]](value)
    if kind in _MESSAGES:
        return _MESSAGES[kind].format(quote(value), **details.get("ctx", {}))
    return details["msg"]


_MESSAGES = {
    "string_type": "{0} is no text; give text",
    "string_unicode": "holds half of a surrogate pair, which is no character",
    "string_too_long": "is too long; at most {max_length} characters are allowed",
    "int_type": "{0} is no whole number; give one, without quotes",
    "greater_than_equal": "{0} is too small; the least is {ge}",
    "less_than_equal": "{0} is too large; the most is {le}",
    "enum": "{0} is not known; give {expected}",
    "literal_error": "{0} is not known; give {expected}",
    "model_type": "{0} is no object; give one",
    "tuple_type": "{0} is no list; give one",
    "value_error": "{error}",
}
