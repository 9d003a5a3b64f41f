"""What every test may use: the fixtures this package ships to shops, and quick databases."""

from __future__ import annotations

pytest_plugins = ["wallet_gateway.testing.plugin", "tests.databases"]
