"""What a sandbox starts with, and gets back to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.sandbox.control.provision import InvalidMerchantFile, provision
from wallet_gateway.testing.control import SandboxControl


def test_reset_forgets_everything_but_the_built_in_merchant(
    merchant: Merchant, control: SandboxControl, sale: str, deposit: str
) -> None:
    control.add_merchant(merchant_id="M", store_id="S", user_id="u")
    control.fault("*", "throttled", times=0)
    control.behaviour(duplicates="execute")
    control.reset()
    assert control.journal() == []
    assert merchant.send("GET", "/_sandbox/faults").json == []
    assert merchant.records(sale) == []
    assert merchant.detached(new_reference(), deposit).status == 404
    assert merchant.checkout(sale).status == 200
    assert merchant.checkout(new_reference(), merchantId="M", storeId="S", userId="u").status == 403


def write(path: Path, content: str) -> str:
    path.write_text(content)
    return str(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[{", "not JSON"),
        ("{}", "must be a JSON list of objects"),
        ('["M"]', "must be a JSON list of objects"),
        ("[null]", "must be a JSON list of objects"),
    ],
)
def test_a_file_that_lists_no_merchants_is_refused(
    tmp_path: Path,
    settings: Any,  # noqa: ANN401
    content: str,
    reason: str,
) -> None:
    settings.WALLET_SANDBOX_MERCHANTS_FILE = write(tmp_path / "merchants.json", content)
    with pytest.raises(InvalidMerchantFile, match=reason) as error:
        provision()
    assert str(tmp_path / "merchants.json") in str(error.value)


def test_a_missing_file_is_refused(tmp_path: Path, settings: Any) -> None:  # noqa: ANN401
    settings.WALLET_SANDBOX_MERCHANTS_FILE = str(tmp_path / "missing.json")
    with pytest.raises(InvalidMerchantFile, match=r"missing\.json"):
        provision()


def test_the_merchants_of_a_sandbox_at_its_start_are_the_built_in_one(
    merchant: Merchant, control: SandboxControl
) -> None:
    assert merchant.checkout(new_reference()).status == 200
    assert merchant.checkout(new_reference(), storeId="ANOTHER").status == 403
