"""``python -m stackglass``: the same as the ``stackglass`` command."""

from __future__ import annotations

import sys

from stackglass.cli import start

if __name__ == "__main__":
    sys.exit(start())
