"""An oscar shop as oscar's own guide makes it, and then the lines of our guide."""

from oscar.defaults import *  # noqa: F403

from tests.contrib import hosted_only
from tests.contrib.page_blocks import add_to, templates_of
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as TESTED
from tests.settings import MIDDLEWARE as DJANGOS
from tests.settings import TEMPLATES as WITHOUT_OSCAR

WALLET_GATEWAY = hosted_only.WALLET_GATEWAY
OSCARS = """
    analytics.apps.Analytics checkout.apps.Checkout address.apps.Address shipping.apps.Shipping
    catalogue.apps.Catalogue catalogue.reviews.apps.CatalogueReviews communication.apps.Communication
    partner.apps.Partner basket.apps.Basket payment.apps.Payment offer.apps.Offer order.apps.Order
    customer.apps.Customer search.apps.Search voucher.apps.Voucher wishlists.apps.Wishlists
    dashboard.apps.Dashboard dashboard.reports.apps.ReportsDashboard dashboard.users.apps.UsersDashboard
    dashboard.orders.apps.OrdersDashboard dashboard.catalogue.apps.CatalogueDashboard
    dashboard.offers.apps.OffersDashboard dashboard.partners.apps.PartnersDashboard
    dashboard.pages.apps.PagesDashboard dashboard.ranges.apps.RangesDashboard
    dashboard.reviews.apps.ReviewsDashboard dashboard.vouchers.apps.VouchersDashboard
    dashboard.communications.apps.CommunicationsDashboard dashboard.shipping.apps.ShippingDashboard
"""
"""The apps of oscar, as its guide lists them."""
INSTALLED_APPS = [
    *(app for app in TESTED if app != "wallet_gateway"),
    "django.contrib.sites",
    "django.contrib.flatpages",
    "oscar.config.Shop",
    *(f"oscar.apps.{name}Config" for name in OSCARS.split()),
    "widget_tweaks",
    "haystack",
    "treebeard",
    "django_tables2",
]
SITE_ID = 1
MIDDLEWARE = [*DJANGOS, "oscar.apps.basket.middleware.BasketMiddleware"]
AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]
TEMPLATES = [
    {
        **WITHOUT_OSCAR[0],
        "APP_DIRS": False,
        "OPTIONS": {
            "loaders": [
                ("django.template.loaders.locmem.Loader", templates_of("docs/how-to/oscar.md")),
                "django.template.loaders.app_directories.Loader",
            ],
            "context_processors": [
                *WITHOUT_OSCAR[0]["OPTIONS"]["context_processors"],  # type: ignore[index]
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ],
        },
    }
]
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
ROOT_URLCONF = "tests.contrib.oscar.urls"
MEDIA_URL = "/media/"
OSCAR_ALLOW_ANON_CHECKOUT = True
OSCAR_DEFAULT_CURRENCY = "EUR"

add_to(globals(), "docs/how-to/oscar.md", "settings.py")
