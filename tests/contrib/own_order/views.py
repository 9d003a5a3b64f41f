"""The views of the guide."""

from __future__ import annotations

from tests.contrib.page_blocks import add_to

add_to(globals(), "docs/how-to/own-order-model.md", "views.py")
