"""The markup and the styles of every page: one element for each id, a value for each variable."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.test import Client

from tests.admin.scenery import Scenery
from tests.architecture.sources import PACKAGE

STYLES = PACKAGE / "static" / "wallet_gateway" / "admin"


@pytest.mark.django_db
@pytest.mark.usefixtures("permissions")
def test_no_page_has_two_elements_of_one_id(superuser: Client) -> None:
    doubled = {}
    for name, url in Scenery().pages():
        ids = Counter(re.findall(r'\sid="([^"]+)"', superuser.get(url, follow=True).content.decode()))
        if found := [each for each, count in ids.items() if count > 1]:
            doubled[name] = found
    assert doubled == {}


def test_every_variable_has_a_value_without_djangos_stylesheets() -> None:
    styles = "".join(path.read_text() for path in sorted(STYLES.glob("*.css")))
    used = set(re.findall(r"var\((--[\w-]+)", styles))
    defined = set(re.findall(r"(--[\w-]+):", styles))
    assert used <= defined
