"""Findings: a code and parameters for programs, a text and advice for people."""

from __future__ import annotations

import json

import pytest
from django.utils import translation

from wallet_gateway.findings import _MESSAGES, Code, Level, error, ok, warning


def test_every_code_has_its_message() -> None:
    assert set(_MESSAGES) == set(Code) - {Code.IN_ORDER}


def test_each_level_has_its_function() -> None:
    assert ok("sweep", "within %(minutes)d minutes", minutes=5).text == "within 5 minutes"
    assert warning(Code.GATEWAY_BUSY, "gateway default", error="HTTP 503").level is Level.WARNING
    assert error(Code.NEVER_SWEPT, "sweep", gateway="default").level is Level.ERROR


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
def test_code_and_parameters_are_the_same_in_every_language(language: str) -> None:
    with translation.override(language):
        found = json.loads(json.dumps(error(Code.NEVER_SWEPT, "sweep", gateway="shop-a").as_dict()))
    assert (found["code"], found["params"]) == ("never_swept", {"gateway": "shop-a"})
    assert "shop-a" in found["text"]
    assert (found["text"] == "shop-a was never swept") is (language == "en")


def test_a_parameter_is_not_taken_for_a_template() -> None:
    found = error(Code.WRONG_SETTING, "settings", setting="100 %", expected="%(x)s")
    assert found.text == "100 %: %(x)s"


def test_the_advice_names_the_parameters_too() -> None:
    assert (
        "Derive from Storage and set" in warning(Code.MODULES_DELETED, "settings", storage="Storage").advice
    )
