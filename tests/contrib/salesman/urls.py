from __future__ import annotations

from django.urls import include, path

from tests.contrib.page_blocks import add_to

urlpatterns = [path("api/", include("salesman.urls"))]

add_to(globals(), "docs/how-to/other-frameworks.md", "urls.py")
