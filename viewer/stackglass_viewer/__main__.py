"""``python -m stackglass_viewer``: the same as ``stackglass``."""

from __future__ import annotations

import sys

from stackglass.cli import start

sys.exit(start())
