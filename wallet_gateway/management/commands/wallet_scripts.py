"""`manage.py wallet_scripts`: list the scripts of a payment page, so that two lists can be compared."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import urllib3
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from wallet_gateway import conf
from wallet_gateway.models import PaymentOrder

_NEWEST = 200
_SECONDS = 30.0


class Command(BaseCommand):
    """Fetch one page and print each of its scripts with the hash of what is served, and its `integrity`."""

    help = "List the scripts of a payment page, with the hash of each."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--page",
            metavar="URL",
            help="the page; without it, the button page of the newest order that can be paid",
        )

    def handle(self, *, page: str | None, **options: Any) -> None:  # noqa: ARG002
        if page is None:
            orders = PaymentOrder.objects.order_by("-pk")[:_NEWEST]
            order = next((order for order in orders if order.is_payable), None)
            if order is None:
                raise CommandError(
                    "no order can be paid, so there is no page with a button; name one with --page"
                )
            path = reverse("wallet_gateway:pay", args=[order.token])
            page = conf.gateway_settings(order.gateway).public_origin + path
        # It asks no proxy: that could show another page than customers see.
        with urllib3.PoolManager(timeout=_SECONDS, retries=False) as pool:
            scripts = _Scripts()
            scripts.feed(_fetched(pool, page).decode("utf-8", "replace"))
            for source, integrity in scripts.linked:
                url = urljoin(page, source)
                self.stdout.write(f"{url}\n  {_hash(_fetched(pool, url))}, integrity: {integrity or 'none'}")
        for inline in scripts.inline:
            self.stdout.write(f"inline\n  {_hash(inline.encode())}")


class _Scripts(HTMLParser):
    """The scripts and preloaded modules of a page, and the wallet's script, whose URL is an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.linked: list[tuple[str, str | None]] = []
        self.inline: list[str] = []
        self._is_inline = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        source = given.get("src") if tag == "script" else None
        module = given.get("href") if tag == "link" and given.get("rel") == "modulepreload" else None
        urls = (source, module, given.get("data-pay-js-url"))
        self.linked += [(url, given.get("integrity") if url == source else None) for url in urls if url]
        self._is_inline = tag == "script" and not source

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - Python's signature
        self._is_inline = False

    def handle_data(self, data: str) -> None:
        if self._is_inline and data.strip():
            self.inline.append(data)


def _fetched(pool: urllib3.PoolManager, url: str) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise CommandError(f"{url} could not be fetched: it is not an http or https address")
    try:
        answer = pool.request("GET", url, redirect=False)
    except urllib3.exceptions.HTTPError as error:
        raise CommandError(f"{url} could not be fetched: {error}") from error
    if answer.status != 200:
        raise CommandError(f"{url} could not be fetched: it answered with status {answer.status}")
    return answer.data


def _hash(script: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script).digest()).decode()
