"""What `tests.admin.test_themes` runs under the settings of a theme, each in a process of its own.

Django reads the templates and the admin site of `INSTALLED_APPS` once, so a theme cannot come and go within
one process. No file here is collected by itself.
"""

from __future__ import annotations

import pytest
from django.conf import settings as given
from django.contrib import admin
from django.test import Client
from django.utils.module_loading import import_string

from tests.admin.scenery import ONE_OF_EACH, Scenery

THEME = given.INSTALLED_APPS[0]


def test_the_theme_is_there() -> None:
    assert THEME in {"unfold", "jazzmin"}
    if THEME == "unfold":
        assert isinstance(admin.site, import_string("unfold.sites.UnfoldAdminSite"))


@pytest.mark.django_db
def test_a_page_of_each_template_opens(superuser: Client) -> None:
    pages = dict(Scenery().pages())
    for name in (*ONE_OF_EACH, "history"):
        answer = superuser.get(pages[name])
        assert answer.status_code == 200, name
        page = answer.content.decode()
        assert f"{THEME}/" in page, f"{name} is not drawn by the theme"
        if name != "history":
            assert "wallet-admin" in page, name
            assert "wallet_gateway/admin/wallet.css" in page, name
        if name == "list of paymentorder":
            assert 'name="action"' in page, "the actions cannot be chosen"
