"""Catalogue models: products with a price list per currency, shipping methods, codes. No orders here."""

from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from example_project.shop.money import Currency, from_minor_units, included_tax


def in_reader_language(texts: object) -> str:
    """Return the text in the language of the page, in English if there is no translation.

    The admin shows a row with what was typed, before and after it was refused: what has no texts is empty.
    """
    if not isinstance(texts, dict):
        return ""
    language = (get_language() or "en").split("-")[0]
    return str(texts.get(language) or texts.get("en") or "")


def check_texts(value: object) -> None:
    """Check that a value has a text for each of its languages, English among them."""
    texts = value if isinstance(value, dict) else {}
    if "en" not in texts or not all(isinstance(text, str) and text for text in texts.values()):
        raise ValidationError(_('Give a text for each language, as in {"en": "Mug"}. English is needed.'))


class Category(models.TextChoices):
    """The categories of the shop."""

    CLAY = "clay", _("Clay")
    BREW = "brew", _("Coffee & tea")
    PAPER = "paper", _("Paper & ink")
    GIFT = "gift", _("Gifts")


class ProductKind(models.TextChoices):
    """The gateway's type of a product; only physical goods are shipped."""

    PHYSICAL = "physical", _("Physical goods")
    DIGITAL = "digital", _("Download")
    GIFT_CARD = "giftcard", _("Gift card")


class Product(models.Model):
    """A product. Its texts are stored per language: `{"en": "Gift card", "de": "Gutschein"}`."""

    sku = models.CharField(max_length=32, unique=True)
    slug = models.SlugField(unique=True)
    category = models.CharField(max_length=16, choices=Category)
    kind = models.CharField(max_length=16, choices=ProductKind, default=ProductKind.PHYSICAL)
    names = models.JSONField(validators=[check_texts])
    taglines = models.JSONField(validators=[check_texts])
    descriptions = models.JSONField(validators=[check_texts])
    facts = models.JSONField(default=dict, validators=[check_texts])
    position = models.PositiveSmallIntegerField(default=0)
    stock = models.PositiveIntegerField(null=True, blank=True, help_text=_("Empty: never runs out."))
    made_to_order = models.BooleanField(
        default=False, help_text=_("Reserved when ordered, charged when it leaves the workshop.")
    )

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("product")
        verbose_name_plural = _("products")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the address of the product's page."""
        return reverse("shop:product", args=[self.slug])

    @property
    def name(self) -> str:
        """The name in the reader's language."""
        return in_reader_language(self.names)

    @property
    def tagline(self) -> str:
        """One line under the name, in the reader's language."""
        return in_reader_language(self.taglines)

    @property
    def description(self) -> str:
        """A paragraph, in the reader's language."""
        return in_reader_language(self.descriptions)

    @property
    def fact_lines(self) -> list[str]:
        """Size, material and care, in the reader's language."""
        return in_reader_language(self.facts).split("\n") if self.facts else []

    @property
    def picture(self) -> str:
        """Path of the picture below the static files."""
        return f"shop/products/{self.slug}.svg"

    @property
    def is_shipped(self) -> bool:
        """Whether a parcel is needed."""
        return self.kind == ProductKind.PHYSICAL

    @property
    def most_per_order(self) -> int:
        """The maximum quantity in one order; 0 when sold out."""
        return 20 if self.stock is None else min(self.stock, 20)


class PricedIn(models.Model):
    """One line of a price list: an amount in one currency, including tax."""

    currency = models.CharField(max_length=3, choices=Currency)
    minor_units = models.PositiveBigIntegerField()
    tax_rate = models.DecimalField(
        max_digits=6, decimal_places=3, default=Decimal(0), help_text=_("Percent, included in the price.")
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"

    @property
    def amount(self) -> Decimal:
        """The price in major units, tax included."""
        return from_minor_units(self.minor_units, self.currency)

    @property
    def tax(self) -> Decimal:
        """The tax inside the price."""
        return included_tax(self.amount, self.tax_rate, self.currency)


class Price(PricedIn):
    """The price of a product in one currency."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="prices")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["product", "currency"], name="shop_one_price_per_currency")
        ]
        verbose_name = _("price")
        verbose_name_plural = _("prices")


class ShippingMethod(models.Model):
    """A shipping method."""

    code = models.SlugField(unique=True)
    names = models.JSONField(validators=[check_texts])
    promises = models.JSONField(validators=[check_texts])
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "pk"]
        verbose_name = _("shipping method")
        verbose_name_plural = _("shipping methods")

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name in the reader's language."""
        return in_reader_language(self.names)

    @property
    def promise(self) -> str:
        """The delivery time, in the reader's language."""
        return in_reader_language(self.promises)


class ShippingRate(PricedIn):
    """The price of a shipping method in one currency."""

    method = models.ForeignKey(ShippingMethod, on_delete=models.CASCADE, related_name="rates")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["method", "currency"], name="shop_one_rate_per_currency")
        ]
        verbose_name = _("shipping rate")
        verbose_name_plural = _("shipping rates")


class DiscountCode(models.Model):
    """A code entered at the checkout: a percentage off every line, or a fixed credit per currency.

    A percentage lowers the price and the tax in it. A credit is a way to pay: the tax stays the same.
    """

    code = models.CharField(max_length=24, unique=True)
    names = models.JSONField(validators=[check_texts])
    percent = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(90)]
    )
    credits = models.JSONField(default=dict, blank=True, help_text=_('Minor units, as in {"EUR": 500}.'))
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(percent__isnull=True) | models.Q(percent__gte=1, percent__lte=90),
                name="shop_percent_1_to_90",
            )
        ]
        verbose_name = _("discount code")
        verbose_name_plural = _("discount codes")

    def __str__(self) -> str:
        return self.code

    @property
    def name(self) -> str:
        """The name shown to the customer, in the customer's language."""
        return in_reader_language(self.names)

    def credit(self, currency: str) -> Decimal:
        """Return the credit in major units; zero for a percentage and if the currency has none."""
        return from_minor_units(int(self.credits.get(currency, 0)), currency)
