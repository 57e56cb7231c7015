"""The C engine introduces itself by the version that Python knows."""

from __future__ import annotations

import re
from pathlib import Path

import stackglass.native
from stackglass.version import VERSION


def test_version_header_agrees_with_version_py() -> None:
    header = Path(*stackglass.native.__path__, "platform", "version.h").read_text(encoding="utf-8")
    assert re.findall(r'#define SG_VERSION "(.*)"', header) == [VERSION]
