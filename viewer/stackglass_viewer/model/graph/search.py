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
    """A pattern. Case matters only if the text has a capital letter, unless given."""

    text: str
    is_regex: bool = True
    is_case_sensitive: bool | None = None  # None = by the text


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What a search found."""

    is_match: Bools  # (n_frames,)
    n_frames: int  # found, and with a value
    total: int  # of samples with a found frame anywhere on their stack, each counted once
    share: float  # of the whole, 0 … 1


def exact_pattern(name: str) -> str:
    """A regular expression that finds this function and no other."""
    return f"^{re.escape(name)}$"


def compile_query(query: Query) -> Callable[[str], bool]:
    """A test of one text. Raises PatternError if the text is not a regular expression."""
    is_strict = query.is_case_sensitive
    if is_strict is None:
        # \S and \W are no capital letters.
        is_strict = any(letter.isupper() for letter in re.sub(r"\\.", "", query.text))
    pattern = query.text if query.is_regex else re.escape(query.text)
    return compile_pattern(pattern, is_case_sensitive=is_strict)


def match_frames(names: Sequence[str], files: Sequence[str], query: Query) -> Bools:
    """(n_frames,) the frames with a matching name or file. An empty text finds nothing."""
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


def find_matches(tree: CallTree, values: NodeValues, query: Query) -> Matches:
    """Search a tree. Raises PatternError."""
    found = match_frames(tree.frame_name, tree.frame_file, query)
    total = sum_matches(tree, values, found)
    whole = int(values.total[0])
    n_frames = _count_shown(tree, values, found) if found.any() else 0
    return Matches(found, n_frames, total, total / whole if whole else 0.0)


def _count_shown(tree: CallTree, values: NodeValues, found: Bools) -> int:
    """Those that have a value: a session knows functions of other times, too."""
    is_shown: Bools = np.zeros(len(found), dtype=np.bool_)
    is_shown[tree.frame[1:][values.total[1:] != 0]] = True
    return int((found & is_shown).sum())


def sum_matches(tree: CallTree, values: NodeValues, is_match: Bools) -> int:
    """The total of the topmost matching nodes, which includes all nodes below them."""
    return _loops.sum_topmost(tree.parent, tree.frame, is_match, values.total)
