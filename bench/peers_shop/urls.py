"""Addresses of the shop with peers."""

from __future__ import annotations

from django.urls import include, path

from bench.peers_shop import views
from bench.shop.urls import urlpatterns as of_the_shop

urlpatterns = [
    *of_the_shop,
    path("django-payments/<str:series>/<int:number>/", views.by_django_payments),
    path("django-getpaid/<str:series>/<int:number>/", views.by_django_getpaid),
    path("dj-stripe/<str:series>/<int:number>/", views.by_dj_stripe),
    # Where the gateway would send customers and messages.
    path("payments/", include("payments.urls")),
]
