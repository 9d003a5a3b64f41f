"""A page as a person sees it: its words, what stands beside what, where links lead, what its form holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from wallet_gateway.models import PaymentOrder

HOME = "/admin/wallet_gateway/"
DASHBOARD = f"{HOME}dashboard/"
DEPOSITS = f"{HOME}migrateddeposit/"
_INLINE = re.compile(r"</?(?:a|b|bdi|em|small|span|strong|time)\b[^>]*>")
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)


def words(html: str) -> str:
    """Return the text of a piece of HTML, in one line."""
    return " ".join(
        unescape(_UNSEEN.sub(" ", _INLINE.sub("", html))).replace("\N{NO-BREAK SPACE}", " ").split()
    )


class Page:
    """One answer of a server, whose status was a page's."""

    def __init__(self, html: str, url: str) -> None:
        self.html, self.url = html, url

    @cached_property
    def text(self) -> str:
        return words(self.html)

    @cached_property
    def facts(self) -> dict[str, str]:
        """What is said of each name in the page's lists of facts."""
        return {words(name): words(said) for name, said in self._found(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>")}

    @cached_property
    def links(self) -> dict[str, str]:
        """The addresses of links, by their words."""
        return {
            words(label): unescape(url)
            for url, label in self._found(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>')
        }

    @cached_property
    def buttons(self) -> list[str]:
        """What can be pressed in the page's own content, in order: links that look so, too."""
        looks = r'<(?:a|button)\b[^>]*class="wallet-button[^"]*"[^>]*>(.*?)</(?:a|button)>'
        return [words(label) for label in self._found(looks)]

    @cached_property
    def primary(self) -> list[str]:
        """The buttons that a page recommends."""
        return [
            words(label) for label in self._found(r'<(?:a|button)\b[^>]*class="wallet-button"[^>]*>(.*?)</')
        ]

    @cached_property
    def hidden(self) -> dict[str, str]:
        """What the page's forms send along without anybody seeing it."""
        return {
            name: unescape(value)
            for name, value in self._found(r'type="hidden" name="(\w+)" value="([^"]*)"')
        }

    @cached_property
    def faults(self) -> list[str]:
        """What the page says is wrong."""
        return [words(text) for text in self._found(r'role="alert">(.*?)</p>')]

    @cached_property
    def story(self) -> list[str]:
        """The history on an order's page without its times, the newest entry first."""
        lines = self._found(r'<li class="wallet-story__line.*?</time>(.*?)</li>')
        return [words(line) for line in lines]

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row of the page's tables."""
        for row in self._found(r"<tr\b[^>]*>(.*?)</tr>"):
            yield [words(cell) for cell in re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, re.DOTALL)]

    def __contains__(self, words_or_markup: str) -> bool:
        return words_or_markup in self.text or words_or_markup in self.html

    def __repr__(self) -> str:
        return f"<{self.url}: {self.text}>"

    def says(self, *expected: str) -> None:
        missing = [words for words in expected if words not in self]
        assert not missing, f"missing {missing} on {self!r}"

    def lacks(self, *unexpected: str) -> None:
        found = [words for words in unexpected if words in self]
        assert not found, f"found {found} on {self!r}"

    def _found(self, pattern: str) -> list[Any]:
        return re.findall(pattern, self.html, re.DOTALL)


def look(client: Client, url: str, query: dict[str, str] | None = None, *, language: str = "en") -> Page:
    """Open a page."""
    return _page(client.get(url, query, follow=True, headers={"Accept-Language": language}))


def send(client: Client, url: str, *, page: Page | None = None, language: str = "en", **given: Any) -> Page:
    """Fill in and submit the form of a page, opened now or before; return what is read next."""
    shown = page or look(client, url, language=language)
    data = {name: value for name, value in shown.hidden.items() if name != "csrfmiddlewaretoken"} | given
    return _page(client.post(url, data, follow=True, headers={"Accept-Language": language}))


def post(client: Client, url: str, **given: Any) -> Page:
    """Submit a form without having looked at its page."""
    return _page(client.post(url, given, follow=True))


def _page(answer: Any) -> Page:  # noqa: ANN401  Django's private class
    assert answer.status_code == 200, answer.status_code
    return Page(answer.content.decode(), answer.request["PATH_INFO"])


def act(model: str, act: str, *arguments: object) -> str:
    """Return the address of a page about a row, by the name that it has for Django."""
    return reverse(f"admin:wallet_gateway_{model}_{act}", args=arguments)


def order_url(order: PaymentOrder) -> str:
    return act("paymentorder", "change", order.pk)


def operation_url(order: PaymentOrder, slug: str) -> str:
    return act("paymentorder", "operation", order.pk, order.payments.get().pk, slug)


def listed(client: Client, model: str, query: dict[str, str] | None = None) -> list[Any]:
    """Return the rows that a list shows."""
    answer = client.get(f"{HOME}{model}/", query)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def work_on(page: Page) -> dict[str, list[str]]:
    """Return what the dashboard says needs a person, by its heading, each item in its words."""
    kinds = re.findall(
        r'<section class="wallet-work__kind.*?<h3[^>]*>(.*?)<span.*?<ul>(.*?)</ul>', page.html, re.DOTALL
    )
    return {
        words(title): [words(item) for item in re.findall("<li>(.*?)</li>", items, re.DOTALL)]
        for title, items in kinds
    }
