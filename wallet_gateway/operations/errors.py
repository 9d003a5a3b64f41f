"""The root of what operations refuse. Each refusal stands beside the verb that raises it."""

from __future__ import annotations


class OperationError(Exception):
    """An operation did not do what was asked; its message can be shown to staff."""


class OperationRefused(OperationError):
    """A rule forbids it: nothing was stored, nothing was sent."""


class SendingStopped(OperationRefused):
    """New requests to the gateway are paused or switched off; questions go on."""
