"""The errors of the wire protocol.

::

    ProtocolError (a ValueError)
    ├── InvalidAmount     text or number that is not an amount of its currency
    ├── InvalidTime       text that is not a point in time
    ├── UnknownCode       not a currency, country or subdivision of the ISO tables
    ├── UnreadableBody    bytes that are not the strict JSON this interface speaks
    └── InvalidMessage    readable, but breaks the field tables; lists every fault with its path

Code that builds or reads a message raises these; nothing here depends on a message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class ProtocolError(ValueError):
    """The base of every error this package raises about a value."""


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
    """One fault of a message: its path in canonical wire names, and what would be right."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def under(self, prefix: str) -> FieldError:
        """Return the fault with a path relative to the object that holds this one as ``prefix``."""
        return FieldError(join_path(prefix, self.path), self.message)


class InvalidMessage(ProtocolError):
    """A message that breaks the field tables; ``errors`` holds every fault found, not only the first."""

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
