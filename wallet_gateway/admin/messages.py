"""What operations refuse, in the reader's language. A sentence without a translation is said as it is."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from wallet_gateway.protocol.text import visible

_SENTENCES = (
    gettext_noop("the payment is frozen until a person has looked at it"),
    gettext_noop("the authorization has been, or is being, reversed"),
    gettext_noop("nothing is authorized"),
    gettext_noop("the amount is above what is left to capture"),
    gettext_noop("nothing is captured"),
    gettext_noop("the amount is above what is left to refund"),
    gettext_noop("it has been, or is being, reversed already"),
    gettext_noop("a capture has been made or is under way; refund it instead"),
    gettext_noop("nothing is left to capture"),
    gettext_noop("nothing is left to refund"),
    gettext_noop("nothing is left to reverse"),
    gettext_noop("somebody else was quicker; look again"),
    gettext_noop("another operation on this payment has no outcome yet; it is being asked after"),
    gettext_noop("another operation on this payment has no outcome yet"),
    gettext_noop("new operations are paused for this gateway; try again later"),
    gettext_noop("sending to the gateway is switched off"),
    gettext_noop("it has moved on meanwhile; look again"),
    gettext_noop("this difference is closed already"),
    gettext_noop("frozen until a person has looked at it"),
    gettext_noop("somebody else is sending it at this moment; look again"),
    gettext_noop("another request about this waits for a second person; decide on that one first"),
    gettext_noop("this was asked for under the same key and was not agreed to"),
    gettext_noop("it does not wait for a second person any more; look again"),
    gettext_noop("who has asked for it cannot agree to it: it takes another person"),
    gettext_noop("it needs a reason"),
)
"""Word for word what `domain.limits` and the operations say."""


def said(sentence: str) -> str:
    """Return a refusal as a sentence of its own in the reader's language; empty for an empty one."""
    if not sentence:
        return ""
    words = visible(gettext(sentence))
    ending = "" if words.endswith((".", "…", "؟")) else "."
    return words[:1].upper() + words[1:] + ending
