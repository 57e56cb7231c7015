"""Common parts of all probes: the extension, loaded by its path as in a target, and the report.

Probes run in the Python under test, with the standard library of 3.9 only.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import sys
from typing import Any


def load_core() -> Any:
    """Return the extension at the path in the first argument."""
    loader = importlib.machinery.ExtensionFileLoader("_core_testing", sys.argv[1])
    spec = importlib.util.spec_from_file_location("_core_testing", sys.argv[1], loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def report(**facts: object) -> None:
    """Print the one line of JSON."""
    print(json.dumps(facts), flush=True)  # some probes end without Python's own end
