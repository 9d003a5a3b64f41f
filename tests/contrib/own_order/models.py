"""The models of the guide, under the name by which the guide imports them."""

from __future__ import annotations

import sys

from tests.contrib.page_blocks import add_to

add_to(globals(), "docs/how-to/own-order-model.md", "models.py")
sys.modules["myshop.models"] = sys.modules[__name__]
