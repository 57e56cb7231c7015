"""Large pprof files, always the same, kept in the temporary directory."""

from __future__ import annotations

import getpass
import tempfile
from pathlib import Path

import numpy as np

from stackglass.wire.pprof import ProfileTables, SampleType, encode

N_FUNCTIONS = 12_000
N_LOCATIONS = 60_000
N_LEVELS = 54  # stacks are half as deep on average
_SEED = 20_240_501
_VERSION = 2  # of the files; raise it with any change


def find_profile(n_samples: int) -> Path:
    """Return the path of an unpacked profile with so many samples; it is made if it is missing.

    10⁵ samples are about 10 MB, 1.2 million about 100 MB.
    """
    folder = Path(tempfile.gettempdir()) / f"stackglass-bench-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"profile-{_VERSION}-{n_samples}.pb"
    if not path.exists():
        made = path.with_suffix(".new")
        made.write_bytes(make_profile(n_samples))
        made.rename(path)
    return path


def make_profile(n_samples: int) -> bytes:
    """Make a pprof message: a tree of stacks with some four nodes a sample."""
    random = np.random.default_rng(_SEED)
    parents, level_start = _make_levels(random, n_samples * 7)
    n_nodes = len(parents)
    level = random.integers(1, N_LEVELS, n_samples)
    within = random.random(n_samples)
    size = (level_start[1:] - level_start[:-1])[level]
    nodes = level_start[level] + (within * size).astype(np.int64)
    functions = random.integers(0, N_FUNCTIONS, N_LOCATIONS)
    names = [f"package{i % 97}.module{i % 1009}.function_{i}" for i in range(N_FUNCTIONS)]
    files = [f"/usr/lib/package{i % 97}/module{i % 1009}.py" for i in range(N_FUNCTIONS)]
    counts = random.integers(1, 20, n_samples)
    tables = ProfileTables(
        strings=("", *names, *files),
        function_name=range(1, N_FUNCTIONS + 1),
        function_system_name=range(1, N_FUNCTIONS + 1),
        function_filename=range(N_FUNCTIONS + 1, 2 * N_FUNCTIONS + 1),
        function_start_line=[1] * N_FUNCTIONS,
        location_function=functions.tolist(),
        location_line=random.integers(1, 5000, N_LOCATIONS).tolist(),
        node_parent=parents.astype(np.uint32),
        node_location=random.integers(0, N_LOCATIONS, n_nodes).astype(np.uint32),
        sample_node=nodes.astype(np.uint32),
        sample_labels=np.zeros(n_samples, dtype=np.uint32),
        sample_values=(counts.astype(np.uint64), (counts * 10_000_000).astype(np.uint64)),
        label_sets=((),),
        sample_types=(SampleType("samples", "count"), SampleType("cpu", "nanoseconds")),
        default_type="cpu",
        period_type=SampleType("cpu", "nanoseconds"),
        period=10_000_000,
        time_unix_ns=1_700_000_000_000_000_000,
        duration_ns=60_000_000_000,
        executable="/usr/bin/program",
    )
    return encode(tables)


def _make_levels(random: np.random.Generator, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the parents in a tree whose levels grow, and the begin of each level."""
    growth = np.minimum(np.arange(N_LEVELS, dtype=np.float64), 20) ** 2
    sizes = np.maximum(growth / growth.sum() * n_nodes, 1).astype(np.int64)
    start = np.concatenate(([0], np.cumsum(sizes)))
    parents = np.zeros(start[-1], dtype=np.int64)
    for level in range(1, N_LEVELS):
        above = start[level] - start[level - 1]
        parents[start[level] : start[level + 1]] = start[level - 1] + np.sort(
            random.integers(0, above, sizes[level])
        )
    return parents, start
