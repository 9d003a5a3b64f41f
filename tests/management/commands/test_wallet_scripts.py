"""`manage.py wallet_scripts` against a shop that really serves its pages."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.nameless_receivers import nameless
from tests.web.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.management.commands import wallet_scripts
from wallet_gateway.management.page_visit import FetchedPage
from wallet_gateway.signals import page_scripts_changed
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    return tmp_path / "scripts.json"


@pytest.fixture
def shop(live_server: LiveServer, wallet_sandbox: SandboxControl, settings: Settings) -> str:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": live_server.url}
    an_order()
    return live_server.url


def run(inventory: Path, *words: str) -> str:
    printed = StringIO()
    call_command("wallet_scripts", "--inventory", str(inventory), *words, stdout=printed)
    return printed.getvalue()


def test_the_inventory_names_every_script_with_owner_reason_hash_and_date(shop: str, inventory: Path) -> None:
    run(inventory, "--approve")
    scripts = json.loads(inventory.read_text())["scripts"]
    names = {entry["url"].partition("?")[0].rsplit("/", 1)[-1] for entry in scripts}
    assert {"page.js", "pay.js", "main.js", "pay_button.js", "run.js", "payment.js", "pending.js"} <= names
    for entry in scripts:
        assert set(entry) == {"url", "owner", "reason", "hash", "date"}
        assert all(entry.values()), entry
        assert entry["hash"].startswith("sha256-")


def _edited(inventory: Path, old: str, new: str) -> None:
    text = inventory.read_text()
    assert old in text
    inventory.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("sha256-", "sha256-AAAA", "script changed: "),
        ("/page.js", "/pagf.js", "new script: "),
        ("/page.js", "/pagf.js", "script gone: "),
        ("same-origin-allow-popups", "unsafe-none", "Cross-Origin-Opener-Policy was 'unsafe-none'"),
    ],
)
def test_every_change_is_told_by_exit_code_and_signal(
    shop: str, inventory: Path, old: str, new: str, words: str
) -> None:
    run(inventory, "--approve")
    _edited(inventory, old, new)
    told: list[tuple[str, ...]] = []

    def hear(changes: tuple[str, ...], **_: object) -> None:
        told.append(changes)

    page_scripts_changed.connect(hear)
    try:
        with pytest.raises(CommandError, match=words) as fault:
            run(inventory)
    finally:
        page_scripts_changed.disconnect(hear)
    assert fault.value.returncode == 1
    assert len(told) == 1
    assert any(words in change for change in told[0])


def test_a_script_of_nobodys_needs_a_reason_to_be_approved(
    shop: str, inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = FetchedPage(headers={}, scripts={"https://cdn.example/chat.js": "sha256-A"})
    monkeypatch.setattr(wallet_scripts, "visit", lambda url: seen)
    with pytest.raises(CommandError, match="why is https://cdn") as fault:
        run(inventory, "--approve")
    assert fault.value.returncode == 2
    run(inventory, "--approve", "--reason", "https://cdn.example/chat.js", "customers ask for help")
    [entry] = json.loads(inventory.read_text())["scripts"]
    assert (entry["owner"], entry["reason"]) == ("the shop", "customers ask for help")


@pytest.mark.parametrize("text", ["{", "[]", '{"scripts": [{}], "pages": []}'])
def test_a_file_that_is_no_inventory_is_not_overwritten(shop: str, inventory: Path, text: str) -> None:
    inventory.write_text(text)
    with pytest.raises(CommandError, match="no inventory"):
        run(inventory, "--approve")
    assert inventory.read_text() == text


def test_where_nothing_can_be_seen_nothing_is_said_to_be_well(shop: str, inventory: Path) -> None:
    with pytest.raises(CommandError, match="could not be fetched") as fault:
        run(inventory, "--page", "http://127.0.0.1:9/")
    assert fault.value.returncode == 2


def test_a_shop_without_an_order_to_pay_is_asked_for_a_page(live_server: LiveServer, inventory: Path) -> None:
    an_order(OrderState.PAID)
    with pytest.raises(CommandError, match="--page"):
        run(inventory)
