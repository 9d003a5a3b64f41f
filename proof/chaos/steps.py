"""Perform one step of a plan: a customer's, a merchant's or the gateway's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from proof.chaos import customer_steps, gateway_steps, merchant_steps
from proof.chaos.outcomes import NOTHING_TO_DO, REFUSED
from proof.chaos.plan import Kind, Step
from proof.chaos.shop import Shop
from wallet_gateway.payments.errors import OperationError
from wallet_gateway.testing.control import SandboxRefused

PERFORMED_BY: Mapping[Kind, Callable[[Shop, Step], str]] = MappingProxyType(
    {
        Kind.CREATE_ORDER: customer_steps.create_order,
        Kind.OPEN_PAGE: customer_steps.open_page,
        Kind.DECIDE_PAGE: customer_steps.decide_page,
        Kind.COME_BACK: customer_steps.come_back,
        Kind.WALLET_BUTTON: customer_steps.wallet_button,
        Kind.LEAVE_3DS: customer_steps.leave_3ds,
        Kind.SEE_STATUS: customer_steps.see_status,
        Kind.CAPTURE: merchant_steps.capture,
        Kind.REFUND: merchant_steps.refund,
        Kind.REVERSE: merchant_steps.reverse,
        Kind.DETACHED_REFUND: merchant_steps.detached_refund,
        Kind.SECOND_PERSON: merchant_steps.second_person,
        Kind.RESOLVE: merchant_steps.resolve,
        Kind.DISCREPANCY: merchant_steps.discrepancy,
        Kind.SEND_AGAIN: merchant_steps.send_again,
        Kind.BATCH: merchant_steps.batch,
        Kind.BATCH_STEP: merchant_steps.batch_step,
        Kind.CANCEL: merchant_steps.cancel,
        Kind.ERASE: merchant_steps.erase,
        Kind.RECONCILE: merchant_steps.reconcile,
        Kind.SWEEP: merchant_steps.sweep,
        Kind.COMPARE: merchant_steps.compare,
        Kind.STOP_SENDING: merchant_steps.stop_sending,
        Kind.RESUME_SENDING: merchant_steps.resume_sending,
        Kind.PORTAL: gateway_steps.portal,
        Kind.SETTLE_PENDING: gateway_steps.settle_pending,
        Kind.TIME: gateway_steps.time,
        Kind.GATEWAY_CLOCK: gateway_steps.gateway_clock,
        Kind.BEHAVIOUR: gateway_steps.behaviour,
    }
)


def perform(shop: Shop, step: Step) -> str:
    """Let time pass, do what the step says, and return what came of it.

    A refusal of the shop is a right answer, and so is one of the sandbox's. Any other exception is not.
    """
    shop.begin_step(step)
    if step.kind is not Kind.GATEWAY_CLOCK:
        shop.move_clocks(step.seconds)
    try:
        return PERFORMED_BY[step.kind](shop, step)
    except OperationError as refusal:
        return f"{REFUSED}: {type(refusal).__name__}"
    except SandboxRefused as refusal:
        if refusal.status >= 500:
            raise
        return NOTHING_TO_DO
