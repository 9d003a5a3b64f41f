"""Findings by their level."""

from __future__ import annotations

from wallet_gateway.doctor.findings import Finding, Level, bad, doubtful, good


def test_each_level_has_its_word() -> None:
    assert good("clock", "agrees") == Finding(level=Level.OK, subject="clock", text="agrees")
    assert doubtful("clock", "off", "mend it").level is Level.WARNING
    assert bad("clock", "off", "mend it") == Finding(
        level=Level.ERROR, subject="clock", text="off", advice="mend it"
    )
