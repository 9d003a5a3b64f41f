"""The base of the settings' models: names, types, and the sentence for each wrong value.

A section is a dict of the settings. Its fields are named as the settings are, in lower case. pydantic judges
all of them at once, and what it finds becomes `Problem`s with full names; no value is repeated in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, cast, get_args

from django.core.exceptions import ImproperlyConfigured
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Strict,
    ValidationError,
    ValidationInfo,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from wallet_gateway.conf.values import Problem, import_fault, unknown_name
from wallet_gateway.protocol.wire import BuiltOnFirstUse

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import ErrorDetails

FERNET_KEYS: Final = "FERNET_KEYS"
LIVE: Final = "prod"
"""The value of `PROFILE` with which real money moves."""


class WrongSettings(ImproperlyConfigured):
    """Everything that is missing or wrong in what was read, as problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class Faults(ValueError):
    """Problems below the setting that a validator has read; their names, such as `['EUR']`, begin there."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a value is judged by, beside the value itself."""

    given: Mapping[str, Any] = field(repr=False)
    """The dict that is read: the whole setting, or one gateway's."""
    debug: bool
    live: bool
    """Whether real money moves."""
    alias: str = ""
    """Of the gateway that is read."""
    public_origin: str = ""
    """Of the shop, for a gateway without one."""


def context_of(info: ValidationInfo) -> Context:
    """Return what a validator judges by."""
    return cast(Context, info.context)


class Section(BuiltOnFirstUse):
    """One dict of the settings."""

    model_config = ConfigDict(
        alias_generator=str.upper,
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        strict=True,
    )

    @classmethod
    def from_given(cls, where: str, given: object, context: Context) -> Self:
        """Return the section; raises `WrongSettings` that names all that is wrong below `where`."""
        try:
            return cls.model_validate(given, context=context)
        except ValidationError as error:
            problems = [*_problems(where, error, cls)]
        # Outside of the clause, so that nothing is chained to it: pydantic's error holds the values.
        raise WrongSettings(problems)


AS_DICT: Final = Strict(strict=False)
"""Lets a section be given as a dict."""


def settings_in(section: type[Section]) -> dict[str, FieldInfo]:
    """Return the fields of a section by the names of their settings."""
    return {field.alias or name.upper(): field for name, field in section.model_fields.items()}


def section_of(annotation: object) -> type[Section] | None:
    """Return the section that a field holds; None for a field that holds a value."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(section_of, get_args(annotation))), None)


class Rule:
    """What a value of the right type follows, and how it is told to a person."""

    def __init__(self, is_valid: Callable[[Any], object], expected: str) -> None:
        self._is_valid, self.expected = is_valid, expected

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Put the rule behind pydantic's check of the type."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, value: object) -> object:
        if not self._is_valid(value):
            raise ValueError(self.expected)
        return value


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list | tuple | set | frozenset) else value


def _importable(path: str) -> str:
    if path and (fault := import_fault(path)):
        raise ValueError(f"the dotted path of a callable, such as 'shop.payments.sign'; {fault}")
    return path


ITEMS: Final = BeforeValidator(_as_tuple)
"""Lets a tuple be given as a list, tuple or set."""
DottedPath = Annotated[str, AfterValidator(_importable)]
"""The dotted path of a callable, or nothing."""
Line = Annotated[str, Rule(str.isprintable, "one line, without control characters")]


# What pydantic has found, in our sentences


def full_name(where: str, *path: object) -> str:
    """Return the name of a setting, such as `WALLET_GATEWAY['GATEWAYS']['default']['AUTH']`."""
    return where + "".join(f"[{step!r}]" for step in path)


def _problems(where: str, error: ValidationError, section: type[Section]) -> Iterator[Problem]:
    for found in error.errors(include_url=False):
        name, cause = full_name(where, *_path(found, section)), found.get("ctx", {}).get("error")
        if isinstance(cause, Faults):
            for below in cause.problems:
                yield Problem(setting=name + below.setting, expected=below.expected)
        else:
            yield Problem(setting=name, expected=_expected(found, section))


def _path(found: ErrorDetails, section: type[Section] | None) -> Iterator[object]:
    """Yield the names that lead to a setting: for a default value pydantic has the field's own name."""
    for step in found["loc"]:
        known = {} if section is None else settings_in(section)
        if found["type"] not in _UNKNOWN and section is not None and step in section.model_fields:
            step = next(name for name, field in known.items() if field is section.model_fields[str(step)])
        yield step
        section = section_of(known[str(step)].annotation) if step in known else None


def _expected(found: ErrorDetails, section: type[Section]) -> str:
    kind, value, path = found["type"], found["input"], found["loc"]
    if kind == "value_error":
        return str(found["ctx"]["error"])
    if kind in _UNKNOWN:
        return unknown_name(path[-1], _settings_at(section, path[:-1]))
    if kind == "missing":
        field = _settings_at(section, path[:-1])[str(path[-1])]
        rules = [one.expected for one in field.metadata if isinstance(one, Rule)]
        return f"{rules[0] if rules else 'a text'}; it is missing"
    if kind == "literal_error":
        return str(found["ctx"]["expected"])
    if kind == "finite_number" or (kind == "float_type" and type(value) is int):
        return "a finite number"
    words = _IN_WORDS.get(kind, found["msg"])
    hint = ": put it in quotes" if words == "a text" and type(value) in {int, float} else ""
    return f"{words}, not {type(value).__name__}{hint}"


def _settings_at(section: type[Section], path: Sequence[object]) -> Mapping[str, FieldInfo]:
    known = settings_in(section)
    for step in path:
        inner = section_of(known[str(step)].annotation)
        known = {} if inner is None else settings_in(inner)
    return known


_UNKNOWN: Final = frozenset({"extra_forbidden", "invalid_key"})
_IN_WORDS: Mapping[str, str] = {
    "string_type": "a text",
    "string_unicode": "characters, of which none is half of a surrogate pair",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "True or False",
    "tuple_type": "a list, tuple or set",
    "dict_type": "a dict",
    "model_type": "a dict",
}
"""Descriptions of the expected types, by pydantic's name of the fault."""
