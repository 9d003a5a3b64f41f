"""The shop's own rows for the staff, under its brand. The wallet's pages move money."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from example_project.shop.models import (
    DiscountCode,
    Order,
    OrderLine,
    PackingSlip,
    Price,
    Product,
    ShippingMethod,
)

admin.site.site_header = admin.site.site_title = _("Lark & Loam")


class PriceInline(admin.TabularInline):  # type: ignore[type-arg]
    """A product's price lists."""

    model = Price
    extra = 0


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The admin of the catalogue."""

    list_display = ["sku", "name", "category", "kind", "stock", "made_to_order"]
    list_filter = ["category", "kind"]
    inlines = [PriceInline]


class ReadOnly:
    """A customer's order comes from the shop; the staff can view it, but neither edit nor delete it."""

    def has_add_permission(self, *_request_and_row: object) -> bool:
        """Return False."""
        return False

    def has_change_permission(self, *_request_and_row: object) -> bool:
        """Return False."""
        return False

    def has_delete_permission(self, *_request_and_row: object) -> bool:
        """Return False."""
        return False


class OrderLineInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """An order's lines."""

    model = OrderLine
    extra = 0


@admin.register(Order)
class OrderAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """The admin of the shop's orders."""

    list_display = ["number", "created_at", "email", "total", "currency"]
    list_filter = ["currency", "created_at"]
    search_fields = ["number", "email"]
    inlines = [OrderLineInline]


@admin.register(PackingSlip)
class PackingSlipAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """The admin of the packing slips."""

    list_display = ["pk", "order", "created_at", "event_id"]


admin.site.register(DiscountCode)
admin.site.register(ShippingMethod)
