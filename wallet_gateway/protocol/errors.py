"""The errors of the wire language, and how a refused value is quoted in them.

::

    ProtocolError (a ValueError)
    ├── InvalidAmount     text or number that is not an amount of its currency
    ├── InvalidTime       text that is not a point in time
    ├── UnknownCode       not a currency, country or subdivision of the ISO tables
    ├── UnreadableBody    bytes that are not the strict JSON this interface speaks
    └── InvalidMessage    readable, but breaks the field tables; lists every fault with its path

Nothing here knows a message; who builds or reads one raises these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_EXCERPT_LENGTH = 60


class ProtocolError(ValueError):
    """Base of everything this package raises about a value; catch it to catch all."""


class InvalidAmount(ProtocolError):
    """A text or number that is not an amount of its currency."""


class InvalidTime(ProtocolError):
    """A text that is not a point in time."""


class UnknownCode(ProtocolError):
    """A code that is not in the ISO table its field refers to."""


class UnreadableBody(ProtocolError):
    """Bytes that are not strict JSON, or more of it than is read."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a message: where, in canonical wire names, and what would be right."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def under(self, prefix: str) -> FieldError:
        """The same fault seen from the object that holds this one as ``prefix``."""
        return FieldError(join_path(prefix, self.path), self.message)


class InvalidMessage(ProtocolError):
    """A message that breaks the field tables; ``errors`` holds every fault found, not the first one."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors: tuple[FieldError, ...] = tuple(errors)
        super().__init__("\n".join(str(error) for error in self.errors))

    def __reduce__(self) -> tuple[type[InvalidMessage], tuple[tuple[FieldError, ...]]]:
        return type(self), (self.errors,)


def join_path(prefix: str, path: str) -> str:
    """Join two wire paths: ``a`` and ``b`` give ``a.b``, ``a`` and ``[0].b`` give ``a[0].b``."""
    if not prefix or not path:
        return prefix or path
    return f"{prefix}{path}" if path.startswith("[") else f"{prefix}.{path}"


def excerpt(value: object) -> str:
    """Quote a value in at most 60 ASCII characters, escaped, so that an error is safe to log and to show."""
    if isinstance(value, str):
        quoted = ascii(str(value[:_EXCERPT_LENGTH]))
        whole = len(value) <= _EXCERPT_LENGTH
    elif value is None or isinstance(value, bool | float):
        return str(value)
    elif isinstance(value, int):
        # Python refuses to print an integer of more than 4300 digits, and printing a long one is slow.
        return str(value) if value.bit_length() < 150 else "a number of many digits"
    else:
        return f"a value of type {type(value).__name__}"[:_EXCERPT_LENGTH]
    if whole and len(quoted) <= _EXCERPT_LENGTH:
        return quoted
    return quoted[: _EXCERPT_LENGTH - 3] + "..."
