"""Every key that this project prints is known as one that protects nothing."""

from __future__ import annotations

import re

import pytest
from django.core.management.utils import get_random_secret_key

from example_project import settings as example
from tests.docs.pages import PAGES, ROOT
from wallet_gateway.conf.published_keys import (
    FERNET_KEYS,
    SECRET_KEYS,
    is_published_fernet_key,
    is_published_secret_key,
)

FERNET_KEY = re.compile(r"(?<![\w-])[\w-]{43}=(?![\w=-])")


def test_every_key_in_the_documentation_is_known() -> None:
    printed = {key for page in PAGES for key in FERNET_KEY.findall((ROOT / page).read_text("utf-8"))}
    assert printed == FERNET_KEYS
    assert all(map(is_published_fernet_key, printed))


def test_the_key_of_the_example_is_known() -> None:
    text = (ROOT / "example_project" / "settings.py").read_text("utf-8")
    assert set(re.findall(r'"SECRET_KEY", default="([^"]+)"', text)) == SECRET_KEYS
    assert is_published_secret_key(example.SECRET_KEY) is example.DEBUG


@pytest.mark.parametrize("key", [None, "", 7, b"only-for-the-demo-shop"])
def test_what_is_no_key_at_all_is_for_others_to_refuse(key: object) -> None:
    assert not is_published_secret_key(key)
    assert not is_published_fernet_key(key)


def test_a_key_of_startproject_is_known_and_a_random_one_is_not() -> None:
    assert is_published_secret_key(f"django-insecure-{get_random_secret_key()}")
    assert not is_published_secret_key(get_random_secret_key())
