"""The example shop's settings, catalogue and permissions, for requests that mean harm."""

from __future__ import annotations

from tests.admin.conftest import permissions
from tests.example_project.conftest import catalogue, example_settings

__all__ = ["catalogue", "example_settings", "permissions"]
