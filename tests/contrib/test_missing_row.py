"""A deleted row is an error in the log if its order holds money, and is not logged otherwise."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from wallet_gateway.contrib.missing_row import log_missing
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder

WITH_MONEY = {"AUTHORIZED", "PART_CAPTURED", "PAID", "PART_REFUNDED", "OVERPAID"}
# Of a frozen one `order_anomaly` calls a person anyway.


def test_only_an_order_that_holds_money_is_missed(caplog: pytest.LogCaptureFixture) -> None:
    for state in OrderState:
        log_missing(PaymentOrder(reference=f"OF-{state}", state=state), "the order")
    assert {line.getMessage().split()[1] for line in caplog.records} == {
        f"OF-{state}" for state in WITH_MONEY
    }


def test_the_line_is_an_error_with_reference_state_and_section_of_the_runbook(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log_missing(PaymentOrder(reference="SHOP-1001", state="PAID"), "the order")
    (line,) = caplog.records
    assert (line.name, line.levelname) == ("wallet_gateway.bridges", "ERROR")
    said, _, place = line.getMessage().partition("; see ")
    assert said == "order SHOP-1001 holds money (PAID), and the order of it is gone"
    page, _, anchor = place.partition("#")
    text = Path(unquote(urlsplit(page).path)).read_text(encoding="utf-8")
    assert "### " + anchor.replace("-", " ") in text.lower()
