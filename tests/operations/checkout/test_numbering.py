"""A reference is unique at its gateway and in its numbering; alone it brings no order of another brand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection

from tests.models.rows import an_order
from tests.operations.conftest import VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order, find_by_reference
from wallet_gateway.operations.errors import IdempotencyConflict, InvalidInput, OperationError

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
Create = Callable[..., PaymentOrder]


@pytest.fixture
def create(clock: VirtualClock) -> Create:
    def make(gateway: str = "default", numbering: str = "", *, amount: str = "20.00") -> PaymentOrder:
        return create_order(
            reference="1001",
            details=OrderDetails(currency="EUR", amount=Decimal(amount)),
            gateway=gateway,
            policy=GatewayPolicy(numbering=numbering),
            clock=clock,
        )

    return make


def test_two_numberings_have_the_same_reference_each_with_its_own_order(create: Create) -> None:
    first, second = create(), create("tenant-7", "tenant-7", amount="35.00")
    assert first != second
    assert (create(), create("tenant-7", "tenant-7", amount="35.00")) == (first, second)
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS):
        create("tenant-7", "tenant-7")


@pytest.mark.parametrize("numbering", ["", "outlet"])
def test_gateways_of_one_numbering_never_have_two_orders_of_a_reference(
    create: Create, numbering: str
) -> None:
    first = create("one", numbering)
    with refuses(
        IdempotencyConflict,
        ErrorCode.REFERENCE_AT_OTHER_GATEWAY,
        reference="1001",
        gateway="two",
        other="one",
    ):
        create("two", numbering)
    assert PaymentOrder.objects.get() == first


def test_a_gateway_keeps_its_orders_when_its_numbering_changes(create: Create) -> None:
    shared, outlet = create(), create("outlet", "outlet")
    assert create("outlet", "brand") == outlet, "it repeats the order of its own gateway"
    # Now the shop takes the name away, so that both gateways are of the shared numbering.
    assert create("outlet") == outlet
    assert create() == shared
    with refuses(IdempotencyConflict, ErrorCode.REFERENCE_AT_OTHER_GATEWAY, other="default"):
        create("third")


def test_of_two_processes_that_create_it_at_two_gateways_one_is_refused(create: Create) -> None:
    found: list[PaymentOrder | OperationError] = []
    ready = threading.Barrier(2)

    def run(gateway: str) -> None:
        try:
            ready.wait(60)
            found.append(create(gateway))
        except OperationError as refused:
            found.append(refused)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(gateway,)) for gateway in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (refused,) = [one for one in found if isinstance(one, OperationError)]
    assert refused.code is ErrorCode.REFERENCE_AT_OTHER_GATEWAY
    assert PaymentOrder.objects.count() == 1


@pytest.mark.parametrize(
    "columns", [{"gateway": "other"}, {"numbering": "other"}], ids=["numbering", "gateway"]
)
def test_the_database_itself_refuses_a_double_in_a_numbering_and_at_a_gateway(
    columns: dict[str, str],
) -> None:
    an_order(reference="1001")
    with pytest.raises(IntegrityError):
        an_order(reference="1001", **columns)
    an_order(reference="1001", gateway="other", numbering="other")


# Lookups


def test_a_reference_with_its_gateway_brings_exactly_that_order(create: Create) -> None:
    shared, of_tenant = create(), create("tenant-7", "tenant-7")
    assert find_by_reference("1001", "default") == shared
    assert find_by_reference("1001", "tenant-7") == of_tenant
    for nowhere in ("tenant-8", "", "TENANT-7", "x\0", "\ud800"):
        with pytest.raises(PaymentOrder.DoesNotExist):
            find_by_reference("1001", nowhere)


def test_a_reference_alone_brings_the_one_order_of_the_shared_numbering(create: Create) -> None:
    order = create("second")
    assert find_by_reference("1001") == order
    with pytest.raises(PaymentOrder.DoesNotExist):
        find_by_reference("1002")


def test_a_reference_alone_brings_no_order_of_another_numbering(create: Create) -> None:
    create("tenant-7", "tenant-7")
    with refuses(InvalidInput, ErrorCode.AMBIGUOUS_REFERENCE, reference="1001", gateways="tenant-7"):
        find_by_reference("1001")


def test_a_reference_of_several_gateways_is_refused_with_their_names(create: Create) -> None:
    create()
    for number in range(7):
        create(f"tenant-{number}", f"tenant-{number}")
    with refuses(InvalidInput, ErrorCode.AMBIGUOUS_REFERENCE) as refused:
        find_by_reference("1001")
    assert refused.value.params["gateways"] == "default, tenant-0, tenant-1, tenant-2, tenant-3"
    assert "gateway=" in refused.value.message
