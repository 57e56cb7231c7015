"""Conversion of captured data to the tables of the pprof encoder, for every kind of profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass.symbols.native_code import NativeCode
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType
from stackglass.wire.source_lines import add_lines
from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.live.tables import DefinitionColumns

Integers = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class ProfileRows:
    """The rows of a profile."""

    node: Integers  # (n_samples,)
    labels: Integers  # (n_samples,) index into label_sets
    values: Sequence[Integers]  # (n_samples,) each, one for each type
    label_sets: Sequence[LabelSet]
    types: Sequence[SampleType]
    default_type: str  # name of the sample type that a viewer shows first


@dataclass(frozen=True, slots=True)
class Origin:
    """What was profiled, when, and at which rate; 0 and "" = unknown."""

    period_type: SampleType
    period: int
    time_unix_ns: int
    duration_ns: int
    executable: str
    comments: tuple[str, ...] = ()


def make_tables(
    definitions: DefinitionColumns, samples: ProfileRows, origin: Origin
) -> ProfileTables:
    """Return the tables of a profile, ready to be encoded."""
    tables = ProfileTables(
        strings=list(definitions.strings) or [""],
        function_name=definitions.function_name.tolist(),
        function_system_name=_list_system_names(definitions).tolist(),
        function_filename=_list_files(definitions),
        function_start_line=_list_first_lines(definitions),
        location_function=definitions.location_function.tolist(),
        location_line=definitions.location_line.tolist(),
        node_parent=definitions.node_parent.astype(np.uint32),
        node_location=definitions.node_location.astype(np.uint32),
        sample_node=samples.node.astype(np.uint32),
        sample_labels=samples.labels.astype(np.uint32),
        sample_values=[column.astype(np.uint64) for column in samples.values],
        label_sets=samples.label_sets,
        sample_types=samples.types,
        default_type=samples.default_type,
        period_type=origin.period_type,
        period=origin.period,
        time_unix_ns=origin.time_unix_ns,
        duration_ns=origin.duration_ns,
        executable=origin.executable,
        comments=origin.comments,
        natives=_list_natives(definitions),
        location_native_address=definitions.location_native_address.tolist(),
    )
    return add_lines(tables, definitions.native_lines)


def _list_files(definitions: DefinitionColumns) -> list[int]:
    """Return (n_functions,) string numbers: the source file of each function; for machine code of
    unknown source, its library."""
    files: list[int] = definitions.function_filename.tolist()
    for function, known in definitions.known.items():
        files[function] = known.file or files[function]
    return files


def _list_first_lines(definitions: DefinitionColumns) -> list[int]:
    lines: list[int] = definitions.function_start_line.tolist()
    for function, known in definitions.known.items():
        lines[function] = known.line or lines[function]
    return lines


def _list_system_names(definitions: DefinitionColumns) -> Int32s:
    """Return (n_functions,) string numbers: the system name. For machine code the engine sends the
    identity of its file in this column; the name replaces it."""
    is_native = definitions.function_native_start > 0
    names: Int32s = np.where(
        is_native, definitions.function_name, definitions.function_system_name
    ).astype(np.int32)
    return names


def _list_natives(definitions: DefinitionColumns) -> dict[int, NativeCode]:
    """Return the functions that are machine code, by number."""
    strings, starts = definitions.strings, definitions.function_native_start
    files, identities = definitions.function_filename, definitions.function_system_name
    return {
        row: NativeCode(strings[int(files[row])], strings[int(identities[row])], int(starts[row]))
        for row in np.flatnonzero(starts).tolist()
    }


def add_root_frame(definitions: DefinitionColumns, name: str) -> tuple[DefinitionColumns, int]:
    """Return the definitions with a frame ``name`` right below the root, and its node."""
    strings = list(definitions.strings) or [""]
    n_functions, n_locations = len(definitions.function_name), len(definitions.location_function)
    parents = _or_root(definitions.node_parent)
    added = DefinitionColumns(
        strings=[*strings, name],
        function_name=np.append(definitions.function_name, np.int32(len(strings))),
        function_system_name=np.append(definitions.function_system_name, np.int32(len(strings))),
        function_filename=np.append(definitions.function_filename, np.int32(0)),
        function_start_line=np.append(definitions.function_start_line, np.int64(0)),
        function_native_start=np.append(definitions.function_native_start, np.int64(0)),
        location_function=np.append(definitions.location_function, np.int32(n_functions)),
        location_line=np.append(definitions.location_line, np.int64(0)),
        location_native_address=np.append(definitions.location_native_address, np.int64(0)),
        node_parent=np.append(parents, np.int32(0)),
        node_location=np.append(_or_root(definitions.node_location), np.int32(n_locations)),
        native_lines=definitions.native_lines,
        known=definitions.known,
    )
    return added, len(parents)


def _or_root(column: Int32s) -> Int32s:
    """Return a column of nodes; an empty one gets the root, which every profile has."""
    return column if len(column) else np.zeros(1, dtype=np.int32)
