"""Columns that others have stored reach an instance that is held; its own changes stay."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from wallet_gateway.contrib.held_instance import columns_of, take_over

pytestmark = pytest.mark.django_db


@pytest.fixture
def robin() -> User:
    return User.objects.create_user("robin", "robin@example.com", first_name="Robin")


def test_what_others_have_stored_is_taken_over_and_own_changes_stay(robin: User) -> None:
    before = columns_of(robin)
    robin.last_name = "Wren"
    User.objects.update(email="new@example.com", is_staff=True)
    take_over(robin, before, columns_of(robin))
    robin.save()
    row = User.objects.get()
    assert (row.first_name, row.last_name, row.email, row.is_staff) == (
        "Robin",
        "Wren",
        "new@example.com",
        True,
    )


def test_of_a_column_that_both_have_changed_the_stored_one_is_taken(robin: User) -> None:
    before = columns_of(robin)
    robin.email = "mine@example.com"
    User.objects.update(email="theirs@example.com")
    take_over(robin, before, columns_of(robin))
    assert robin.email == "theirs@example.com"


def test_without_an_earlier_reading_everything_is_taken_over(robin: User) -> None:
    robin.last_name = "Wren"
    User.objects.update(email="new@example.com")
    take_over(robin, {}, columns_of(robin))
    assert (robin.last_name, robin.email) == ("", "new@example.com")


def test_a_column_that_was_not_loaded_stays_so(robin: User) -> None:
    part = User.objects.defer("email").get()
    before = columns_of(part)
    User.objects.update(email="new@example.com", last_name="Wren")
    take_over(part, before, columns_of(part))
    assert part.get_deferred_fields() == {"email"}
    assert (part.last_name, part.email) == ("Wren", "new@example.com")


def test_a_row_that_is_not_there_any_more_has_no_columns() -> None:
    with pytest.raises(Group.DoesNotExist):
        columns_of(Group(pk=1))
