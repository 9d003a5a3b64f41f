"""``python -m proof.chaos``: worker processes of a shop against a faulty sandbox."""

from __future__ import annotations

import sys

from proof.chaos.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
