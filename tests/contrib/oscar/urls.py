from __future__ import annotations

from django.apps import apps
from django.urls import include, path

from tests.contrib.page_blocks import add_to

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include(apps.get_app_config("oscar").urls[0])),  # type: ignore[attr-defined]
]

add_to(globals(), "docs/how-to/oscar.md", "urls.py")
