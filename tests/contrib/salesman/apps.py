"""The shop's app, which connects the recipe's receiver."""

from __future__ import annotations

import importlib

from django.apps import AppConfig


class MugsConfig(AppConfig):
    """Sells mugs."""

    name = "tests.contrib.salesman"
    label = "mugs"

    def ready(self) -> None:
        importlib.import_module("tests.contrib.salesman.receivers")
