"""The shop's own rows for the staff. What moves money is not done here: it belongs to the wallet's pages."""

from __future__ import annotations

from django.contrib import admin

from example_project.shop.models import (
    DiscountCode,
    Order,
    OrderLine,
    PackingSlip,
    Price,
    Product,
    ShippingMethod,
)


class PriceInline(admin.TabularInline):  # type: ignore[type-arg]
    """A product's price lists."""

    model = Price
    extra = 0


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The catalogue."""

    list_display = ["sku", "name", "category", "kind", "stock", "made_to_order"]
    list_filter = ["category", "kind"]
    inlines = [PriceInline]


class ReadOnly:
    """What a customer ordered comes from the shop, is looked at, and is neither edited nor deleted."""

    def has_add_permission(self, *_request_and_row: object) -> bool:
        """No."""
        return False

    def has_change_permission(self, *_request_and_row: object) -> bool:
        """No."""
        return False

    def has_delete_permission(self, *_request_and_row: object) -> bool:
        """No."""
        return False


class OrderLineInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """An order's lines."""

    model = OrderLine
    extra = 0


@admin.register(Order)
class OrderAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """The shop's orders."""

    list_display = ["number", "created_at", "email", "total", "currency"]
    list_filter = ["currency", "created_at"]
    search_fields = ["number", "email"]
    inlines = [OrderLineInline]


@admin.register(PackingSlip)
class PackingSlipAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """What is to be packed."""

    list_display = ["pk", "order", "created_at", "event_id"]


admin.site.register(DiscountCode)
admin.site.register(ShippingMethod)
