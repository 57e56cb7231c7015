"""Label roots: every stack begins with its value of a label."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.label_roots import root_by_label
from stackglass_viewer.model.profile.label_table import build_label_tables, index_profile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[4] / "corpus"


def test_each_value_is_a_frame_with_the_sum_of_its_table() -> None:
    profile = open_profile(CORPUS / "go.http.heap.gc.pb.gz")
    assert isinstance(profile, Profile)
    index, wanted = index_profile(profile), TypeId(1)
    split = root_by_label(profile, index, "bytes")
    tree = build_call_tree(split)
    values = sum_type(tree, split, wanted)
    top = build_top(tree, values)
    cum = {name: value for name, value in zip(top.name, top.cum.tolist(), strict=True) if value}
    roots = {tree.frame_name[tree.frame[node]] for node in np.flatnonzero(tree.parent == 0)}
    weights = profile.samples.values[wanted]
    (table,) = build_label_tables(index, weights, np.ones(profile.n_samples, np.int64))
    sums = zip(table.value, table.flat.tolist(), strict=True)
    expected = {f"bytes = {value}": flat for value, flat in sums if flat}
    assert len(expected) > 10
    assert {name: cum[name] for name in expected} == expected
    assert roots - {"(no bytes)"} >= set(expected)

    before = build_call_tree(profile)
    flat = build_top(before, sum_type(before, profile, wanted))
    of_function = zip(flat.name, flat.flat.tolist(), flat.cum.tolist(), strict=True)
    after = dict(zip(top.name, zip(top.flat.tolist(), top.cum.tolist(), strict=True), strict=True))
    assert {name: (own, all_) for name, own, all_ in of_function} == {
        name: after[name] for name in flat.name
    }
