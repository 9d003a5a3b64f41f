"""The import of a migration file in a real Chromium: checked, then taken in, on one page and under policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.admin.conftest import MakePerson
from tests.admin.staff_tab import staff_tab
from tests.admin.test_deposit_import import GOOD, HEADER, OTHER
from wallet_gateway.models import MigratedDeposit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def workbench(
    browser: Browser, live_server: LiveServer, make_person: MakePerson, nothing_inline: None
) -> Iterator[tuple[Page, list[str]]]:
    person, complaints = make_person("detached_refund"), list[str]()
    with staff_tab(browser, live_server, person, viewport={"width": 1280, "height": 900}) as page:
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/admin/wallet_gateway/migrateddeposit/import/")
        yield page, complaints


def choose(page: Page, folder: Path, *rows: str) -> None:
    file = folder / "old.csv"
    file.write_text(HEADER + "".join(rows))
    page.get_by_label("Migration file (CSV)").set_input_files(file)


def test_a_file_is_checked_then_taken_in_without_choosing_it_twice(
    workbench: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, complaints = workbench
    take = page.get_by_role("button", name="Take it in")
    assert take.is_disabled()
    why = page.get_by_text("First check the file")
    assert why.is_visible()
    choose(page, tmp_path, GOOD, OTHER)
    page.get_by_role("button", name="Check the file").click()
    page.get_by_text("2 rows are good, 0 are bad. Nothing is taken in yet.").wait_for()
    assert not MigratedDeposit.objects.exists()
    assert why.is_hidden()

    take.click()
    page.get_by_text("The good rows are taken in.").wait_for()
    assert page.get_by_text("Rows checked: 2, taken in: 2").is_visible()
    assert page.get_by_role("link", name="See the deposits").is_visible()
    assert MigratedDeposit.objects.count() == 2
    assert complaints == []
