"""Every key that this project prints is known as one that protects nothing."""

from __future__ import annotations

import re

from django.core.management.utils import get_random_secret_key

from tests.docs.pages import PAGES, ROOT
from wallet_gateway.conf.published_keys import (
    FERNET_KEYS,
    is_published_fernet_key,
    is_published_secret_key,
)

FERNET_KEY = re.compile(r"(?<![\w-])[\w-]{43}=(?![\w=-])")


def test_every_key_in_the_documentation_is_known() -> None:
    printed = {key for page in PAGES for key in FERNET_KEY.findall((ROOT / page).read_text("utf-8"))}
    assert printed == FERNET_KEYS
    assert all(map(is_published_fernet_key, printed))


def test_a_key_of_startproject_is_known_and_a_random_one_is_not() -> None:
    assert is_published_secret_key(f"django-insecure-{get_random_secret_key()}")
    assert not is_published_secret_key(get_random_secret_key())
