"""The sandbox's clock and its behaviour, as the control interface moves and changes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wallet_gateway.testing.control import SandboxControl, SandboxRefused

DEFAULTS = {
    "duplicates": "reject",
    "statusLagSeconds": 0,
    "letterCase": "canonical",
    "numericAmounts": False,
    "shareReferences": False,
    "anotherCard": False,
    "billingAddress": "optional",
    "erroredAmount": "requested",
    "placeholderIds": "off",
    "stateWords": {},
    "portalReferences": "original",
    "newestFirst": False,
}


def ahead(now: str) -> timedelta:
    return datetime.fromisoformat(now) - datetime.now(UTC)


def test_the_clock_runs_with_the_machines_until_it_is_moved(control: SandboxControl) -> None:
    assert abs(ahead(control.advance_clock(0))) < timedelta(seconds=5)


@pytest.mark.parametrize(
    "now", ["", "tomorrow", "1999-01-01", "3000-01-01", "0001-01-01T00:00+14:00", "9" * 99]
)
def test_the_clock_is_set_between_the_machines_time_and_its_end(control: SandboxControl, now: str) -> None:
    with pytest.raises(SandboxRefused, match="InvalidCall"):
        control.set_clock(now)
    assert abs(ahead(control.advance_clock(0))) < timedelta(seconds=5)


@pytest.mark.parametrize("seconds", [-1, True, "60", None, [1]], ids=repr)
def test_the_clock_takes_a_number_of_seconds_and_goes_forward_only(
    control: SandboxControl, seconds: object
) -> None:
    with pytest.raises(SandboxRefused, match="advanceSeconds"):
        control.advance_clock(seconds)  # type: ignore[arg-type]


def test_the_clock_has_an_end(control: SandboxControl) -> None:
    def to_the_end() -> None:
        for _ in range(40):
            control.advance_clock(999_999_999)

    with pytest.raises(SandboxRefused, match="2999"):
        to_the_end()
    assert ahead(control.advance_clock(0)).days > 365 * 900


def test_reset_puts_the_behaviour_back(control: SandboxControl) -> None:
    control.behaviour(duplicates="execute", letter_case="pascal", numeric_amounts=True)
    control.behaviour(errored_amount="0", placeholder_ids="empty", state_words={"Pending": "Queued"})
    control.behaviour(portal_references="own", newest_first=True)
    control.reset()
    assert control.behaviour() == DEFAULTS


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"duplicates": "ignore"}, "duplicates"),
        ({"status_lag_seconds": -1}, "statusLagSeconds"),
        ({"letter_case": "SHOUTING"}, "letterCase"),
        ({"numeric_amounts": "yes"}, "numericAmounts"),
        ({"share_references": 1}, "shareReferences"),
        ({"another_card": "yes"}, "anotherCard"),
        ({"billing_address": "never"}, "billingAddress"),
        *[
            ({"errored_amount": amount}, "erroredAmount must be requested, null, or an amount such as")
            for amount in (
                "",
                "free",
                "1,00",
                "1e3",
                "007",
                ".5",
                "5.",
                "NaN",
                "1" * 15,
                "0.0000001",
                True,
                [0],
            )
        ],
        ({"placeholder_ids": "0"}, "placeholderIds must be one of off, zeros, zero, empty"),
        ({"placeholder_ids": True}, "placeholderIds"),
        ({"portal_references": "theirs"}, "portalReferences must be one of original, own"),
        ({"newest_first": "yes"}, "newestFirst must be true or false"),
        ({"state_words": "Settled"}, "stateWords must be an object of texts"),
        ({"state_words": ["Settled"]}, "stateWords must be an object of texts"),
        ({"state_words": {"Settled": "Approved"}}, "the documented states are Approved, Pending, Errored"),
        ({"state_words": {"Approved": ""}}, "stateWords.Approved must be a text that is not empty"),
        ({"state_words": {"Approved": " "}}, "stateWords.Approved must be a text that is not empty"),
        ({"state_words": {"Errored": None}}, "stateWords.Errored must be a text that is not empty"),
        ({"state_words": {"Errored": 5}}, "stateWords.Errored must be a text that is not empty"),
        ({"state_words": {"Pending": "x" * 33}}, "stateWords.Pending has at most 32 characters"),
        ({"state_words": {"Approved": "errored"}}, "for both Approved and Errored"),
        ({"state_words": {"Errored": "Done", "Pending": "DONE "}}, "for both Pending and Errored"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_behaviour_cannot_be_is_refused_by_name(
    control: SandboxControl, changes: dict[str, str], field: str
) -> None:
    with pytest.raises(SandboxRefused, match=field):
        control.behaviour(**changes)  # type: ignore[arg-type]
    assert control.behaviour() == DEFAULTS
