"""Made-up people, whom no report of an error may name. They stand here, as reports quote source lines."""

from __future__ import annotations

EMAIL, PHONE, FIRST_NAME, LAST_NAME = "ada.l@example.org", "49-15110000001", "Adalbertina", "Lovelacesson"
NATIONAL_ID, STREET, CITY = "NID-77-1815", "Marylebonestrasse", "Ockhamville"
PAYER = "payer.of.record@example.org"
CARDHOLDER = {
    "cardholder_email": EMAIL,
    "cardholder_mobile_phone": PHONE,
    "cardholder_first_name": FIRST_NAME,
    "cardholder_last_name": LAST_NAME,
    "cardholder_national_identification_number": NATIONAL_ID,
}
ADDRESS = {
    "street": STREET,
    "city": CITY,
    "house_number": "12",
    "country_code": "DEU",
    "zip_postal_code": "10115",
}
PERSONAL = (EMAIL, PHONE, FIRST_NAME, LAST_NAME, NATIONAL_ID, STREET, CITY, PAYER)
