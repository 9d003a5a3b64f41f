"""The address form: what it refuses, by which field, and in which form it hands the rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from example_project.shop.forms import BillingForm, ParcelForm
from tests.support.tables import every

if TYPE_CHECKING:
    from example_project.shop.forms import PostalForm

GOOD = {
    "email": "robin@example.com",
    "first_name": "Robin",
    "last_name": "Wren",
    "phone": "",
    "street": "Main Street",
    "house_number": "12b",
    "zip_postal_code": "94103",
    "city": "San Francisco",
    "country_code": "USA",
    "state": "California",
}
REQUIRED = GOOD.keys() - {"phone", "state"}


def billing(**changed: str) -> BillingForm:
    return BillingForm(GOOD | changed)


@every(
    ("field", "value"),
    [
        *((field, "") for field in REQUIRED),
        ("email", "robin"),
        ("country_code", "US"),
        ("country_code", "XYZ"),
        ("country_code", "usa"),
        ("state", "Bavaria"),
        ("state", "DE-BY"),
        ("phone", "0151 2345678x"),
        ("phone", "0151 2345678"),
        ("phone", "+1234 567890"),
        ("house_number", "1" * 21),
        ("street", "Main Street\x00"),
    ],
)
def test_a_missing_or_wrong_value_is_refused_by_its_field(field: str, value: str) -> None:
    form = billing(**{field: value})

    assert field in form.errors
    assert set(form.errors) <= {field, "state"}


@every(
    ("field", "typed", "handed_on"),
    [
        *(
            ("state", typed, "US-CA")
            for typed in ("CA", "ca", "US-CA", "us-ca", "California", " california ")
        ),
        ("phone", "+49 151 2345678", "49-1512345678"),
        ("phone", "+49301234567", "49-301234567"),
        ("phone", "(415) 555-0100", "1-4155550100"),
        ("phone", "49-1512345678", "49-1512345678"),
        ("phone", "+1 (415) 555-0100", "1-4155550100"),
        ("phone", "+965 2222 3333", "965-22223333"),
    ],
)
def test_what_people_write_is_handed_on_in_the_gateways_form(field: str, typed: str, handed_on: str) -> None:
    form = billing(**{field: typed})

    assert form.is_valid(), form.errors
    assert form.cleaned_data[field] == handed_on


@every(("form_class", "section"), [(BillingForm, "billing"), (ParcelForm, "shipping")])
def test_a_browser_is_told_whose_address_it_fills_in_and_every_field_has_a_label(
    form_class: type[PostalForm], section: str
) -> None:
    fields = form_class().fields
    assert fields["street"].widget.attrs["autocomplete"] == f"{section} address-line1"
    assert fields["first_name"].widget.attrs["autocomplete"] == f"{section} given-name"
    for name, field in fields.items():
        assert field.label
        assert "autocomplete" in field.widget.attrs or name == "ship_elsewhere"
