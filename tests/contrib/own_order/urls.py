from __future__ import annotations

from django.urls import include, path

from tests.contrib.own_order.views import place, thanks  # type: ignore[attr-defined]  # the guide's

urlpatterns = [
    path("place/", place),
    path("thanks/<int:pk>/", thanks, name="thanks"),
    path("wallet/", include("wallet_gateway.urls")),
]
