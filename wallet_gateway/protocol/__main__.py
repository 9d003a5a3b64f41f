"""``python -m wallet_gateway.protocol [MESSAGE]``: lists the messages, or prints the JSON Schema of one."""

from __future__ import annotations

import json
import sys

from wallet_gateway.protocol.endpoints import MESSAGES


def main(arguments: list[str]) -> int:
    """Print the list or the schema; return the exit code, 2 for an unknown message."""
    if not arguments:
        sys.stdout.write(_listing())
        return 0
    message = MESSAGES.get(arguments[0])
    if message is None or len(arguments) > 1:
        sys.stderr.write(f"No such message: {' '.join(arguments)}. There are:\n{_listing()}")
        return 2
    sys.stdout.write(json.dumps(message.model_json_schema(by_alias=True), indent=2) + "\n")
    return 0


def _listing() -> str:
    # Under `python -OO` there are no docstrings.
    docs = {name: (message.__doc__ or name).partition("\n")[0] for name, message in MESSAGES.items()}
    return "".join(f"{name}: {doc}\n" for name, doc in docs.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
