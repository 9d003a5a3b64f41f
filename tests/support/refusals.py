"""Expect an operation to refuse, with a certain exception and code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.payments.errors import OperationError


@contextmanager
def refuses(
    kind: type[OperationError], code: ErrorCode, *, says: str = "", **params: object
) -> Iterator[pytest.ExceptionInfo[OperationError]]:
    """See that the block raises an error of this very kind and code, with these words and parameters."""
    with pytest.raises(kind) as refused:
        yield refused
    assert type(refused.value) is kind
    assert refused.value.code is code
    assert params.items() <= refused.value.params.items()
    assert says in str(refused.value)
    assert str(refused.value)
