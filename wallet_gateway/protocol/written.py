"""A message that was checked when it was made: its JSON values, and the bytes to send, written once."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from wallet_gateway.protocol.wire import WireModel

W = TypeVar("W", bound=WireModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMessage(Generic[W]):
    """A message as JSON values and as bytes that say the same; `repr` shows neither."""

    model: type[W]
    values: dict[str, Any] = field(repr=False)
    """Under canonical names; read only."""
    body: bytes = field(repr=False)

    def message(self) -> W:
        """Return the message itself; raises InvalidMessage if the values break a rule."""
        return self.model.from_canonical(self.values)

    def to_wire(self) -> dict[str, Any]:
        """Return a copy of the values, as the message does."""
        return copy.deepcopy(self.values)

    def to_json(self) -> bytes:
        """Return the bytes to send."""
        return self.body


def write_down(message: W) -> WrittenMessage[W]:
    """Return a message with its values and bytes."""
    return WrittenMessage(model=type(message), values=message.to_wire(), body=message.to_json())
