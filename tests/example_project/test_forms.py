"""The address form: what it refuses, by which field, and in which form it hands the rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from example_project.shop.forms import BillingForm, ParcelForm
from tests.tables import every

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
REQUIRED = [
    "email",
    "first_name",
    "last_name",
    "street",
    "house_number",
    "zip_postal_code",
    "city",
    "country_code",
]


def billing(**changed: str) -> BillingForm:
    return BillingForm(GOOD | changed)


@every("field", REQUIRED)
def test_a_missing_field_is_refused_by_its_name_alone(field: str) -> None:
    form = billing(**{field: "", "state": ""} if field == "country_code" else {field: ""})

    assert list(form.errors) == [field]


@every(
    ("field", "value"),
    [
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
def test_a_wrong_value_is_refused_by_its_field(field: str, value: str) -> None:
    form = billing(**{field: value})

    assert field in form.errors
    assert set(form.errors) <= {field, "state"}


@every("typed", ["CA", "ca", "US-CA", "us-ca", "California", " california "])
def test_a_state_is_understood_as_people_write_it(typed: str) -> None:
    form = billing(state=typed)

    assert form.is_valid(), form.errors
    assert form.cleaned_data["state"] == "US-CA"


@every(
    ("typed", "handed_on"),
    [
        ("+49 151 2345678", "49-1512345678"),
        ("+49301234567", "49-301234567"),
        ("(415) 555-0100", "1-4155550100"),
        ("49-1512345678", "49-1512345678"),
        ("+1 (415) 555-0100", "1-4155550100"),
        ("+965 2222 3333", "965-22223333"),
    ],
)
def test_a_phone_number_is_handed_on_in_the_gateways_form(typed: str, handed_on: str) -> None:
    form = billing(phone=typed)

    assert form.is_valid(), form.errors
    assert form.cleaned_data["phone"] == handed_on


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
