"""A browser in the process of the shop: it opens a page and follows where it is sent, with its cookies.

Django's test client does the same, but leaves a few objects behind with each request: it connects a function
to two signals again and again, and each time a finalizer waits for the end of that function.
"""

from __future__ import annotations

from functools import cache
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING

from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http.response import HttpResponseBase

_MOST_REDIRECTS = 5


@cache
def _shop() -> WSGIHandler:
    return WSGIHandler()


class Browser:
    """One customer's browser."""

    def __init__(self) -> None:
        self._cookies = SimpleCookie()

    def open(self, address: str) -> HttpResponseBase:
        """Open an address of the shop, and what it leads to; return the last answer."""
        for _ in range(_MOST_REDIRECTS):
            answer = self._get(address)
            address = answer.get("Location", "")
            if not address.startswith("/"):
                return answer
        raise AssertionError(f"one redirect after another, the last to {address}")

    def _get(self, address: str) -> HttpResponseBase:
        cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in self._cookies.items())
        request = RequestFactory().get(address, headers={"cookie": cookies})
        answer: HttpResponseBase = _shop()(request.environ, _begin)
        answer.close()
        self._cookies.update(answer.cookies)
        return answer


def _begin(*status_and_headers: object) -> Callable[[bytes], object]:
    return len
