"""The file of the recipe."""

from __future__ import annotations

from tests.contrib.page_blocks import add_to

add_to(globals(), "docs/how-to/other-frameworks.md", "receivers.py")
