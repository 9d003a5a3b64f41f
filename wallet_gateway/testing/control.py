"""The sandbox's control interface as methods: one for each call, nothing but the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

_SECONDS_TO_ANSWER: Final = 30
_FOLLOW_UPS: Final = {
    "capture": "ecom.capture",
    "refund": "ecom.refund",
    "reversal": "ecom.reversalPreauthorization",
}


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
        """Let another merchant use the sandbox; one with the same ids is replaced.

        :param merchant_id: as in the settings of the shop: ``"M-2"``.
        :param store_id: as in the settings of the shop.
        :param user_id: as in the settings of the shop.
        :param provider: the constant of its wallet; that of the built-in merchant if not given.
        :param origins: origins whose pages may use its wallet button; every loopback origin if not given.
        :param display_name: what customers read in place of its id.
        :returns: the merchant, as the control interface has it.
        """
        body = {"merchantId": merchant_id, "storeId": store_id, "userId": user_id}
        given = {"provider": provider, "origins": origins, "displayName": display_name}
        return self._object("merchants", body, **given)

    def complete_checkout(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> str:
        """Decide a checkout as the customer would on the hosted page.

        :param reference: the clientSystemTransactionId of the attempt: ``payment.reference``.
        :param outcome: ``success``, ``pending``, ``refused``, ``cancelled``, ``error`` or ``return``.
        :param merchant_id: whose reference is meant; the built-in merchant's if not given.
        :param store_id: the same of the store.
        :returns: the URL to which the browser is sent.
        """
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        answer = self._object("checkouts/complete", body, merchantId=merchant_id, storeId=store_id)
        return str(answer["location"])

    def complete_three_d_secure(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> str:
        """Leave a 3-D Secure page as the customer would.

        :param reference: the clientSystemTransactionId of the attempt.
        :param outcome: ``success``, ``failed`` or ``abandoned``; the last fails once the page expires.
        :param merchant_id: whose reference is meant; the built-in merchant's if not given.
        :param store_id: the same of the store.
        :returns: the URL to which the browser is sent.
        """
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        answer = self._object("three-d-secure/complete", body, merchantId=merchant_id, storeId=store_id)
        return str(answer["location"])

    def wallet_payment_data(
        self,
        *,
        merchant_id: str = "SANDBOX-MERCHANT",
        auth_method: str = "CRYPTOGRAM_3DS",
        card_network: str = "VISA",
        request: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Approve in the wallet as the customer would.

        :param merchant_id: for whose gateway the token is made.
        :param auth_method: ``PAN_ONLY`` or ``CRYPTOGRAM_3DS``.
        :param card_network: ``VISA``, ``MASTERCARD``, ``AMEX``, ``DISCOVER`` or ``JCB``.
        :param request: what the page asks the wallet for; a plain request if not given.
        :returns: what ``loadPaymentData`` resolves with.
        """
        body = {"merchantId": merchant_id, "authMethod": auth_method, "cardNetwork": card_network}
        return self._object("wallet/payment-data", body, request=request)

    def wallet(self, mode: str | None = None) -> str:
        """Change how the emulated wallet behaves in browsers.

        :param mode: ``ready``, ``not_ready``, ``no_card``, ``script_fails``, ``slow``, ``developer_error`` or
            ``cancelled``; None changes nothing.
        :returns: the mode in force.
        """
        return str(self._object("wallet", {}, mode=mode)["mode"])

    def settle_pending(
        self, reference: str, outcome: str, *, merchant_id: str | None = None, store_id: str | None = None
    ) -> dict[str, Any]:
        """Let the provider decide a pending transaction.

        :param reference: its clientSystemTransactionId.
        :param outcome: ``success``, ``refused`` or ``error``.
        :param merchant_id: whose reference is meant; the built-in merchant's if not given.
        :param store_id: the same of the store.
        :returns: its status record.
        """
        body = {"clientSystemTransactionId": reference, "outcome": outcome}
        return self._object("pending/settle", body, merchantId=merchant_id, storeId=store_id)

    def migration_file(
        self, text: str, *, keep_good: bool = False, merchant_id: str | None = None
    ) -> dict[str, Any]:
        """Hand in a migration file.

        :param text: the file's content, CSV.
        :param keep_good: take the good rows of a file with bad ones.
        :param merchant_id: whose earlier payments they are; the built-in merchant's if not given.
        :returns: how many rows were ``accepted``, and which ``rejected`` and why.
        """
        query = {"keepGood": "1"} if keep_good else {}
        if merchant_id is not None:
            query["merchantId"] = merchant_id
        answer: dict[str, Any] = self._call(
            "POST", f"migration-file?{urlencode(query)}", text.encode(), content_type="text/csv"
        )
        return answer

    def advance_clock(self, seconds: float) -> str:
        """Move the sandbox's clock forward without waiting.

        :param seconds: how far: ``900``.
        :returns: its new time in ISO 8601.
        """
        return str(self._object("clock", {"advanceSeconds": seconds})["now"])

    def set_clock(self, now: str) -> str:
        """Set the sandbox's clock.

        :param now: a time in ISO 8601, no earlier than the machine's.
        :returns: its new time in ISO 8601.
        """
        return str(self._call("PUT", "clock", json.dumps({"now": now}).encode())["now"])

    def reset_clock(self) -> str:
        """Set the sandbox's clock back to the machine's.

        :returns: its new time in ISO 8601.
        """
        return str(self._call("DELETE", "clock")["now"])

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
        errored_amount: Decimal | str | None = None,
        placeholder_ids: str | None = None,
        state_words: dict[str, str] | None = None,
        portal_references: str | None = None,
        newest_first: bool | None = None,
    ) -> dict[str, Any]:
        """Change how the gateway behaves where the interface is silent; what is not given stays.

        :param duplicates: ``reject``, ``replay`` or ``execute`` a request with a used reference.
        :param status_lag_seconds: how long a new record stays invisible to the status query.
        :param letter_case: field names of answers: ``canonical``, ``pascal`` or ``lower``.
        :param numeric_amounts: amounts of answers as numbers instead of text.
        :param share_references: whether a follow-up may carry its original's reference.
        :param another_card: whether a hosted page stays payable after a refused card.
        :param billing_address: ``optional`` or ``required``.
        :param errored_amount: of an errored record: ``requested``, ``null``, or an amount.
        :param placeholder_ids: in place of the id of a record that is not approved: ``off``, ``zeros`` (a
            UUID), ``zero`` (the text 0) or ``empty``.
        :param state_words: other words for documented states: ``{"Approved": "Settled"}``; ``{}`` for none.
        :param portal_references: of a follow-up made in the portal: ``original`` or ``own``.
        :param newest_first: whether the status query lists the newest record first.
        :returns: the behaviour in force.
        """
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
            erroredAmount=None if errored_amount is None else _on_the_wire(errored_amount),
            placeholderIds=placeholder_ids,
            stateWords=state_words,
            portalReferences=portal_references,
            newestFirst=newest_first,
        )

    def portal(
        self,
        reference: str,
        type: str,  # noqa: A002  (the name on the wire)
        amount: Decimal | int | str,
        *,
        merchant_id: str | None = None,
        store_id: str | None = None,
    ) -> dict[str, Any]:
        """Make a follow-up outside the shop, as in the provider's portal.

        :param reference: the clientSystemTransactionId of the original.
        :param type: ``capture``, ``refund`` or ``reversal``, or the type on the wire, as ``ecom.refund``.
        :param amount: ``Decimal("5.00")``, or a text with a period.
        :param merchant_id: whose reference is meant; the built-in merchant's if not given.
        :param store_id: the same of the store.
        :returns: its status record.
        """
        body = {
            "clientSystemTransactionId": reference,
            "type": _FOLLOW_UPS.get(type.lower(), type),
            "amount": _on_the_wire(amount),
        }
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
        """Set a fault for the next requests of an operation; the faults are in the sandbox's reference.

        :param operation: such as ``checkout`` or ``refund``; ``"*"`` for any.
        :param fault: such as ``drop_after``.
        :param times: how many requests meet it; without it all, until it is cleared.
        :param skip: how many requests pass first.
        :param seconds: how long, for a fault that waits.
        :param status: the HTTP status, for a fault that answers with one.
        :param code: the code of an error body.
        :param message: the message of an error body.
        :returns: all faults that are set.
        """
        body = {"operation": operation, "fault": fault}
        faults: list[dict[str, Any]] = self._post(
            "faults", body, times=times, skip=skip, seconds=seconds, status=status, code=code, message=message
        )
        return faults

    def clear_faults(self) -> None:
        """Take back every fault that still waits for its request."""
        self._call("DELETE", "faults")

    def journal(self) -> list[dict[str, Any]]:
        """Return the requests received.

        :returns: each with its answer and fault, the oldest first.
        """
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


def _on_the_wire(amount: Decimal | int | str) -> str:
    return f"{amount:f}" if isinstance(amount, Decimal) else str(amount)


# A proxy of the developer's has no business between a test and the sandbox on the same machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
