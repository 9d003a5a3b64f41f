"""Fill the catalogue from `data/catalogue.toml` and create staff users; repeating it is harmless."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from example_project.shop.models import DiscountCode, Price, Product, ShippingMethod, ShippingRate
from example_project.shop.money import to_minor_units

CATALOGUE = Path(__file__).parent / "data" / "catalogue.toml"
PRODUCT_FIELDS = ("slug", "category", "kind", "names", "taglines", "descriptions", "facts", "made_to_order")


@transaction.atomic
def seed_catalogue(path: Path = CATALOGUE) -> int:
    """Write products, shipping methods and codes; return the number of products. Stock is set only once."""
    catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
    for position, row in enumerate(catalogue["products"]):
        _seed_product(position, row, catalogue["tax"][row["tax"]])
    for position, row in enumerate(catalogue["shipping"]):
        _seed_shipping(position, row, catalogue["tax"][row["tax"]])
    for row in catalogue["codes"]:
        _seed_code(row)
    return len(catalogue["products"])


def seed_staff(username: str, password: str, *, is_reset: bool) -> None:
    """Create a staff user; an existing user's password changes only with `is_reset`."""
    user, is_new = get_user_model().objects.get_or_create(username=username)
    if is_new or is_reset:
        user.is_staff = user.is_superuser = True
        user.set_password(password)
        user.save()


def _seed_product(position: int, row: Mapping[str, Any], tax: Mapping[str, str]) -> None:
    texts = {name: row[name] for name in PRODUCT_FIELDS if name in row} | {"position": position}
    product, _is_new = Product.objects.update_or_create(
        sku=row["sku"], defaults=texts, create_defaults={**texts, "stock": row.get("stock")}
    )
    product.prices.all().delete()
    Price.objects.bulk_create(Price(product=product, **price) for price in _prices(row, tax))


def _seed_shipping(position: int, row: Mapping[str, Any], tax: Mapping[str, str]) -> None:
    texts = {"names": row["names"], "promises": row["promises"], "position": position}
    method, _is_new = ShippingMethod.objects.update_or_create(code=row["code"], defaults=texts)
    method.rates.all().delete()
    ShippingRate.objects.bulk_create(ShippingRate(method=method, **rate) for rate in _prices(row, tax))


def _seed_code(row: Mapping[str, Any]) -> None:
    credits_given = {
        currency: to_minor_units(Decimal(amount), currency)
        for currency, amount in row.get("credit", {}).items()
    }
    DiscountCode.objects.update_or_create(
        code=row["code"],
        defaults={"names": row["names"], "percent": row.get("percent"), "credits": credits_given},
    )


def _prices(row: Mapping[str, Any], tax: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for currency, amount in row["price"].items():
        minor_units = to_minor_units(Decimal(amount), currency)
        yield {"currency": currency, "minor_units": minor_units, "tax_rate": Decimal(tax[currency])}
