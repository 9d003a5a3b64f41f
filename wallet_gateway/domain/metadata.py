"""What a shop may note on an order for itself: its limits, which are those that the field uses. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.text import is_storable, quote, visible

MAX_METADATA = 50
MAX_METADATA_KEY_LENGTH = 40
MAX_METADATA_VALUE_LENGTH = 500


def metadata_errors(metadata: object) -> Iterator[FieldError]:
    """Yield everything that is wrong with the metadata of an order; None means that it has no metadata."""
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        yield FieldError("metadata", f"must map texts to texts, not be of type {type(metadata).__name__}")
        return
    if len(metadata) > MAX_METADATA:
        yield FieldError("metadata", f"has {len(metadata)} entries; at most {MAX_METADATA} are stored")
        return
    for key, value in metadata.items():
        if problem := _problem_of(key, MAX_METADATA_KEY_LENGTH):
            yield FieldError("metadata", f"the name {quote(key)} {problem}")
        elif not key:
            yield FieldError("metadata", "a name is empty")
        elif problem := _problem_of(value, MAX_METADATA_VALUE_LENGTH):
            yield FieldError(f"metadata.{visible(key)}", problem)


def _problem_of(text: object, longest: int) -> str:
    """Return what is wrong with a name or a value; empty if nothing is."""
    if not isinstance(text, str):
        return f"must be text, not {type(text).__name__}"
    if not is_storable(text):
        return "contains NUL or half of a surrogate pair, which cannot be stored"
    if len(text) > longest:
        return f"has {len(text)} characters; at most {longest} are stored"
    return "has the form of a card number, which is not stored" if has_card_number(text) else ""
