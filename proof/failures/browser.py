"""A browser in the process of the shop, which opens a page and follows where it is sent.

Django's test client does the same, but leaves a few objects behind with each request: it connects a function
to two signals again and again, and each time a finalizer waits for the end of that function.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

_MOST_REDIRECTS = 5
_shop = cache(WSGIHandler)


def browse(address: str) -> HttpResponseBase:
    """Open an address of the shop, and what it leads to; return the last answer."""
    for _ in range(_MOST_REDIRECTS):
        answer = _shop()(RequestFactory().get(address).environ, lambda *_: len)
        answer.close()
        address = answer.get("Location", "")
        if not address.startswith("/"):
            return answer
    raise AssertionError(f"one redirect after another, the last to {address}")
