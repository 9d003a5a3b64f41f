"""Google's own buttons, as they are published: a custom element and a React component, each as one script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT

PACKAGES: Final = ROOT / "tests" / "js" / "node_modules"
PAGE: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
ELEMENT: Final = "@google-pay/button-element/dist/index.umd.js"
# React is published as CommonJS alone.
REACT: Final = {
    "scheduler": "scheduler/cjs/scheduler.production.js",
    "react": "react/cjs/react.production.js",
    "react-dom": "react-dom/cjs/react-dom.production.js",
    "react-dom/client": "react-dom/cjs/react-dom-client.production.js",
    "@google-pay/button-react": "@google-pay/button-react/dist/index.umd.js",
}
REQUIRE: Final = """const loaded = {}
function require(name) {
  if (!loaded[name]) {
    const module = (loaded[name] = { exports: {} })
    modules[name](module, module.exports, require)
  }
  return loaded[name].exports
}
"""


def scripts() -> dict[str, str]:
    """Return the scripts of the pages ``/element`` and ``/react``."""
    react = "['react', 'react-dom/client', '@google-pay/button-react'].map(require)"
    return {
        "element": f"{PAGE}\n{_text(ELEMENT)}\nshop.sell = shop.sellWithElement",
        "react": f"{PAGE}\n{_bundle(REACT)}\nshop.sell = shop.sellWithReact.bind(null, ...{react})",
    }


def _bundle(modules: Mapping[str, str]) -> str:
    """Return CommonJS modules and the function that loads them, as a classic script."""
    members = ",\n".join(
        f"{json.dumps(name)}: (module, exports, require) => {{\n{_text(path)}\n}}"
        for name, path in modules.items()
    )
    return f"const modules = {{\n{members}\n}}\n{REQUIRE}"


def _text(path: str) -> str:
    if not (PACKAGES / path).exists():
        pytest.skip(f"{path} is not installed: run npm ci in tests/js")
    return (PACKAGES / path).read_text(encoding="utf-8")
