"""Caches that raise as those do whose server is away."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache

PLACE = "tests.api.failing_cache"


class Away(Exception):
    """The server does not answer; no class that the plugin could know."""


class FailingCache(BaseCache):
    """Nobody answers; `asked` is what the plugin has tried all the same, and `keys` for which keys."""

    asked: ClassVar[list[str]] = []
    keys: ClassVar[list[str]] = []

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def get(self, key: str, *given: Any, **named: Any) -> NoReturn:
        self._raise("get", key)

    def set(self, key: str, *given: Any, **named: Any) -> NoReturn:
        self._raise("set", key)

    def add(self, key: str, *given: Any, **named: Any) -> NoReturn:
        self._raise("add", key)

    def delete(self, key: str, *given: Any, **named: Any) -> NoReturn:
        self._raise("delete", key)

    def _raise(self, method: str, key: str) -> NoReturn:
        self.asked.append(method)
        self.keys.append(key)
        raise Away(method)


class ReadOnlyCache(LocMemCache):
    """A replica that answers, and takes nothing."""

    def set(self, key: str, *given: Any, **named: Any) -> NoReturn:
        raise Away("read only")
