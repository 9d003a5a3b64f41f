"""A shop's receiver that remembers what it was told, and fails as often as it is set to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Receiver:
    """A shop's receiver that remembers what it was told, and fails as often as it is set to."""

    failures: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.__qualname__ = type(self).__name__

    def __call__(self, **kwargs: Any) -> None:
        self.told.append(kwargs)
        if len(self.told) <= self.failures:
            raise ValueError("the shop's warehouse is closed")

    @property
    def ids(self) -> list[str]:
        return [told["event_id"] for told in self.told]
