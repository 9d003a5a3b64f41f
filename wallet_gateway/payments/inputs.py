"""Check the arguments of an operation: amounts in the right currency, known reasons, storable texts."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import TypeVar, overload

from django.db.models import Model
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import ARGUMENT_CHOICE, ITEMS_INVALID, ErrorCode
from wallet_gateway.domain.people import REASON_CODES, Actor, By
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models.fields import LONGEST_ACCOUNT
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.cart import ShoppingCart, cart_total
from wallet_gateway.protocol.errors import FieldError, ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import is_storable

E = TypeVar("E", bound=StrEnum)

_NAME_MISSING = _("The name of the person who decides is missing.")
_TEXT_INVALID = _("%(field)s must be text without NUL characters and without halves of surrogate pairs.")


@overload
def minor_units_of(amount: None, *, currency: str) -> None: ...
@overload
def minor_units_of(amount: Decimal | Money, *, currency: str) -> int: ...
def minor_units_of(amount: Decimal | Money | None, *, currency: str) -> int | None:
    """Return an amount in minor units, or None if no amount is given. Raises `InvalidInput`."""
    if amount is None:
        return None
    if isinstance(amount, Money):
        if amount.currency != currency:
            raise InvalidInput(
                _("The amount is in %(given)s, but the payment is in %(currency)s."),
                ErrorCode.AMOUNT_INVALID,
                given=amount.currency,
                currency=currency,
            )
        amount = amount.amount
    if not isinstance(amount, Decimal):
        raise InvalidInput(
            _("The amount must be a Decimal or Money, not %(type)s."),
            ErrorCode.AMOUNT_INVALID,
            type=type(amount).__name__,
        )
    try:
        return Money.parse(amount, currency).minor_units
    except ProtocolError as error:
        raise InvalidInput(
            _("This is not a valid amount in %(currency)s: %(problem)s"),
            ErrorCode.AMOUNT_INVALID,
            currency=currency,
            problem=str(error),
        ) from error


def requested_units(
    amount: Decimal | Money | None, cart: ShoppingCart | None, *, currency: str
) -> int | None:
    """Return the requested amount in minor units: the given one, else what the cart comes to; None for all.

    The interface does not compare the two. But lines that come to another amount than is moved would be wrong
    at the provider, so they are refused. Raises `InvalidInput`.
    """
    given = minor_units_of(amount, currency=currency)
    if cart is None:
        return given
    total = cart_total(cart, currency)
    if given is None:
        return minor_units_of(total, currency=currency)
    if given != total.minor_units:
        written = Money.from_minor_units(given, currency).to_wire()
        problem = f"is {written}, but the items come to {total.to_wire()}; they must be equal"
        raise InvalidInput(*ITEMS_INVALID, errors=[FieldError(path="amount", message=problem)])
    return given


def check_row(row: Model, model: type[Model]) -> None:
    """Raise `TypeError` for a row of another table: its key is that of another row in the right one."""
    if not isinstance(row, model):
        raise TypeError(f"give a row of {model.__name__}, not of {type(row).__name__}")


def check_several(name: str, texts: object) -> None:
    """Raise `TypeError` for one text in place of several: the types take it for its characters."""
    if isinstance(texts, str | bytes):
        raise TypeError(f"{name} must be several texts, such as a list of them, not one")


def member_of(enumeration: type[E], given: str, *, argument: str) -> E:
    """Return the member that a plain text names, too; raise `InvalidInput` that names the known ones."""
    try:
        return enumeration(given)
    except ValueError as error:
        known = ", ".join(enumeration)
        raise InvalidInput(*ARGUMENT_CHOICE, argument=argument, known=known) from error


def check_reason_code(kind: TransactionKind, code: object) -> None:
    """Raise `InvalidInput` for a reason code that is not known for an operation."""
    known = ", ".join(REASON_CODES.get(kind, ()))
    if not isinstance(code, str) or (code and code not in REASON_CODES.get(kind, ())):
        raise InvalidInput(
            _("This reason code is not known for the operation. It may be empty or one of: %(known)s."),
            known=known,
        )


def check_storable(**texts: object) -> None:
    """Raise `InvalidInput` that names the first text that cannot be stored, or is no text."""
    for name, text in texts.items():
        if not is_storable(text):
            raise InvalidInput(_TEXT_INVALID, field=name)


def actor_of(by: By) -> Actor:
    """Return who acts: a user, an actor, or a program by its name. Raises `InvalidInput` or `TypeError`.

    A user who is not logged in, or not saved, has no account to compare.
    """
    if isinstance(by, Actor):
        actor = by
    elif isinstance(by, str):
        actor = Actor(name=by)
    elif not hasattr(by, "get_username"):
        raise TypeError(f"by must be a user, an Actor or a name, not {type(by).__name__}")
    elif by.pk is None:
        raise InvalidInput(_NAME_MISSING)
    else:
        actor = Actor(name=by.get_username(), account=str(by.pk))
    check_storable(by=actor.name, account=actor.account)
    if len(actor.account) > LONGEST_ACCOUNT:
        raise InvalidInput(_TEXT_INVALID, field="account")
    name = actor.name.strip()
    # What a program calls itself is a text that somebody has typed; the name of an account is looked up.
    return Actor(name=mask_card_numbers(name) if actor.is_program else name, account=actor.account)


def check_decision(*, by: By, reason: str) -> Actor:
    """Return who decides; raise `InvalidInput` for a decision without a reason or without a name."""
    actor = check_decider(by=by, reason=reason)
    if not reason.strip():
        raise InvalidInput(_("The reason is missing. Say why."))
    return actor


def check_decider(*, by: By, reason: str) -> Actor:
    """Return who decides where a reason may be left out; raise `InvalidInput` without a name."""
    actor = actor_of(by)
    check_storable(reason=reason)
    if not actor.name:
        raise InvalidInput(_NAME_MISSING)
    return actor
