"""Kinds of values: what counts as a number, an address, this machine, something to call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.client.certificates import make_certificate
from tests.tables import every
from wallet_gateway.conf.values import (
    end_of_certificate,
    has_dot_segment,
    is_local,
    is_loopback,
    is_readable_by_others,
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
        "https://thief.example\\.shop.example",
        "https://thief.example%2f.shop.example",
        "https://thief.example;.shop.example",
        "https://thief example.shop.example",
        "https://thief.example\u3002shop.example",
        " https://shop.example",
        "https://shop.ex\tample",
        "https://shop.example/wallet\n",
        "https://[::1].shop.example",
        "https://*.shop.example",
        "https://.shop.example",
        "https://seven..shop.example",
        "https://shop.example:٤٤٣",
    ],
)
def test_what_is_no_plain_web_address_has_no_parts(value: object) -> None:
    assert split_address(value) is None


@every(
    ("host", "expected"),
    [
        ("LOCALHOST.", True),
        ("shop.localhost", True),
        # Private networks name their servers so, a proxy to the provider among them.
        ("proxy.corp.local", False),
        ("127.1", True),
        ("2130706433", True),
        ("0177.0.0.1", True),
        ("::ffff:127.0.0.1", True),
        ("fe80::1%eth0", True),
        ("169.254.1.1", True),
        ("::", True),
        ("224.0.0.1", True),
        ("10.0.0.1", False),
        ("93.184.216.34", False),
        ("2606:2800:220:1::1", False),
        ("localhost.example", False),
        ("", False),
        (None, False),
    ],
)
def test_local_is_this_machine_and_its_link_in_every_spelling(host: str | None, expected: bool) -> None:
    assert is_local(host) is expected


@every(
    ("path", "expected"),
    [
        ("/api/v5", False),
        ("/a..b/...", False),
        ("/.well-known/x", False),
        ("/a/../b", True),
        ("/a/.", True),
        ("/a/%2E%2e/b", True),
        ("/a/..\\b", True),
    ],
)
def test_a_step_to_the_folder_above_is_found(path: str, expected: bool) -> None:
    assert has_dot_segment(path) is expected


def test_a_file_is_open_to_others_by_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.touch()
    for mode, expected in ((0o600, False), (0o640, False), (0o644, True)):
        file.chmod(mode)
        assert is_readable_by_others(file) is expected
    assert not is_readable_by_others(tmp_path / "missing")


def test_the_end_of_a_certificate_is_read_from_its_file(tmp_path: Path) -> None:
    ends = end_of_certificate(make_certificate(tmp_path, days_left=7).file)
    assert ends is not None
    assert timedelta(days=6) < ends - datetime.now(UTC) < timedelta(days=8)
    assert end_of_certificate(Path(__file__)) is None
    assert end_of_certificate(tmp_path / "missing") is None
