"""The sandbox's control interface as methods: one for each call, nothing but the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import urlencode

_SECONDS_TO_ANSWER: Final = 30


class SandboxRefused(AssertionError):
    """The sandbox did not do what a test asked of it; the message says why."""

    def __init__(self, call: str, status: int, message: str) -> None:
        super().__init__(f"{call} was answered {status}: {message}")
        self.status = status
        self.message = message


class SandboxControl:
    """Steers one running sandbox.

    Every method raises ``SandboxRefused`` when the sandbox answers anything but success. Where two merchants
    use the same reference, ``merchant_id`` and ``store_id`` say whose is meant.
    """

    def __init__(self, base_url: str, *, key: str | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._key = key

    def reset(self) -> None:
        """Put everything back to how it was at the start."""
        self._call("POST", "reset")

    def add_merchant(
        self,
        *,
        merchant_id: str,
        store_id: str,
        user_id: str,
        provider: str | None = None,
        origins: tuple[str, ...] | None = None,
        display_name: str | None = None,
    ) -> dict[str, Any]:
        """Let another merchant use the sandbox; one with the same ids is replaced."""
        body = {"merchantId": merchant_id, "storeId": store_id, "userId": user_id}
        given = {"provider": provider, "origins": origins, "displayName": display_name}
        return self._object("merchants", body, **given)

    def complete_checkout(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> str:
        """Decide a checkout as the customer would; give the URL the browser is sent to."""
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        location: str = self._object("checkouts/complete", body, merchantId=merchant_id, storeId=store_id)[
            "location"
        ]
        return location

    def complete_three_d_secure(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> str:
        """Leave a 3-D Secure page as the customer would; give the URL the browser is sent to.

        ``outcome`` is ``success``, ``failed`` or ``abandoned``; the last fails once the page expires.
        """
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        answer = self._object("three-d-secure/complete", body, merchantId=merchant_id, storeId=store_id)
        location: str = answer["location"]
        return location

    def wallet_payment_data(
        self,
        *,
        merchant_id: str = "SANDBOX-MERCHANT",
        auth_method: str = "CRYPTOGRAM_3DS",
        card_network: str = "VISA",
        request: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Approve in the wallet as the customer would; give what ``loadPaymentData`` resolves with."""
        body = {"merchantId": merchant_id, "authMethod": auth_method, "cardNetwork": card_network}
        return self._object("wallet/payment-data", body, request=request)

    def wallet(self, mode: str | None = None) -> str:
        """Change how the emulated wallet behaves in browsers; give the mode in force.

        ``mode`` is ``ready``, ``not_ready``, ``no_card``, ``script_fails``, ``slow``, ``developer_error`` or
        ``cancelled``.
        """
        in_force: str = self._object("wallet", {}, mode=mode)["mode"]
        return in_force

    def settle_pending(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> dict[str, Any]:
        """Let the provider decide a pending transaction; give its status record."""
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        return self._object("pending/settle", body, merchantId=merchant_id, storeId=store_id)

    def migration_file(
        self, text: str, *, keep_good: bool = False, merchant_id: str | None = None
    ) -> dict[str, Any]:
        """Hand in a migration file; give how many rows were ``accepted``, and which ``rejected`` and why."""
        query = {"keepGood": "1"} if keep_good else {}
        if merchant_id is not None:
            query["merchantId"] = merchant_id
        answer: dict[str, Any] = self._call(
            "POST", f"migration-file?{urlencode(query)}", text.encode(), content_type="text/csv"
        )
        return answer

    def advance_clock(self, seconds: float) -> str:
        """Move the sandbox's clock forward without waiting; give its new time in ISO 8601."""
        now: str = self._object("clock", {"advanceSeconds": seconds})["now"]
        return now

    def set_clock(self, now: str) -> str:
        """Set the sandbox's clock to a time in ISO 8601, no earlier than the machine's; give its new time."""
        answer: dict[str, Any] = self._call("PUT", "clock", json.dumps({"now": now}).encode())
        time: str = answer["now"]
        return time

    def reset_clock(self) -> str:
        """Set the sandbox's clock back to the machine's; give its new time."""
        now: str = self._call("DELETE", "clock")["now"]
        return now

    def behaviour(
        self,
        *,
        duplicates: str | None = None,
        status_lag_seconds: float | None = None,
        letter_case: str | None = None,
        numeric_amounts: bool | None = None,
        share_references: bool | None = None,
        another_card: bool | None = None,
        billing_address: str | None = None,
    ) -> dict[str, Any]:
        """Change how the gateway behaves where the interface is silent; give the behaviour in force."""
        return self._object(
            "behaviour",
            {},
            duplicates=duplicates,
            statusLagSeconds=status_lag_seconds,
            letterCase=letter_case,
            numericAmounts=numeric_amounts,
            shareReferences=share_references,
            anotherCard=another_card,
            billingAddress=billing_address,
        )

    def portal(
        self,
        reference: str,
        type: str,  # noqa: A002  (the name on the wire)
        amount: str,
        *,
        merchant_id: str | None = None,
        store_id: str | None = None,
    ) -> dict[str, Any]:
        """Make a follow-up outside the shop, as in the provider's portal; give its status record."""
        body = {"clientSystemTransactionId": reference, "type": type, "amount": amount}
        return self._object("portal", body, merchantId=merchant_id, storeId=store_id)

    def fault(
        self,
        operation: str,
        fault: str,
        *,
        times: int | None = None,
        skip: int | None = None,
        seconds: float | None = None,
        status: int | None = None,
        code: str | None = None,
        message: str | None = None,
    ) -> list[dict[str, Any]]:
        """Set a fault for the next requests of an operation (``"*"`` for any); give all that are set."""
        body = {"operation": operation, "fault": fault}
        faults: list[dict[str, Any]] = self._post(
            "faults", body, times=times, skip=skip, seconds=seconds, status=status, code=code, message=message
        )
        return faults

    def clear_faults(self) -> None:
        """Take back every fault that still waits for its request."""
        self._call("DELETE", "faults")

    def journal(self) -> list[dict[str, Any]]:
        """Give the requests received, oldest first, each with its answer and fault."""
        entries: list[dict[str, Any]] = self._call("GET", "journal")
        return entries

    def _object(self, name: str, body: dict[str, Any], **optional: object) -> dict[str, Any]:
        answer: dict[str, Any] = self._post(name, body, **optional)
        return answer

    def _post(self, name: str, body: dict[str, Any], **optional: object) -> Any:  # noqa: ANN401
        given = {key: value for key, value in optional.items() if value is not None}
        return self._call("POST", name, json.dumps(body | given).encode())

    def _call(
        self, method: str, name: str, body: bytes | None = None, *, content_type: str = "application/json"
    ) -> Any:  # noqa: ANN401
        request = urllib.request.Request(  # noqa: S310 - the sandbox that the test started
            f"{self.base_url}/_sandbox/{name}",
            data=body,
            method=method,
            headers={"Content-Type": content_type},
        )
        if self._key is not None:
            request.add_header("Authorization", f"Bearer {self._key}")
        try:
            with _opener.open(request, timeout=_SECONDS_TO_ANSWER) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode(errors="replace")
            raise SandboxRefused(f"{method} /_sandbox/{name}", error.code, text) from error


# A proxy of the developer's has no business between a test and the sandbox on the same machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
