"""Sums by currency, as a button names them and as it sends them back."""

from __future__ import annotations

from django.utils.translation import override

from wallet_gateway.admin.operation_registry import BY_KIND, CAPTURE, DETACHED_REFUND
from wallet_gateway.admin.sums import sums_in_words, sums_of, what_was_named
from wallet_gateway.protocol.money import Money

SOME = [Money.parse(*each) for each in (("28.90", "EUR"), ("1200", "JPY"), ("57.80", "EUR"))]


def test_amounts_of_two_currencies_are_never_added() -> None:
    assert sums_in_words(sums_of(SOME)) == "€86.70 and ¥1,200"
    assert what_was_named(SOME) == "3, 86.70 EUR, 1200 JPY"
    assert what_was_named([]) == "0"


def test_a_button_names_number_and_sums_in_the_readers_language() -> None:
    assert CAPTURE.button_of_many(SOME) == "Capture 3 orders, €86.70 and ¥1,200"
    assert CAPTURE.button_of_many(SOME[:1]) == "Capture 1 order, €28.90"
    assert DETACHED_REFUND.button_of_many(SOME[:1]) == "Refund 1 deposit, €28.90"
    assert CAPTURE.button_of_many([]) == "Capture"
    with override("de"):
        assert "28,90\N{NO-BREAK SPACE}€" in CAPTURE.button_of_many(SOME[:1])


def test_every_operation_names_what_it_moves() -> None:
    for operation in BY_KIND.values():
        assert "€28.90" in operation.button(SOME[0])
        assert "%(amount)s" in str(operation.agreement)
