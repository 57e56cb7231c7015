"""Reader of cProfile's files. They are ``marshal``, so a throw-away process parses them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stackglass_viewer.model.child_process import wait_for
from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.pstats_table import ALL_TYPES, FunctionTable
from stackglass_viewer.model.readers import cprofile_child

MAX_BYTES = 256 << 20
_TIMEOUT_S = 120.0
_PYTHON_2 = (b"{(\x03\0\0\0s", b"{(\x03\0\0\0t")
"""A dict and a tuple of three that begins with a byte string: Python 3 writes text there."""


def read_pstats(content: bytes | bytearray, is_cancelled: Callable[[], bool]) -> FunctionTable:
    """Parse a whole file. May run in any thread. Raises ContentError, CancelledError."""
    if len(content) > MAX_BYTES:
        raise ContentError(f"it is a cProfile file of more than {MAX_BYTES >> 20} MiB")
    if content.startswith(_PYTHON_2):
        raise ContentError(
            "it is a cProfile file of Python 2, which cannot be read",
            "pstats of Python 2 prints it",
        )
    return _build(_load(content, is_cancelled))


def _load(content: bytes | bytearray, is_cancelled: Callable[[], bool]) -> dict[str, Any]:
    """Let the child process turn marshal into columns. They communicate through files: with pipes,
    either process could block."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as answered:
        given.write(content)
        given.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(cprofile_child.__file__))],
            stdin=given,
            stdout=answered,
            stderr=subprocess.DEVNULL,
        )
        try:
            if not wait_for(child, is_cancelled, _TIMEOUT_S):
                raise ContentError(
                    f"it begins like a cProfile file, but reading took more than {_TIMEOUT_S:.0f} s"
                )
        finally:
            child.kill()
            child.wait()
        answered.seek(0)
        header = answered.readline()
        if child.returncode != 0 or not header:
            raise ContentError("it begins like a cProfile file, but is truncated or damaged")
        answer = json.loads(header)
        if "error" in answer:
            raise ContentError(str(answer["error"]))
        columns: dict[str, Any] = answer["texts"]
        for name, count in answer["numbers"].items():
            columns[name] = np.frombuffer(answered.read(8 * count), dtype=np.int64)
    return columns


def _build(columns: dict[str, Any]) -> FunctionTable:
    def column(name: str, kind: type[np.generic] = np.int64) -> Any:
        array = columns[name].astype(kind)
        freeze(array)
        return array

    def rows(name: str) -> Int64s:
        cost: Int64s = column(name).reshape(1, -1)
        return cost

    n_calls, n_primitive = _order_calls(column("n_calls"), column("n_primitive_calls"))
    edge_calls = _order_calls(column("edge_n_calls"), column("edge_n_primitive_calls"))
    has_calls = not len(n_calls) or bool((n_calls >= 0).any())
    files, names = ([_clean(text) for text in columns[key]] for key in ("file", "name"))
    return FunctionTable(
        name=tuple(names),
        file=tuple("" if file == "~" else file for file in files),
        line=column("line", np.int32),
        n_calls=n_calls,
        n_primitive_calls=n_primitive,
        own=rows("own_ns"),
        total=rows("total_ns"),
        edge_caller=column("edge_caller", np.int32),
        edge_callee=column("edge_callee", np.int32),
        edge_n_calls=edge_calls[0],
        edge_n_primitive_calls=edge_calls[1],
        edge_own=rows("edge_own_ns"),
        edge_total=rows("edge_total_ns"),
        sample_types=ALL_TYPES if has_calls else ALL_TYPES[:1],
    )


def _order_calls(n_calls: Int64s, n_primitive: Int64s) -> tuple[Int64s, Int64s]:
    """Return all calls and primitive calls: the larger and the smaller, since yappi swaps them."""
    ordered = np.maximum(n_calls, n_primitive), np.minimum(n_calls, n_primitive)
    freeze(*ordered)
    return ordered


def _clean(text: str) -> str:
    """Replace lone surrogates, which Python uses for undecodable bytes in file names."""
    return text.encode(errors="replace").decode()
