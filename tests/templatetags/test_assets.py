"""The elements that bring stylesheets and scripts, under every kind of content security policy."""

from __future__ import annotations

import pytest
from django.template import Context
from django.test import RequestFactory
from django.utils.functional import SimpleLazyObject
from pytest_django import Settings

from wallet_gateway import __version__
from wallet_gateway.templatetags.assets import nonce_of, script, stylesheet


class LazyNonce:
    """Behaves as Django 6's nonce does: false until somebody has read it."""

    def __init__(self) -> None:
        self._read = False

    def __bool__(self) -> bool:
        return self._read

    def __str__(self) -> str:
        self._read = True
        return "from-django"


def test_elements_without_a_nonce_have_none() -> None:
    assert stylesheet("pages") == '<link href="/static/wallet_gateway/pages.css" rel="stylesheet">'
    address = f"/static/wallet_gateway/pending.js?v={__version__}"
    assert script("pending") == f'<script src="{address}" type="module"></script>'


@pytest.mark.parametrize("static_url", ["https://cdn.example/s/", "//cdn.example/s/"])
def test_a_script_of_another_host_is_fetched_with_cors(settings: Settings, static_url: str) -> None:
    settings.STATIC_URL = static_url
    address = f"{static_url}wallet_gateway/pending.js?v={__version__}"
    assert script("pending") == f'<script crossorigin="anonymous" src="{address}" type="module"></script>'


def test_a_nonce_is_on_the_stylesheet_and_on_the_script() -> None:
    assert 'nonce="r4nd0m"' in stylesheet("pages", nonce="r4nd0m")
    assert 'nonce="r4nd0m"' in script("pending", nonce="r4nd0m")


def test_a_nonce_cannot_break_out_of_its_attribute() -> None:
    assert "&quot;&gt;" in script("pending", nonce='">')


def test_the_nonce_of_the_context_is_taken_though_it_is_false_before_it_is_read() -> None:
    assert nonce_of(Context({"csp_nonce": LazyNonce()})) == "from-django"


def test_the_nonce_of_the_request_is_taken_where_the_context_has_none(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.csp_nonce = SimpleLazyObject(lambda: "from-django-csp")  # type: ignore[attr-defined]
    assert nonce_of(Context({"request": request})) == "from-django-csp"


def test_djangos_nonce_is_found_where_a_project_lacks_the_context_processor(rf: RequestFactory) -> None:
    request = rf.get("/")
    request._csp_nonce = LazyNonce()  # type: ignore[attr-defined]
    assert nonce_of(Context({"request": request})) == "from-django"


@pytest.mark.parametrize("context", [{}, {"request": RequestFactory().get("/")}], ids=["bare", "request"])
def test_a_project_without_nonces_has_none(context: dict[str, object]) -> None:
    assert nonce_of(Context(context)) is None
