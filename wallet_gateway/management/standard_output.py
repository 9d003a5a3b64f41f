"""What a command writes for programs and pipes: any letter, and no complaint where the reader has gone."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable
from typing import Final

from django.core.management.base import OutputWrapper

READER_GONE: Final = 141
"""The exit code of what could not be written to its end, as a shell tells it of `cat` before `head`."""


def write_texts(out: OutputWrapper, texts: Iterable[str]) -> bool:
    """Write texts in UTF-8 as they are; return whether there was a reader for all of them."""
    try:
        # Letters that the locale of a machine may lack; what is written to a file has them, too.
        reconfigure = getattr(out, "reconfigure", None)
        if reconfigure is not None and codecs.lookup(out.encoding).name != "utf-8":
            reconfigure(encoding="utf-8")
        for text in texts:
            out.write(text, ending="")
        out.flush()
    except BrokenPipeError:
        # What Python still holds at its end goes nowhere: it would tell of the closed pipe again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)
        return False
    return True
