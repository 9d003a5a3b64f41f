"""The bridges to other shops, each in a shop of its own: Django reads `INSTALLED_APPS` once in a process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

pytestmark = [pytest.mark.wire, pytest.mark.slow]

# Of the other packages, with a Django that is newer than they are; ours may not warn in any other test.
TOLERATED = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")


@pytest.mark.parametrize(
    ("shop", "package"),
    [("oscar", "oscar"), ("django_payments", "payments"), ("salesman", "salesman"), ("own_order", "django")],
)
def test_every_flow_works_in(shop: str, package: str) -> None:
    pytest.importorskip(package, reason="salesman's releases exclude Django 6")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        *TOLERATED,
    ]
    flows = sorted(str(file) for file in (ROOT / "tests/contrib" / shop).glob("*_flow.py"))
    assert flows
    done = subprocess.run(
        [*command, "--nomigrations", f"--ds=tests.contrib.{shop}.settings", *flows],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
