"""The guides of a shop's developer, followed in the shop that the tutorial has made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import pages_run, steps
from tests.docs.tutorial_shop import ShopReader, environment, make_shop, write_metadata

if TYPE_CHECKING:
    from pathlib import Path

    from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    metadata = tmp_path_factory.mktemp("metadata")
    write_metadata(metadata)
    return environment(metadata)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, given: dict[str, str]) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    make_shop(folder, given)
    return folder


@pytest.mark.parametrize("page", pages_run("in the tutorial's shop"))
def test_a_developer_of_the_tutorials_shop_gets_to_the_end_of(
    page: str,
    shop: Path,
    given: dict[str, str],
    tmp_path: Path,
    wallet_sandbox_server: SandboxServer,
    request: pytest.FixtureRequest,
) -> None:
    if page == "docs/how-to/testing.md":
        request.getfixturevalue("browser_of_another")
    wallet_sandbox_server.control.reset()
    with ShopReader(shop, tmp_path, given=given, sandbox=wallet_sandbox_server.base_url) as reader:
        for step in steps(page):
            reader.follow(step)
