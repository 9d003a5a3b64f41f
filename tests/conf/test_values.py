"""Kinds of values: what counts as a number, an address, this machine, something to call."""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.conf.values import (
    COLLECTION,
    IN_WORDS,
    has_type,
    is_importable,
    is_loopback,
    is_own_network,
    split_address,
)


@every(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("", False),
        (None, False),
    ],
)
def test_loopback_is_this_machine_and_nothing_else(host: str | None, expected: bool) -> None:
    assert is_loopback(host) is expected


@every(
    ("value", "kind", "expected"),
    [
        (1, int, True),
        (True, int, False),
        (True, bool, True),
        (1, bool, False),
        ("a", str, True),
        (("a",), COLLECTION, True),
        ("a", COLLECTION, False),
    ],
)
def test_true_and_false_are_no_numbers_and_a_text_is_no_list(
    value: object, kind: type | tuple[type, ...], expected: bool
) -> None:
    assert has_type(value, kind) is expected
    assert IN_WORDS[kind]


def test_only_what_can_be_called_is_importable() -> None:
    assert is_importable("wallet_gateway.conf.values.has_type")
    assert not is_importable("wallet_gateway.conf.values.IN_WORDS")
    assert not is_importable("no.such.thing")


@every(
    "value",
    [
        7,
        "",
        "shop.example",
        "ftp://shop.example",
        "https://",
        "https://a@b.example",
        "https://b/?q",
        "http://b:0",
    ],
)
def test_what_is_no_plain_web_address_has_no_parts(value: object) -> None:
    assert split_address(value) is None


@every(
    ("host", "expected"),
    [("localhost", True), ("::1", True), ("169.254.1.1", True), ("10.0.0.1", False), ("a.example", False)],
)
def test_an_own_network_never_leaves_this_machine_and_its_link(host: str, expected: bool) -> None:
    assert is_own_network(host) is expected
    assert not is_own_network(None)


def test_an_address_is_split_into_its_parts() -> None:
    url = split_address("https://shop.example:8443/wallet")
    assert url is not None
    assert (url.scheme, url.netloc, url.path) == ("https", "shop.example:8443", "/wallet")
