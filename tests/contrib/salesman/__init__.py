"""The shop of the recipe: a product, and the recipe's files."""

from __future__ import annotations

import sys

# The recipe's settings name it so.
sys.modules["shop"] = sys.modules[__name__]
