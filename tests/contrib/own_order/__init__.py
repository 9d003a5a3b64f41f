"""The shop of the guide: its models, views and addresses."""

from __future__ import annotations

import sys

# The guide imports it by this name.
sys.modules["myshop"] = sys.modules[__name__]
