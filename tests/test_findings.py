"""Findings: a code and parameters for programs, a text and advice for people."""

from __future__ import annotations

import json

from django.utils import translation

from wallet_gateway.findings import Code, Finding, Level, error, ok, warning


class AnyParameter(dict[str, object]):
    """Has each parameter, as a number, which fits every template."""

    def __missing__(self, name: str) -> object:
        """Return one number for all."""
        return 1


def test_every_code_has_its_message() -> None:
    for code in set(Code) - {Code.IN_ORDER}:
        assert Finding(level=Level.ERROR, code=code, subject="sweep", params=AnyParameter()).text


def test_a_finding_says_the_same_to_programs_in_every_language() -> None:
    assert ok("sweep", "within %(minutes)d minutes", minutes=5).text == "within 5 minutes"
    for language in ("en", "de", "fr", "es", "ar"):
        with translation.override(language):
            found = json.loads(json.dumps(error(Code.NEVER_SWEPT, "sweep", gateway="shop-a").as_dict()))
        assert (found["level"], found["code"]) == (Level.ERROR, "never_swept")
        assert found["params"] == {"gateway": "shop-a"}
        assert "shop-a" in found["text"]
        assert (found["text"] == "shop-a was never swept") is (language == "en")


def test_a_parameter_stands_in_the_advice_too_and_is_not_taken_for_a_template() -> None:
    found = warning(Code.MODULES_DELETED, "settings", storage="Storage")
    assert found.level is Level.WARNING
    assert "Derive from Storage and set" in found.advice
    assert error(Code.WRONG_SETTING, "x", setting="100 %", expected="%(x)s").text == "100 %: %(x)s"
