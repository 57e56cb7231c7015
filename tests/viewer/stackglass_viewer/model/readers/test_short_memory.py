"""Reading where memory is short: one line says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TABLES = b"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu\x32\x02ns"  # pprof: cpu, ns
SAMPLE = b"\x12\x03\x12\x01\x01"  # 1 ns

LIMITED = """
import resource, sys
from pathlib import Path
from stackglass.cli import main
# As main does.
import importlib.metadata, stackglass_viewer.commands.convert, stackglass_viewer.top_command
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
most = used + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.exit(main(["top", sys.argv[2]]))
"""


@pytest.mark.parametrize("mib", [1, 14])
def test_out_of_memory_is_one_line(tmp_path: Path, mib: int) -> None:
    path = tmp_path / "large.pb"
    path.write_bytes(TABLES + SAMPLE * 400_000)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(mib), str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode != 0
    assert "not enough memory" in done.stderr
    assert len(done.stderr.splitlines()) == 1
