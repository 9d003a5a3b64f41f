"""Help for test suites, a shop's and this project's: a sandbox gateway, fixtures, an in-process transport.

Meant for test suites only; nothing a shop runs in production imports it. The sandbox runs as a process of its
own and is reached over HTTP, as a real gateway would be.

pytest loads `wallet_gateway.testing.plugin` before anything of a project, wherever this package is installed.
So this module imports nothing until one of its names is asked for: no Django, and no pytest either.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from wallet_gateway.testing.in_process import InProcessTransport
    from wallet_gateway.testing.mixin import WalletSandboxMixin

__all__ = ["InProcessTransport", "WalletSandboxMixin"]

_MODULES: Final = {"InProcessTransport": "in_process", "WalletSandboxMixin": "mixin"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what a module has
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
