"""Search: the functions that match a pattern, and their share of the total."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True)
class Query:
    """A pattern to search for."""

    text: str
    is_regex: bool = True
    # None = only if the text has a capital letter, or is a pattern of a whole name
    is_case_sensitive: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The result of a search."""

    is_match: Bools  # (n_frames,)
    n_frames: int  # number of matching frames that are shown
    total: int  # sum of samples with a match anywhere on their stack, each counted once
    share: float  # of the whole, 0 … 1


def exact_pattern(name: str) -> str:
    """Return a regular expression that matches this name only."""
    return f"^{re.escape(name)}$"


def compile_query(query: Query) -> Callable[[str], bool]:
    """Return a function that tests a text. Raises PatternError if the query's text is not a regular
    expression."""
    is_strict = query.is_case_sensitive
    if is_strict is None:
        # The capitals in \S and \W do not count.
        is_strict = any(letter.isupper() for letter in re.sub(r"\\.", "", query.text))
        is_strict |= query.is_regex and query.text.startswith("^") and query.text.endswith("$")
    pattern = query.text if query.is_regex else re.escape(query.text)
    return compile_pattern(pattern, is_case_sensitive=is_strict)


def match_frames(names: Sequence[str], files: Sequence[str], query: Query) -> Bools:
    """Return whether the name or file of each frame matches: (n_frames,). An empty text matches
    nothing."""
    found = np.zeros(len(names), dtype=np.bool_)
    if query.text:
        test = compile_query(query)
        of_file: dict[str, bool] = {}
        for frame, (name, file) in enumerate(zip(names, files, strict=True)):
            if file not in of_file:
                of_file[file] = test(file)
            found[frame] = of_file[file] or test(name)
    freeze(found)
    return found


def find_matches(
    tree: CallTree, values: NodeValues, query: Query, is_shown: Bools | None = None
) -> Matches:
    """Search a tree. ``is_shown``: (n_nodes,) the nodes whose functions are counted; None = those
    with a value. Raises PatternError."""
    found = match_frames(tree.frame_name, tree.frame_file, query)
    total = sum_matches(tree, values, found)
    whole = int(values.total[0])
    if is_shown is None:
        is_shown = values.total != 0
    n_frames = _count_shown(tree, is_shown, found) if found.any() else 0
    return Matches(found, n_frames, total, total / whole if whole else 0.0)


def _count_shown(tree: CallTree, is_shown: Bools, found: Bools) -> int:
    """Count the matching frames that are shown. A session also has frames of other times, which are
    not."""
    has_node: Bools = np.zeros(len(found), dtype=np.bool_)
    has_node[tree.frame[1:][is_shown[1:]]] = True
    return int((found & has_node).sum())


def sum_matches(tree: CallTree, values: NodeValues, is_match: Bools) -> int:
    """Return the total of the topmost matching nodes, which includes all nodes below them."""
    return _loops.sum_topmost(tree.parent, tree.frame, is_match, values.total)
