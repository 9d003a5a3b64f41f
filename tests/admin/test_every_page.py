"""What holds for every page: it stays in its site, has each id once, says it is a test, and hides nothing."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.scenery import Scenery


@pytest.mark.django_db
def test_every_page_opens_and_keeps_what_all_pages_promise(superuser: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.two_sites"
    faults = []
    for number, (name, url) in enumerate(Scenery().pages()):
        here, elsewhere = ("/ops/", "/admin/") if number % 2 else ("/admin/", "/ops/")
        answer = superuser.get(url.replace("/admin/", here, 1), follow=True)
        assert answer.status_code == 200, name
        page = answer.content.decode()
        ids = Counter(re.findall(r'\sid="([^"]+)"', page))
        faults += [f"{name}: two elements are {each}" for each, count in ids.items() if count > 1]
        links = re.findall(r'(?:href|action|data-wallet-page)="([^"]+)"', page)
        assert any(link.startswith(here) for link in links), name
        faults += [f"{name}: leads to another site: {link}" for link in links if link.startswith(elsewhere)]
        if name != "history" and "No real money moves here" not in page:
            faults.append(f"{name}: no word that it is a test")
        if "<script>alert" in page or "\u202e" in page:
            faults.append(f"{name}: text of others is not shown as text")
    assert not faults, "\n".join(faults)
