"""What is approved: reasons that are shipped, dates that stay, changes in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE
from wallet_gateway.management.page_visit import FetchedPage
from wallet_gateway.management.script_inventory import (
    Inventory,
    approve,
    known_reason,
)

PAGE = "https://shop.example/wallet/pay/*/"
OURS = "https://shop.example/static/wallet_gateway/wallet.js"
STATIC = PACKAGE / "static"
OURS_ON_PAGES = STATIC / "wallet_gateway"


def seen(hashed: str = "sha256-A", **headers: str) -> dict[str, FetchedPage]:
    return {PAGE: FetchedPage(headers=headers, scripts={OURS: hashed})}


@pytest.mark.parametrize(
    "path",
    sorted(
        [*OURS_ON_PAGES.glob("*.js"), *OURS_ON_PAGES.glob("wallet/*.js"), *OURS_ON_PAGES.glob("page/*.js")]
    ),
    ids=lambda path: path.name,
)
def test_every_script_we_ship_has_its_reason(path: Path) -> None:
    owner, reason = known_reason(f"https://cdn.example/static/{path.relative_to(STATIC).as_posix()}")
    assert owner == "django-wallet-gateway"
    assert reason


def test_a_hashed_name_has_the_reason_of_its_script() -> None:
    hashed = "https://shop.example/static/wallet_gateway/wallet.0123456789ab.js"
    assert known_reason(hashed) == known_reason(OURS)


def test_what_has_not_changed_keeps_its_date() -> None:
    first = approve(seen(), Inventory(), reasons={}, date="2026-01-01")
    again = approve(seen(), first, reasons={}, date="2026-02-02")
    changed = approve(seen("sha256-B"), again, reasons={}, date="2026-03-03")
    assert [one.scripts[OURS].date for one in (first, again, changed)] == [
        "2026-01-01",
        "2026-01-01",
        "2026-03-03",
    ]


def test_a_page_that_was_not_looked_at_is_a_change() -> None:
    approved = approve(seen(Referrer="no"), Inventory(), reasons={}, date="2026-01-01")
    assert list(approved.changes({})) == [
        f"script gone: {OURS}",
        f"header of {PAGE}: Referrer was 'no', is None",
    ]
