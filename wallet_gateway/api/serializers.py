"""The JSON bodies this door writes."""

from __future__ import annotations

from rest_framework import serializers

from wallet_gateway.domain.lifecycle import OrderState


class StatusSerializer(serializers.Serializer[dict[str, object]]):
    """What a waiting page is told: no amount, no number, no name."""

    state = serializers.ChoiceField(choices=list(OrderState))
    final = serializers.BooleanField(help_text="Whether there is something to show; the page stops asking.")
    next = serializers.CharField(help_text="The page that shows it.")
