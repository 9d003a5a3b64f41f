"""The demo's panel as a form, with labels in the reader's language."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from example_project.shop.sheet_choices import SheetChoices


class SheetForm(forms.Form):
    """The look of the wallet button, and the fields of its sheet."""

    drawn_by_wallet = forms.ChoiceField(
        label=_("Who draws the button"),
        choices=[("", _("this shop")), ("on", _("the wallet"))],
        required=False,
    )
    color = forms.ChoiceField(
        label=_("Colour"),
        choices=[("default", _("the wallet's choice")), ("black", _("black")), ("white", _("white"))],
        help_text=_("This and the next two are for the button that the wallet draws."),
    )
    type = forms.ChoiceField(
        label=_("Words on it"),
        choices=[
            ("pay", _("pay")),
            ("buy", _("buy")),
            ("checkout", _("checkout")),
            ("order", pgettext_lazy("words of a button", "order")),
            ("book", _("book")),
            ("donate", _("donate")),
            ("subscribe", _("subscribe")),
            ("plain", _("none")),
        ],
    )
    locale = forms.ChoiceField(
        label=_("Language of the button"),
        choices=[("", _("that of the page")), *settings.LANGUAGES],
        required=False,
    )
    billing = forms.ChoiceField(
        label=_("Billing address"),
        choices=[("", _("not asked")), ("MIN", _("name and postal code")), ("FULL", _("in full"))],
        required=False,
    )
    email = forms.BooleanField(label=_("Ask for the e-mail address"), required=False)
    shipping = forms.BooleanField(label=_("Ask where to and how to ship"), required=False)
    prices_open = forms.BooleanField(
        label=_("Price shipping and discount codes while the sheet is open"), required=False
    )
    decides_open = forms.BooleanField(
        label=_(
            "Keep the sheet open until the card is charged, so that a decline can be followed by another card"
        ),
        required=False,
    )

    @classmethod
    def showing(cls, choices: SheetChoices) -> SheetForm:
        """Return the panel with the current choices."""
        drawn_by = "on" if choices.drawn_by_wallet else ""
        names = [name for name in cls.base_fields if name != "drawn_by_wallet"]
        initial: dict[str, Any] = {name: getattr(choices, name) for name in names}
        return cls(initial=initial | {"drawn_by_wallet": drawn_by}, prefix="sheet")

    def choices(self) -> SheetChoices:
        """Return the choices of a valid form."""
        given = self.cleaned_data
        return SheetChoices(**given | {"drawn_by_wallet": bool(given["drawn_by_wallet"])})
