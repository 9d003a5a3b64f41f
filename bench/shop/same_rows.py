"""Compares the rows that two orders of the measured shop have got: the bound writes no less than the plugin.

``python -m bench.shop.same_rows REFERENCE OTHER`` prints each difference, and ends with 1 if there is one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHER_IN_EACH = {"request_body", "body_hash", "elapsed_ms", "reference", "answer_body", "redirect_url"}
"""Columns that must be set in both or in neither; keys and times are such, too."""


def differences(reference: str, other: str) -> Iterator[str]:
    """Yield the columns in which the rows of one order differ from those of the other."""
    for mine, theirs in zip(_rows(reference), _rows(other), strict=True):
        assert type(mine) is type(theirs)
        for field in mine._meta.concrete_fields:
            values = [getattr(row, field.attname) for row in (mine, theirs)]
            if _differs(field, *values):
                yield f"{field}: {values[0]!r} and {values[1]!r}"


def _differs(field: Any, one: object, other: object) -> bool:  # noqa: ANN401 - a column of a model
    kind = field.get_internal_type()
    if field.name in OTHER_IN_EACH or field.is_relation or kind in {"BigAutoField", "DateTimeField"}:
        return (one in {None, ""}) != (other in {None, ""})
    return one != other


def _rows(reference: str) -> list[Any]:
    from wallet_gateway.models import GatewayTransaction, Payment, TransactionEvent

    return [
        *Payment.objects.filter(order__reference=reference),
        *GatewayTransaction.objects.filter(payment__order__reference=reference),
        *TransactionEvent.objects.filter(transaction__payment__order__reference=reference),
    ]


if __name__ == "__main__":
    import django

    django.setup()
    found = list(differences(*sys.argv[1:]))
    print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)
