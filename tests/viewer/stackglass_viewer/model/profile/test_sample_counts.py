"""How often rows of a profile were seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.profiles import read_stacks
from stackglass_viewer.model.profile.sample_counts import count_samples, list_counts


def test_samples_of_a_base_were_seen_as_well(tmp_path: Path) -> None:
    profile = read_stacks("main;f 30\nmain;g 20", tmp_path)
    assert count_samples(profile) == 2
    base = replace(profile, samples=replace(profile.samples, values=-profile.samples.values))
    counts = list_counts(base)
    assert counts is not None
    assert counts.tolist() == [1, 1]
    assert count_samples(base) == 2
