from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import include, path
from payments import RedirectNeeded

from tests.contrib.django_payments.models import Payment
from tests.contrib.page_blocks import add_to


def pay(request: HttpRequest, pk: int) -> HttpResponse:
    """The view of django-payments' own guide."""
    payment = get_object_or_404(Payment, pk=pk)
    try:
        payment.get_form(data=request.POST or None)
    except RedirectNeeded as redirect_to:
        return redirect(str(redirect_to))
    return HttpResponse("a form")


urlpatterns = [path("pay/<int:pk>/", pay), path("payments/", include("payments.urls"))]

add_to(globals(), "docs/how-to/django-payments.md", "urls.py")
