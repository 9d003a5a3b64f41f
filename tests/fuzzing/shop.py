"""Right requests to every address of the example shop: our own addresses, the shop's pages and the admin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Exists, OuterRef
from django.test import Client

from tests.admin.scenery import Scenery
from tests.api.browser import SECRET, Browser, approve
from tests.example_project.conftest import Visitor
from tests.fuzzing.addresses import Address, addresses_of
from tests.fuzzing.requests import Request, Sample
from tests.fuzzing.verdicts import carry_out
from tests.models.rows import a_transaction
from wallet_gateway import return_tokens
from wallet_gateway.domain.states import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

URLCONF = "example_project.urls"
_NAME = re.compile(r"<(?:input|select|textarea|button)[^>]*\bname=\"([^\"]+)\"(?:[^>]*\bvalue=\"([^\"]*)\")?")
_LINK = re.compile(r"href=\"\?([^\"]+)\"")
_MODEL = re.compile(r"admin/(?P<app_label>\w+)/(?P<model_name>\w+)/")
_EVERYWHERE = ("q", "p", "o", "e", "next", "page", "_popup", "ids", "language", "first", "last")
# Django takes an empty one for the name of a column, which our own lists and pages do not hand on.
_OURS = ("_to_field",)


class Shop:
    """A shop with orders in all states, a customer with a cart and an open sheet, and a superuser."""

    def __init__(self, control: SandboxControl) -> None:
        self.scenery = Scenery()
        _complete_payments()
        # As an import has them, which the export relies on.
        imported = {"transacted_at_text": "2024-03-01T09:30:00", "provider_transaction_id": "P-1"}
        MigratedDeposit.objects.update(**imported)
        self.customer, self.superuser = Client(), Client()
        self.superuser.force_login(User.objects.create_superuser("fuzzer", password="x"))
        self.placed = Visitor(self.customer).order()
        Visitor(self.customer).add("harbour-mug", 2)
        self.order = PaymentOrder.objects.get(reference=self.placed.number)
        self.browser = Browser()
        self.browser.client = self.customer
        self.session = self.browser.open(self.order)
        self.card = approve(control, self.session)

    def samples(self) -> Iterator[Sample]:
        """Give a right request to each address, with what its page shows of itself."""
        for address in addresses_of(URLCONF):
            in_admin = address.route.startswith("admin/")
            headers = _headers(self.superuser if in_admin else self.customer)
            sample = Sample(address=address, parts=self._parts(address), headers=headers)
            yield self._completed(sample)

    def _completed(self, sample: Sample) -> Sample:
        if "wallet/api/" in sample.address.route:
            return replace(sample, kind="json", fields=self._message(sample.address))
        page = carry_out(Request(path=sample.address.path(sample.parts[0]), headers=sample.headers))
        text = page.body.decode(errors="replace")
        linked = [name for link in _LINK.findall(text) for name, _ in parse_qsl(link.replace("&amp;", "&"))]
        return replace(
            sample,
            fields=dict(_NAME.findall(text)),
            parameters=sorted({*linked, *_EVERYWHERE, *(_OURS if "wallet" in sample.address.route else ())}),
        )

    def _message(self, address: Address) -> Mapping[str, Any]:
        reference = self.session["reference"]
        place = {"countryCode": "DE", "postalCode": "20095", "locality": "Hamburg", "name": "Robin Wren"}
        if "/price/" in address.route:
            choices = {"shippingAddress": place, "shippingOption": "letter", "offers": ["WELCOME"]}
            return {"reference": reference, **choices}
        if "/event/" in address.route:
            return {"reference": reference, "event": "cancelled", "message": "the sheet was closed"}
        if "/result/" in address.route:
            given = {"email": "robin@example.com", "billingAddress": place, "shippingAddress": place}
            return {**self.card, **given}
        return {"after": reference}

    def _parts(self, address: Address) -> Sequence[Mapping[str, str]]:
        names = address.parameters
        if not names:
            return ({},)
        if "payment_id" in names:
            paid, payment = self.scenery.paid, self.scenery.payment
            known = {"order_id": str(paid.pk), "payment_id": str(payment.pk)}
            return [known | {"slug": slug} for slug in ("capture", "refund", "reversal")]
        return [dict.fromkeys(names, value) | self._constant(names) for value in self._values(address)]

    def _constant(self, names: Sequence[str]) -> dict[str, str]:
        orders = ContentType.objects.get_for_model(PaymentOrder).pk
        known = {
            "alias": "default",
            "verb": "stop",
            "content_type_id": str(orders),
            "object_id": str(self.order.pk),
            "app_label": "wallet_gateway",
        }
        return {name: known[name] for name in names if name in known and len(names) > 1}

    def _values(self, address: Address) -> list[str]:
        if model := _MODEL.match(address.route):
            if "{alias}" in address.template:
                return ["default"]
            rows = apps.get_model(model["app_label"], model["model_name"])._default_manager.order_by("pk")
            return [str(pk) for pk in rows.values_list("pk", flat=True)[:8]] or ["1"]
        if "{token}" in address.template:
            if any(word in address.route for word in ("return/", "result/<", "status/")):
                reference = self.session["reference"]
                if "orders/" not in address.route:
                    return [return_tokens.sign(reference, outcome) for outcome in ReturnOutcome]
            return [self.order.token]
        if "{key}" in address.template:
            return [self.placed.key]
        return ["harbour-mug"] if "{slug}" in address.template else ["wallet_gateway"]


def _complete_payments() -> None:
    """Give each payment the transaction that opened it; no operation ever writes one without the other."""
    opened = GatewayTransaction.objects.filter(reference=OuterRef("reference"), kind__in=OPENING_KINDS)
    for payment in Payment.objects.exclude(Exists(opened)):
        approved = {"state": TransactionState.APPROVED, "amount_minor": 2000, "approved_minor": 2000}
        a_transaction(payment, kind=TransactionKind.CHECKOUT, reference=payment.reference, **approved)


def _headers(client: Client) -> Mapping[str, str]:
    client.cookies["csrftoken"] = SECRET
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    return {"Cookie": cookies, "X-CSRFToken": SECRET}


def anonymous(sample: Sample) -> Sample:
    """The same from somebody whom nobody knows, with a CSRF token of his own."""
    return replace(sample, headers={"Cookie": f"csrftoken={SECRET}", "X-CSRFToken": SECRET})
