"""Every link of a page stays in the admin site that shows it, however many sites there are."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.scenery import Scenery
from tests.architecture.sources import sources

pytestmark = pytest.mark.django_db


@pytest.fixture
def _two_sites(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.two_sites"


@pytest.mark.usefixtures("_two_sites", "permissions")
@pytest.mark.parametrize(("here", "elsewhere"), [("/ops/", "/admin/"), ("/admin/", "/ops/")])
def test_no_page_of_a_site_leads_to_another(superuser: Client, here: str, elsewhere: str) -> None:
    strangers = {}
    for name, url in Scenery().pages():
        answer = superuser.get(url.replace("/admin/", here, 1), follow=True)
        assert answer.status_code == 200, name
        links = re.findall(r'(?:href|action|data-wallet-page)="([^"]+)"', answer.content.decode())
        assert any(link.startswith(here) for link in links), name
        if wrong := [link for link in links if link.startswith(elsewhere)]:
            strangers[name] = wrong
    assert strangers == {}


def test_no_page_asks_django_itself_for_an_address_in_the_admin() -> None:
    admin = [source for source in sources("wallet_gateway/admin") if source.path.name != "current_site.py"]
    found = [
        source.name for source in admin if "django.urls.reverse" in {name for _, name in source.imported()}
    ]
    assert found == []
