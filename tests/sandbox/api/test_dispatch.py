"""A request is noted when it arrives, and its answer when it leaves, if one does."""

from __future__ import annotations

import http.client
import threading
import time

from tests.sandbox.merchant import Merchant, new_reference
from tests.waiting import eventually
from wallet_gateway.testing.control import SandboxControl


def test_a_request_is_noted_before_it_is_answered(control: SandboxControl) -> None:
    control.fault("checkout", "delay_before", seconds=3)

    def ask() -> None:
        with Merchant(control.base_url) as merchant:
            merchant.checkout("A")

    thread = threading.Thread(target=ask)
    thread.start()
    while not (entries := control.journal()):
        assert thread.is_alive()
    assert (entries[0]["operation"], entries[0]["status"]) == ("checkout", None)
    thread.join()
    assert control.journal()[0]["status"] == 200


def test_a_reset_calls_off_whoever_waits(control: SandboxControl, sale: str) -> None:
    control.fault("refund", "delay_before", seconds=60)
    dropped: list[Exception] = []

    def ask() -> None:
        with Merchant(control.base_url) as waiting:
            try:
                waiting.refund(new_reference(), sale, "4.00")
            except http.client.RemoteDisconnected as error:
                dropped.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not any(entry["fault"] for entry in control.journal()):
        time.sleep(0.01)

    def called_off() -> bool:
        control.reset()
        return not thread.is_alive()

    # It is noted a moment before it waits.
    assert eventually(called_off)
    assert len(dropped) == 1
    assert control.journal() == []
