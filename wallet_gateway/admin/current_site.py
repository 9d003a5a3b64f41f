"""The admin site of the current request, and URLs within it.

A project may have more than one `AdminSite`. Links stay in the site that serves the request, also where a
column or a text has no request at hand; so the site is remembered as Django remembers the current language.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

from django import urls
from django.contrib.admin import AdminSite
from django.core.signals import request_finished
from django.http import HttpRequest

_current: ContextVar[str | None] = ContextVar("wallet_gateway_admin_site", default=None)


def enter_site(site: AdminSite, request: HttpRequest) -> None:
    """Let `reverse` and the templates' `url` tag link to this site until the end of the request."""
    request.current_app = site.name
    _current.set(site.name)


def reverse(name: str, args: Sequence[object] | None = None) -> str:
    """Return a URL of the admin, such as `admin:index`, in the current site, or else in the default one."""
    return urls.reverse(name, args=args, current_app=_current.get())


def _leave_site(**_: object) -> None:
    _current.set(None)


request_finished.connect(_leave_site)
