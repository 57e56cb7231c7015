"""Function table as JSON: its columns by name, as a session file holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable

_TEXTS = ("name", "file")
_OF_FUNCTIONS = ("n_calls", "n_primitive_calls")
_OF_EDGES = ("edge_n_calls", "edge_n_primitive_calls")
_COSTS = ("own", "total")
_EDGE_COSTS = ("edge_own", "edge_total")
_INT32S = ("line", "edge_caller", "edge_callee")
_MOST_COSTS = 64


def encode_table(table: FunctionTable) -> bytes:
    """Return a table as JSON, without the warnings of its reader."""
    columns = (*_INT32S, *_OF_FUNCTIONS, *_OF_EDGES, *_COSTS, *_EDGE_COSTS)
    document = {
        **{name: list(getattr(table, name)) for name in _TEXTS},
        **{name: getattr(table, name).tolist() for name in columns},
        "sample_types": [list(each) for each in _list_types(table)],
        "default_type": int(table.default_type),
        "comments": list(table.comments),
        "format_name": table.format_name,
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode()


def _list_types(table: FunctionTable) -> list[tuple[str, str]]:
    return [(each.name, each.unit) for each in table.sample_types]


def decode_table(content: bytes | bytearray) -> FunctionTable:
    """Return the table from JSON. Raises ContentError."""
    try:
        document = json.loads(content)
        if not isinstance(document, dict):
            raise TypeError
        return _build(document)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise ContentError("it is damaged: its table of functions cannot be read") from None


def _build(document: Mapping[str, Any]) -> FunctionTable:
    """Build and check the table. Raises ValueError, TypeError, KeyError, OverflowError."""
    name, file = (_read_texts(document[key]) for key in _TEXTS)
    n, n_edges = len(name), len(document["edge_caller"])
    types = tuple(SampleType(*_read_texts(pair)) for pair in document["sample_types"])
    n_costs = len(document["own"])
    if not 0 < n_costs <= _MOST_COSTS or len(types) not in (n_costs, n_costs + 1) or len(file) != n:
        raise ValueError
    default_type = document["default_type"]
    if not isinstance(default_type, int) or not 0 <= default_type < n_costs:
        raise ValueError
    line = _read_int32s(document["line"], n)
    edges = [_read_int32s(document[key], n_edges) for key in _INT32S[1:]]
    if any(len(each) and not 0 <= each.min() <= each.max() < n for each in edges):
        raise ValueError
    counts = {key: _read_numbers(document[key], (n,)) for key in _OF_FUNCTIONS}
    counts |= {key: _read_numbers(document[key], (n_edges,)) for key in _OF_EDGES}
    costs = {key: _read_numbers(document[key], (n_costs, n)) for key in _COSTS}
    costs |= {key: _read_numbers(document[key], (n_costs, n_edges)) for key in _EDGE_COSTS}
    freeze(line, *edges, *counts.values(), *costs.values())
    (format_name,) = _read_texts([document["format_name"]])
    return FunctionTable(
        name=name,
        file=file,
        line=line,
        n_calls=counts["n_calls"],
        n_primitive_calls=counts["n_primitive_calls"],
        own=costs["own"],
        total=costs["total"],
        edge_caller=edges[0],
        edge_callee=edges[1],
        edge_n_calls=counts["edge_n_calls"],
        edge_n_primitive_calls=counts["edge_n_primitive_calls"],
        edge_own=costs["edge_own"],
        edge_total=costs["edge_total"],
        sample_types=types,
        default_type=TypeId(default_type),
        comments=_read_texts(document["comments"]),
        format_name=format_name,
    )


def _read_texts(values: Sequence[object]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise TypeError
    return tuple(str(each).encode("utf-8", "replace").decode() for each in values)


def _read_int32s(values: Sequence[int], n: int) -> Int32s:
    column = _read_numbers(values, (n,))
    if n and not -(1 << 31) <= column.min() <= column.max() < 1 << 31:
        raise ValueError
    return column.astype(np.int32)


def _read_numbers(values: Sequence[Any], shape: tuple[int, ...]) -> Int64s:
    column = np.array(values) if values else np.zeros(shape, np.int64)
    if column.size and column.dtype != np.int64:
        raise TypeError
    return column.astype(np.int64).reshape(shape)
