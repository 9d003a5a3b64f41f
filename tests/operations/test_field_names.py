"""Faults of the wire are told by the names that a shop's code has written."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator

from wallet_gateway import payments
from wallet_gateway.operations.field_names import in_python_names
from wallet_gateway.protocol.checkout import OrderContent
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.wire import WireModel

CLASSES = {
    "items[0]": payments.Item,
    "shipping": payments.Shipping,
    "discounts[0]": payments.Discount,
    "billing_address": payments.BillingAddress,
    "shipping_address": payments.ShippingAddress,
}


def test_every_field_of_the_wire_becomes_a_name_that_the_shop_can_give() -> None:
    arguments = {*inspect.signature(payments.create_order).parameters}
    for path in _paths(OrderContent):
        if path.endswith(("totalTaxAmount", "redirectUrlTimeout")):
            continue  # the first follows from the items, the second is a setting
        (fault,) = in_python_names([FieldError(path, "")])
        holder, _, field = fault.path.rpartition(".")
        assert (field in _fields(CLASSES[holder])) if holder else (fault.path in arguments), (
            path,
            fault.path,
        )


def _paths(model: type[WireModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        found = re.findall(r"[A-Z]\w+", repr(field.annotation))
        inner = next((kind for kind in _models() if kind.__name__ in found), None)
        if inner is None:
            yield path
        else:
            yield from _paths(inner, path + ("[0]." if "tuple" in repr(field.annotation) else "."))


def _models() -> list[type[WireModel]]:
    return WireModel.__subclasses__()


def _fields(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}
