"""How salesman shows what the shop sells."""

from __future__ import annotations

from rest_framework import serializers

from tests.contrib.salesman.models import Mug


class MugSerializer(serializers.ModelSerializer[Mug]):
    """Name and code."""

    class Meta:
        model = Mug
        fields = ["name", "code"]
