"""Peers that benchmarks measure beside Stackglass, and where they are installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

PY_SPY = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or "py-spy"
"""py-spy of this environment, otherwise from PATH."""
