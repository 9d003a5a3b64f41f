"""What the staff type into the shop's own admin is checked before it is shown again."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from example_project.shop.models import ShippingMethod
from tests.tables import every


@every("names", [1.5, "Mug", [], {}, {"de": "Becher"}, {"en": ""}, {"en": 1}, {"en": "Mug", "de": None}])
def test_a_name_is_a_text_for_each_language(names: object) -> None:
    method = ShippingMethod(code="post", names=names, promises={"en": "Soon"})
    with pytest.raises(ValidationError) as refused:
        method.clean_fields()
    assert set(refused.value.message_dict) == {"names"}


def test_english_is_enough() -> None:
    ShippingMethod(code="post", names={"en": "Post"}, promises={"en": "Soon"}).clean_fields()
