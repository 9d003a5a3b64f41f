"""The whole examination, of a shop that is well and of one that is not."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.doctor.examination import is_well, run_checks
from wallet_gateway.findings import Code, error, ok, warning
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_shop_that_works_is_well(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    found = run_checks()
    assert is_well(found), found
    subjects = {finding.subject.split(" ")[0] for finding in found}
    assert {"settings", "keys", "database", "gateway", "clock", "sweep"} >= subjects >= {"keys", "gateway"}


def test_going_live_asks_for_more(wallet_sandbox: SandboxControl) -> None:
    payments.sweep()
    assert not is_well(run_checks(go_live=True))


def test_with_wrong_settings_nothing_else_is_tried(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {"GATEWAYS": {}}
    found = run_checks()
    assert not is_well(found)
    assert {finding.subject for finding in found} == {"settings"}


def test_a_warning_alone_is_well() -> None:
    well = ok(Code.CHECKS_PASSED, "settings")
    assert is_well((well, warning(Code.SENDING_DISABLED, "gateway default")))
    assert not is_well((well, error(Code.NEVER_SWEPT, "sweep", gateway="default")))
