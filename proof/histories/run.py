"""Run one history from its first step to the calm at its end, and say what was found to be wrong with it."""

from __future__ import annotations

import contextlib
import traceback
from dataclasses import dataclass
from typing import Final

from django.db import OperationalError
from django.db.models import QuerySet

from proof.histories.crashes import Died
from proof.histories.judge import Judge
from proof.histories.shrink import shrink
from proof.histories.steps import Fate, History, NothingToDo, Step, instead_of
from proof.histories.verbs import VERBS, person
from proof.histories.virtual_world import VirtualWorld
from proof.histories.world import World
from wallet_gateway import payments
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.polling_schedule import OPERATOR_ABSENT_ANSWERS
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.operation_errors import AwaitingApproval, OperationError
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.testing.invariants import BooksDisagree

_CALM_HOURS: Final = (1, 26, 26, 200, 200)
"""How long the world is left alone at the end, with a sweep after each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is wrong with a history."""

    history: History
    step: int
    """The step after which it showed; the last one for the end."""
    claim: str
    """What does not hold, the same for all histories with this fault."""
    text: str
    is_at_end: bool = False
    """Whether it showed in the calm at the end, and not before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The outcome of one history."""

    failure: Failure | None
    steps: tuple[Step, ...]
    """The steps as they were done, with those that stood in for idle ones."""
    trace: str
    """A hash of all statements, requests and answers in order."""


def run(history: History, world: VirtualWorld, *, to_the_end: bool = True) -> Run:
    """Run a history; errors that nobody expects are failures, too."""
    failure, done, left, seen = None, list[Step](), list(history.steps), -1
    with world.patched():
        world.chance.seed(history.seed)
        world.restart(history)
        judge = Judge(world)
        try:
            while left:
                _do(left.pop(0), history, world, done)
                # Nothing new is in rows that nobody has written.
                if seen != world.boundaries.writes:
                    judge.look()
                    seen = world.boundaries.writes
            if to_the_end:
                calm_down(world)
                judge.look_at_end()
        except BooksDisagree as error:
            failure = Failure(
                history=history,
                step=len(done),
                claim=error.claim,
                text=str(error),
                is_at_end=world.is_calm,
            )
        except Exception as error:  # noqa: BLE001  whatever it is, it is a finding
            failure = _unexpected(error, history, len(done), is_at_end=world.is_calm)
        finally:
            world.bury()
    return Run(failure=failure, steps=(*done, *left), trace=world.boundaries.trace.hexdigest())


def shortest_of(failure: Failure, history: History, world: VirtualWorld) -> Failure:
    """Return the failure of the shortest history that fails, by the same claim if it goes."""

    def failure_of(shorter: History) -> Failure | None:
        return run(shorter, world, to_the_end=failure.is_at_end).failure

    # What came after that step is not needed. Looked at there, another claim may be the first.
    begun = history.of(history.steps[: failure.step])
    shown = failure_of(begun)
    if shown is None:
        return failure
    shortest = shrink(begun, lambda shorter: getattr(failure_of(shorter), "claim", "") == shown.claim)
    return failure_of(shortest) or shown


def _unexpected(error: Exception, history: History, number: int, *, is_at_end: bool) -> Failure:
    place = traceback.extract_tb(error.__traceback__)[-1]
    claim = f"{type(error).__name__} at {place.filename.rpartition('/')[2]} {place.name}"
    text = "".join(traceback.format_exception(error))
    return Failure(history=history, step=number, claim=claim, text=text, is_at_end=is_at_end)


def _do(step: Step, history: History, world: VirtualWorld, done: list[Step]) -> None:
    """Do a step, and another one after it where it is idle; add to `done` what is done."""
    done.append(step)
    try:
        _try(step, history, world)
    except NothingToDo:
        if history.fills_gaps:
            # The idle one may have let another process run.
            _do(instead_of(step, history.gateway), history.of(history.steps), world, done)


def _try(step: Step, history: History, world: VirtualWorld) -> None:
    world.chance.seed(history.seed, step.salt)
    world.boundaries.note(step)
    world.boundaries.begin(step.fate)
    world.network.begin(step.fate)
    world.answers.begin_step()
    world.boundaries.meanwhile = lambda: _overtake(step, history, world)
    try:
        VERBS[step.verb](world, **step.given)
    except Died:
        world.answers.lose_step()
        world.bury()
    except (OperationError, Refusal):
        # A refusal is a right answer.
        pass
    except OperationalError:
        if not world.boundaries.has_lost_database:
            raise
    finally:
        if world.boundaries.has_lost_database:
            world.answers.lose_step()
        world.boundaries.begin(Fate())


def _overtake(step: Step, history: History, world: VirtualWorld) -> None:
    other = step.fate.meanwhile
    if other is not None:
        with world.another_process():
            _do(other, history.of(history.steps), world, [])


def calm_down(world: World) -> None:
    """Let calm return: nothing fails, people do their work, and time goes on."""
    world.is_calm = True
    world.end_faults()
    world.sandbox.change_lag(0)
    with contextlib.suppress(OperationError):
        payments.maintenance.resume_sending("default", by="anna", reason="over")
    for hours in _CALM_HOURS:
        _sweep_after(hours, world)
    for _ in range(OPERATOR_ABSENT_ANSWERS):
        # Five answers in a row take as many sweeps.
        if _undecided().exists():
            _sweep_after(25, world)
    for transaction in _undecided().filter(needs_operator=True):
        _decide(transaction, world)
    list(payments.maintenance.comparison("default", days=400, repair_as="anna").rows)
    made_elsewhere = Discrepancy.objects.filter(closed_at=None, kind=DiscrepancyKind.MADE_ELSEWHERE)
    for difference in made_elsewhere.order_by("pk"):
        with contextlib.suppress(OperationError), world.answers.looking_up():
            payments.approvals.book_discrepancy(difference, reason="seen", by="anna")
    payments.sweep()
    # What that sweep has sent by policy is asked about, too.
    _sweep_after(26, world)
    payments.maintenance.deliver_events()


def _sweep_after(hours: int, world: World) -> None:
    world.time.pass_by(hours * 3_600)
    payments.sweep()


def _undecided() -> QuerySet[GatewayTransaction]:
    return GatewayTransaction.objects.filter(state=TransactionState.UNKNOWN).order_by("pk")


def _decide(transaction: GatewayTransaction, world: World) -> None:
    """Let two people give up what the provider's support does not know either."""
    if world.gateway.happened(transaction.reference):
        return
    decision = payments.approvals.Decision.DID_NOT_HAPPEN
    try:
        payments.approvals.resolve(transaction, decision=decision, reason="ticket", by=person("anna"))
    except AwaitingApproval as waiting:
        payments.approvals.approve(waiting.approval, by=person("bert"))
    except OperationError:
        # It has its next instant, and was looked at above.
        return
    world.note_decision(transaction)
