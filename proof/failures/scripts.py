"""Short histories of one operation each: what must be there before, and the steps that something happens to.

A caller that does not know what became of its call makes it again, with the same idempotency key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proof.histories.steps import SANDBOX, VERBS, Fate, History, Step


def do(verb: str, fault: str = "", *, dies_at: str = "", **given: Any) -> Step:
    """Return a step; what is not given is the first of what histories draw it from. The last is -1."""
    usual = VERBS[verb][1].items()
    first = {name: (of[SANDBOX] if isinstance(of, dict) else of)[0] for name, of in usual}
    faults = ((1, fault),) if fault else ()
    return Step(verb=verb, given=first | given, fate=Fate(faults=faults, dies_at=dies_at))


@dataclass(frozen=True, slots=True)
class Script:
    """One operation, and what may come of it, whatever happens to its processes and its database."""

    name: str
    before: tuple[Step, ...]
    acts: tuple[Step, ...]
    """The steps in which it happens. In a race each rival takes one of them."""
    at_most: Mapping[str, int] = field(default_factory=dict)
    """How often the gateway may be asked for something, however often the steps are taken."""
    opens_pages: bool = False
    """Whether a customer may pay pages afterwards, and so one whose address is lost."""
    is_refused: bool = False
    """Whether the gateway refuses it, or a customer who does not come back lets it fail."""
    is_elsewhere: bool = False
    """Whether something was done in the portal, which is reported to a person."""
    is_given_up: bool = False
    """Whether a person decides that it did not happen."""

    @property
    def history(self) -> History:
        """Return the history, of a shop in which a second person approves what is above 15.00."""
        settings = {"APPROVALS": {"LIMITS": {"EUR": "15.00"}}}
        return History(seed=self.name, gateway=SANDBOX, settings=settings, behaviour={}, steps=self.before)


def sale(number: int = 0) -> tuple[Step, ...]:
    """Return the steps to a new order of 20.00 that is paid on the gateway's page."""
    return do("order", number=number), do("pay_on_page", which=-1)


def authorized(number: int = 0) -> tuple[Step, ...]:
    """Return the same with an amount that is reserved only."""
    return do("order", number=number, type="preauthorization"), do("pay_on_page", which=-1)


QUARTER: Final[dict[str, Any]] = {"percent": 25, "key": "click-on-it"}
"""Of 20.00, by the same click whenever it is taken."""
WHOLE: Final[dict[str, Any]] = {"percent": 100, "key": "click-on-it"}
"""More than one person may give back alone."""
_ORDER = (do("order"),)
_PAGE = (*_ORDER, do("checkout"))
_PAID_PAGE = (*_PAGE, do("decide_page"))
_SWEEP, _COME_BACK, _POST = (do("sweep"),), (do("come_back"),), (do("post_result"),)
_PORTAL_REFUND = (*sale(), do("portal", type="ecom.refund", percent=30))
_ASKED_FOR = (*sale(), do("refund", **WHOLE))
# A capture that never came to the gateway, which only a person can know, a day later.
_NOBODY_KNOWS = (
    *authorized(),
    do("capture", "drop_before", **QUARTER),
    *(step for wait in (3, 10, 20, 120, 600, 90_000) for step in (do("wait", seconds=wait), *_SWEEP)),
)
_GIVE_UP = do("decide", how="DID_NOT_HAPPEN")
_THREE_LOST = tuple(
    step
    for number in range(3)
    for step in (*authorized(number), do("capture", "drop_after", which=number, percent=25))
)
# An answer was lost, another sender died, and an approval waits for its confirming query.
_LOST = (
    *authorized(0),
    *authorized(1),
    do("capture", "drop_after", percent=25),
    do("capture", which=1, percent=25, dies_at="answer read"),
    do("wait", seconds=360),
)
_UNSENT = (*authorized(), do("capture", "refused", percent=25), do("wait", seconds=30))
# A page has ended, another is cancelled, a button was not pressed.
_ENDED_PAGES = (
    *_PAGE,
    *(do("order", number=1), do("checkout", which=1), do("cancel", which=1)),
    *(do("order", number=2), do("show_button", which=-1)),
    do("wait", seconds=3_600),
)
_BATCH = (*authorized(0), *authorized(1), do("draft_batch"), do("start_batch"))
_CAPTURE, _REFUND = do("capture", **QUARTER), do("refund", **QUARTER)
_REFUSED = do("capture", "error_body", **QUARTER)
_TYPED_CARD = do("approve_in_sheet", card="PAN_ONLY")

OPERATIONS: Final = (
    Script("checkout", (), _PAGE, opens_pages=True),
    Script("return", _PAID_PAGE, _COME_BACK, {"checkout": 1}),
    Script(
        "declined return",
        (*_PAGE, do("decide_page", outcome="refused")),
        _COME_BACK,
        {"checkout": 1},
        is_refused=True,
    ),
    Script("cancellation", _PAGE, (do("cancel"),), {"checkout": 1}, opens_pages=True),
    Script("wallet button", _ORDER, (do("show_button"),), {"authorization": 0}),
    Script("wallet card", (*_ORDER, do("approve_in_sheet")), _POST, {"authorization": 1}),
    Script(
        "wallet card with 3-D Secure", (*_ORDER, _TYPED_CARD), _POST, {"authorization": 1}, is_refused=True
    ),
    Script("capture", authorized(), (_CAPTURE,), {"capture": 1}),
    Script("refused capture", authorized(), (_REFUSED,), {"capture": 1}, is_refused=True),
    Script("refund", sale(), (_REFUND,), {"refund": 1}),
    Script("reversal", authorized(), (do("reverse", key="click-on-it"),), {"reversal": 1}),
    Script("detached refund", (), (do("refund_migrated", key="click"),), {"detached_refund": 1}),
    Script("request of a second person", sale(), (do("refund", **WHOLE),), {"refund": 0}),
    Script("approval by a second person", _ASKED_FOR, (do("agree", by="bert"),), {"refund": 1}),
    Script("resolution", _NOBODY_KNOWS, (_GIVE_UP,), {"capture": 1}, is_given_up=True),
    Script(
        "booking of a portal refund",
        (*_PORTAL_REFUND, do("reconcile", everything=True)),
        (do("book_difference"),),
        {"refund": 0},
        is_elsewhere=True,
    ),
    Script("batch", _BATCH, (do("step_batch"),), {"capture": 2}),
    Script("sweep of lost answers", _LOST, _SWEEP, {"capture": 2}),
    Script("sweep of unsent requests", _UNSENT, _SWEEP, {"capture": 1}),
    Script("sweep of ended pages", _ENDED_PAGES, _SWEEP, {"checkout": 2}, opens_pages=True),
    Script(
        "comparison",
        _PORTAL_REFUND,
        (do("reconcile"), do("compare", repair=True)),
        {"refund": 0},
        is_elsewhere=True,
    ),
)

RACES: Final = (
    Script("refunds", sale(), (do("refund", percent=50),), {"refund": 2}),
    Script("one refund", sale(), (_REFUND,), {"refund": 1}),
    Script(
        "capture and reversal",
        authorized(),
        (do("capture", percent=25), do("reverse")),
        {"capture": 4, "reversal": 1},
    ),
    Script(
        "return and sweep", (*_PAID_PAGE, do("wait", seconds=70)), (*_COME_BACK, *_SWEEP), {"checkout": 1}
    ),
    Script(
        "checkout and cancellation",
        _ORDER,
        (do("checkout"), do("cancel")),
        {"checkout": 1},
        opens_pages=True,
    ),
    Script(
        "approval and refusal",
        _ASKED_FOR,
        (do("agree", by="bert"), do("decline", by="bert")),
        {"refund": 1},
    ),
    Script("sweeps", (*_THREE_LOST, do("wait", seconds=360)), _SWEEP, {"capture": 3}),
    Script(
        "decision and sweep",
        (*_NOBODY_KNOWS, do("wait", seconds=90_000)),
        (_GIVE_UP, *_SWEEP),
        {"capture": 1},
        is_given_up=True,
    ),
)
