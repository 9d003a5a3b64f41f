"""What comes of a step, in words that a report counts."""

from __future__ import annotations

from typing import Final

DONE: Final = "done"
REFUSED: Final = "refused"
"""The shop refused it by a rule, or said that the gateway did not answer: a right answer."""
NOTHING_TO_DO: Final = "nothing"
"""There was nothing to do it with, such as a refund of an order that was never paid."""
DIED: Final = "died"
BROKE: Final = "broke"
"""An exception that no caller is prepared for: a failure of the run."""


class ShopBroke(AssertionError):
    """A page of the shop answered as no page may."""


class WorkerDied(BaseException):
    """Stands for the death of a worker where the process goes on: no handler of the plugin sees it."""
