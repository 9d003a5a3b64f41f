"""Forms of the shop: quantities, addresses, shipping, discount code. They validate and store nothing."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from example_project.shop.models import DiscountCode, ShippingMethod
from example_project.shop.money import Currency
from example_project.shop.shipping_regions import country_choices, state_code
from wallet_gateway.phones import read_mobile_phone

PHONE = re.compile(r"[1-9][0-9]{0,2}-[0-9]{1,15}")


class QuantityForm(forms.Form):
    """The quantity of a product; 0 removes it from the cart."""

    quantity = forms.IntegerField(label=_("Quantity"), min_value=0, max_value=99)


class CurrencyForm(forms.Form):
    """The currency switch."""

    currency = forms.ChoiceField(choices=Currency)


class PostalForm(forms.Form):
    """The lines of a postal address, under the wallet's field names."""

    # The browser's autofill values depend on whose address it is.
    autofill_section = ""
    heading: str | Promise = ""

    street = forms.CharField(label=_("Street"), max_length=100)
    house_number = forms.CharField(label=_("House no."), max_length=20)
    zip_postal_code = forms.CharField(label=_("Postal code"), max_length=16)
    city = forms.CharField(label=_("Town or city"), max_length=80)
    country_code = forms.ChoiceField(label=_("Country"), choices=country_choices)
    state = forms.CharField(
        label=_("State or province"),
        max_length=60,
        required=False,
        help_text=_("Where the post needs one, for example California or US-CA."),
    )

    _autofill = {
        "street": "address-line1",
        "zip_postal_code": "postal-code",
        "city": "address-level2",
        "country_code": "country-name",
        "state": "address-level1",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, token in self._autofill.items():
            self.fields[name].widget.attrs["autocomplete"] = f"{self.autofill_section} {token}".strip()
        # There is no autofill token for a house number; a guess would fill in a second address line.
        self.fields["house_number"].widget.attrs["autocomplete"] = "off"

    def clean(self) -> dict[str, Any]:
        """Convert the state to its ISO 3166-2 code, which depends on the country."""
        cleaned = super().clean() or self.cleaned_data
        country = cleaned.get("country_code")
        if country and "state" in cleaned:
            try:
                cleaned["state"] = state_code(cleaned["state"], country)
            except ValidationError as error:
                self.add_error("state", error)
        return cleaned


class BillingForm(PostalForm):
    """The person who orders, and the billing address."""

    autofill_section = "billing"
    heading = _("Billing address")

    email = forms.EmailField(
        label=_("E-mail"),
        max_length=120,
        help_text=_("For the receipt and nothing else."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    first_name = forms.CharField(
        label=_("First name"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "billing given-name"}),
    )
    last_name = forms.CharField(
        label=_("Last name"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "billing family-name"}),
    )
    phone = forms.CharField(
        label=_("Mobile phone"),
        max_length=30,
        required=False,
        help_text=_("Country code first, for example +49 151 2345678."),
        widget=forms.TextInput(attrs={"autocomplete": "billing tel", "inputmode": "tel"}),
    )
    ship_elsewhere = forms.BooleanField(label=_("Send the parcel to another address"), required=False)

    field_order = (
        "email",
        "first_name",
        "last_name",
        "phone",
        "street",
        "house_number",
        "zip_postal_code",
        "city",
        "country_code",
        "state",
        "ship_elsewhere",
    )

    def clean(self) -> dict[str, Any]:
        """Read the number as people and browsers write it; the country of the address helps."""
        data: dict[str, Any] = super().clean() or {}
        if phone := data.get("phone"):
            data["phone"] = read_mobile_phone(phone, data.get("country_code"))
            if not PHONE.fullmatch(data["phone"]):
                self.add_error("phone", _("Please write the number with its country code: +49 151 2345678."))
        return data


class ParcelForm(PostalForm):
    """The shipping address, if it is not the billing address."""

    autofill_section = "shipping"
    heading = _("The parcel goes to")

    first_name = forms.CharField(
        label=_("First name"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "shipping given-name"}),
    )
    last_name = forms.CharField(
        label=_("Last name"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "shipping family-name"}),
    )

    field_order = (
        "first_name",
        "last_name",
        "street",
        "house_number",
        "zip_postal_code",
        "city",
        "country_code",
        "state",
    )


class ReviewForm(forms.Form):
    """The last choices before the order is placed: shipping method and discount code."""

    shipping = forms.SlugField(required=False)
    code = forms.CharField(
        label=_("Discount code"),
        max_length=24,
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def clean_shipping(self) -> str:
        """Return the code of an existing shipping method, or an empty text if none was sent."""
        code: str = self.cleaned_data["shipping"]
        if code and not ShippingMethod.objects.filter(code=code).exists():
            raise ValidationError(_("There is no such shipping method."))
        return code

    def clean_code(self) -> str:
        """Return a code that is known and still valid, in capital letters."""
        code: str = self.cleaned_data["code"].strip().upper()
        if code and not DiscountCode.objects.filter(code=code, is_active=True).exists():
            raise ValidationError(
                _("We do not know the code “%(code)s”."), code="unknown", params={"code": code}
            )
        return code
