"""The runbook has a section for everything that can wait for a person, and none for what cannot."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import HELD_STATES, OrderState, TransactionState

PAGE = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
# One that is being sent ends by its lease; one that was never claimed is sent by the process that made it.
ENDS_BY_ITSELF = {TransactionState.SENDING}
# A page holds nothing back; it waits for a person where the gateway says nothing readable of it.
SILENT_PAGES = {TransactionState.OPEN}
WAITING_ORDERS = {OrderState.FROZEN, OrderState.OVERPAID}
OF_HEALTH = {
    *("accounts_unreadable", "account_wrong", "batches_idle", "contradictions", "discrepancies_open"),
    *("events_late", "never_swept", "operations_refused", "orders_overpaid", "orders_unreleased"),
    *("outcome_unknown", "queries_behind", "records_shared", "sending_paused", "sweep_late"),
    *("transactions_unattended", "transactions_waiting", "undocumented_state", "unit_mix_ups"),
    *("unknown_gateway", "wallet_buttons_closed"),
}
"""The codes that the health view can show."""
ANCHORS = set(re.findall(r'<a id="(\w+)"></a>', PAGE))


def sections(chapter: str) -> dict[str, str]:
    """The sections of a chapter, by heading."""
    body = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    (text,) = [part for part in body if part.startswith(chapter)]
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return {part.splitlines()[0].strip("` "): "\n".join(part.splitlines()[1:]).strip() for part in parts}


def test_every_discrepancy_has_its_section_and_no_other() -> None:
    assert set(sections("Differences")) == {str(kind) for kind in DiscrepancyKind}


def test_every_state_that_a_person_may_end_has_its_section_and_no_other() -> None:
    waiting = (HELD_STATES - ENDS_BY_ITSELF) | SILENT_PAGES
    assert set(sections("Transactions that wait")) == {str(state) for state in waiting}


def test_every_order_that_waits_for_a_person_has_its_section() -> None:
    assert set(sections("Orders that wait")) == {str(state) for state in WAITING_ORDERS}


def test_every_code_of_the_health_view_has_its_place() -> None:
    assert not OF_HEALTH - ANCHORS


def test_a_restored_shop_sends_nothing_before_every_reference_was_asked_about() -> None:
    (_, text) = PAGE.split("## Restoring from a backup")
    steps = [
        text.index(word)
        for word in ('"SENDING_ENABLED": False', "wallet_stop --reason", "wallet_reconcile", "--resume")
    ]
    assert steps == sorted(steps)
