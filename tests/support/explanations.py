"""What an explanation holds, as one text to look for a word in: its code and its parameters."""

from __future__ import annotations

from typing import Any

from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode, explain
from wallet_gateway.models.fields import Explained, explanation_columns


def explained(why: Explained | Explanation | None) -> str:
    """Return code and parameters of a stored explanation, or of one that is not stored."""
    if isinstance(why, Explained):
        return f"{why.explanation_code} {why.explanation_params}"
    return "" if why is None else str(why)


def commented(words: str) -> dict[str, Any]:
    """Return the columns of a row that a person has explained in these words."""
    return explanation_columns(explain(ExplanationCode.COMMENT, said=words))
