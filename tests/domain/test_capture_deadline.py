"""When an authorization expires, and when its notice is sent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def test_by_default_it_lasts_a_week_is_told_of_two_days_before_and_people_decide() -> None:
    window = CaptureWindow()
    assert window.expires_at(NOW) == NOW + timedelta(days=7)
    assert window.warns_from(NOW + timedelta(days=5)) == NOW
    assert window.policy is CapturePolicy.ASK


def test_a_warning_longer_than_the_window_tells_of_everything_at_once() -> None:
    assert CaptureWindow(length=timedelta(days=1), warning=timedelta(days=3)).warns_from(NOW) == NOW
