"""``python -m wallet_gateway.testing.chaos``: the run of ``manage.py wallet_chaos``, without a project."""

from __future__ import annotations

import sys

from wallet_gateway.testing.chaos.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
