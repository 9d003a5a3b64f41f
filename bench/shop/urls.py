"""Addresses of the measured shop."""

from __future__ import annotations

from django.urls import include, path

from bench.shop import views

urlpatterns = [
    path("bare/", views.bare),
    path("whole/<str:series>/<int:number>/", views.whole),
    path("new/", views.new),
    path("wallet/", include("wallet_gateway.urls")),
]
