"""The shell of ``go tool pprof``: one process prints many reports with different options."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from harness.go_tool import find_pprof

_FIRST = ("unit=minimum", "nodecount=0", "nodefraction=0", "edgefraction=0")
_BOOLEAN = {
    *("mean", "normalize", "noinlines", "showcolumns", "relative_percentages", "drop_negative"),
    *("trim", "call_tree", "compact_labels", "intel_syntax"),
}
_DEFAULTS = {"divide_by": "1", "granularity": "functions", "sort": "flat", "unit": "minimum"}
_DEFAULTS |= {"nodecount": "0", "nodefraction": "0", "edgefraction": "0"}
_DEFAULTS |= {"trim": "true"}


def print_reports(command: str, reports: Sequence[Sequence[str]], *files: str | Path) -> list[str]:
    """Return the output of ``command`` for each set of ``name=value`` options; "" = it failed."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [*_FIRST]
        for number, options in enumerate(reports):
            lines += [*options, f"{command} > {folder}/{number}"]
            lines += [_reset(option.partition("=")[0]) for option in options]
        done = subprocess.run(
            [find_pprof(), "-symbolize=none", *map(str, files)],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
            env={**os.environ, "PPROF_TMPDIR": folder, "PPROF_BINARY_PATH": folder},
        )
        assert done.returncode == 0, done.stderr
        outputs = [Path(folder, str(number)) for number in range(len(reports))]
        return [_read(output) if output.exists() else "" for output in outputs]


def find_refusal(path: Path) -> str | None:
    """Return why pprof does not read a file; None = it does."""
    done = subprocess.run(
        [find_pprof(), "-symbolize=none", "-output=/dev/null", "-raw", path],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        stdin=subprocess.DEVNULL,
    )
    lines = done.stderr.strip().splitlines()
    return (lines[0] if lines else "no reason given") if done.returncode else None


def _read(output: Path) -> str:
    """Read a report whose names need not be UTF-8."""
    return output.read_text(errors="surrogateescape")


def _reset(name: str) -> str:
    default = _DEFAULTS.get(name, "false" if name in _BOOLEAN else "")
    return f"{name}={default}"
