"""The addresses of the guide."""

from __future__ import annotations

from tests.contrib.own_order import views  # noqa: F401  # the guide's `from myshop import views` finds it
from tests.contrib.page_blocks import add_to

add_to(globals(), "docs/how-to/own-order-model.md", "urls.py")
