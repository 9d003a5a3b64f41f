from __future__ import annotations

from django.urls import include, path

from tests.contrib.own_order import views

urlpatterns = [
    path("place/", views.place),
    path("thanks/<int:pk>/", views.thanks, name="thanks"),
    path("wallet/", include("wallet_gateway.urls")),
]
