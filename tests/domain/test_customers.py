"""Whether two texts are one e-mail address, how a search folds one, and how a name begins."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.domain import people


def test_an_address_is_the_same_in_any_letter_case_and_composition() -> None:
    assert people.is_same_email("J\u00dcRGEN@example.com", "j\u00fcrgen@EXAMPLE.com")
    assert people.is_same_email("JU\u0308RGEN@example.com", "j\u00fcrgen@example.com")
    assert people.is_same_email("ada@B\u00dcCHER.example", "ada@XN--bcher-kva.example")


@every(
    ("one", "other"),
    [
        ("jose@example.com", "jos\u00e9@example.com"),
        ("k@example.com", "\u212a@example.com"),
        ("i@example.com", "\u0131@example.com"),
        ("strasse@example.com", "stra\u00dfe@example.com"),
        ("ada@example.com", "ada@example.org"),
    ],
)
def test_letters_that_only_look_alike_are_of_another_address(one: str, other: str) -> None:
    assert not people.is_same_email(one, other)
    assert not people.is_same_email(other, one.upper())


@every(
    ("written", "folded"),
    [
        ("  Ada@Example.COM\n", "ada@example.com"),
        ("\uff41da@example.com", "ada@example.com"),
        ("ada@example\u3002com", "ada@example.com"),
        ("ada\u200b@exam\u00adple.com", "ada@example.com"),
        ("JU\u0308RGEN@example.com", "j\u00fcrgen@example.com"),
        ("stra\u00dfe@example.com", "strasse@example.com"),
        ("ada@stra\u00dfe.example", "ada@strasse.example"),
        ("ada@xn--strae-oqa.example", "ada@strasse.example"),
        ("ada@XN--BCHER-KVA.example", "ada@b\u00fccher.example"),
        ("ada@b\u00fccher.example", "ada@b\u00fccher.example"),
        ("ada@xn--\u00fc.example", "ada@xn--\u00fc.example"),
        ("ada@xn--99999999.example", "ada@xn--99999999.example"),
        ("\u039f\u0394\u039f\u03a3@example.com", "\u03bf\u03b4\u03bf\u03c3@example.com"),
        ("", ""),
        (" \u200b\u00ad\u3000", ""),
    ],
)
def test_a_search_folds_what_people_and_browsers_vary(written: str, folded: str) -> None:
    assert people.folded_email(written) == folded
    assert people.folded_email(folded) == folded


@every(
    ("text", "begins"),
    [
        *((text, True) for text in ("ada", "ADA  kin", "lovelace", "Kin", "\uff2bing L", "king love")),
        *((text, False) for text in ("da", "lace", "ada lovelace", "lovelace ada", "", "\u200b")),
    ],
)
def test_a_name_begins_with_any_of_its_words_and_with_no_part_of_one(text: str, begins: bool) -> None:
    assert people.begins_name(text, ("Ada", "King  Lovelace")) is begins
