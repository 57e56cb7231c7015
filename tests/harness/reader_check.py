"""Checks that must hold for any file: it opens completely, or is refused with one line."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.units import make_printable

_MOST_LETTERS = 300


def check_content(content: bytes) -> bool:
    """Return whether it opens. Raises AssertionError, or an exception that escaped the reader."""
    try:
        profile = open_content(content, "file")
    except ContentError as error:
        text = str(error)
        assert text.startswith("cannot open file: "), text
        assert "\n" not in text, text
        assert len(text) < _MOST_LETTERS, text
        return False
    check_opened(profile)
    return True


def check_opened(profile: Profile | FunctionTable) -> None:
    """Check a value that a reader returned."""
    if isinstance(profile, Profile):
        check_profile(profile)
    else:
        _check_table(profile)
    assert 0 <= profile.default_type < len(profile.sample_types)


def check_profile(profile: Profile) -> None:
    """Check that every reference is inside its table."""
    n_strings, n_locations = len(profile.strings), len(profile.locations.address)
    functions, locations = profile.functions, profile.locations
    samples, labels = profile.samples, profile.labels
    n_functions, n_mappings = len(functions.name), len(profile.mappings.start)
    for column in (functions.name, functions.system_name, functions.filename):
        _check_range(column, 0, n_strings)
    for column in (profile.mappings.filename, profile.mappings.build_id, labels.key, labels.unit):
        _check_range(column, 0, n_strings)
    _check_range(labels.text, -1, n_strings)
    _check_range(labels.sample, 0, profile.n_samples)
    _check_range(locations.line_function, -1, n_functions)
    _check_range(locations.mapping, -1, n_mappings)
    _check_range(samples.stack, 0, n_locations)
    _check_starts(locations.line_start, n_locations, len(locations.line_function))
    _check_starts(samples.stack_start, profile.n_samples, len(samples.stack))
    assert samples.values.shape == (len(profile.sample_types), profile.n_samples)
    assert profile.duration_ns >= 0
    for text in profile.strings:
        make_printable(text).encode()  # a name may contain a lone surrogate
    tree = build_call_tree(profile)
    for number in range(len(profile.sample_types)):
        lay_out(tree, sum_type(tree, profile, TypeId(number)))


def _check_table(table: FunctionTable) -> None:
    assert len(table.name) == len(table.file) == len(table.line) == table.n_functions
    assert table.own.shape == table.total.shape
    assert table.own.shape[1] == table.n_functions
    for column in (table.edge_caller, table.edge_callee):
        _check_range(column, 0, table.n_functions)
    for text in (*table.name, *table.file):
        make_printable(text).encode()


def _check_range(
    column: np.ndarray[tuple[int, ...], np.dtype[np.integer]], low: int, end: int
) -> None:
    assert not len(column) or (low <= int(column.min()) and int(column.max()) < end)


def _check_starts(
    start: np.ndarray[tuple[int, ...], np.dtype[np.integer]], n_rows: int, n_items: int
) -> None:
    assert len(start) == n_rows + 1
    assert int(start[0]) == 0
    assert int(start[-1]) == n_items
    assert bool((np.diff(start) >= 0).all())
