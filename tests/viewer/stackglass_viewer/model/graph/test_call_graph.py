"""Edges of the call graph; whole reports are compared with pprof's in tests/contract."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.graph import call_graph
from stackglass_viewer.model.graph.call_graph import build_call_graph
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.model.profile.profile import Samples

TEXT = "a;b;c 1\na;b;b;c 2\na;b;a;b 4\nc 8\na;c 0\nb;c;b;c;b 16"


def list_edges(folder: Path, text: str, *skipped: str) -> dict[tuple[str, str], int]:
    profile = read_stacks(text, folder)
    frames = name_frames(profile)
    is_kept = np.array([name not in skipped for name in frames.name])
    graph = build_call_graph(profile.samples, frames, is_kept, profile.samples.values[1])
    rows = zip(graph.caller.tolist(), graph.callee.tolist(), graph.weight.tolist(), strict=True)
    return {(frames.name[caller], frames.name[callee]): weight for caller, callee, weight in rows}


@pytest.mark.parametrize("frames_at_a_time", [1, 2, 4, 1 << 20])
def test_a_call_counts_once_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames_at_a_time: int
) -> None:
    monkeypatch.setattr(call_graph, "_FRAMES_AT_A_TIME", frames_at_a_time)
    assert list_edges(tmp_path, TEXT) == {
        ("a", "b"): 7,
        ("b", "c"): 19,
        ("b", "a"): 4,
        ("c", "b"): 16,
    }


def test_what_is_left_out_is_skipped(tmp_path: Path) -> None:
    assert list_edges(tmp_path, TEXT, "b") == {("a", "c"): 3}
    assert list_edges(tmp_path, TEXT, "a", "b", "c") == {}


def test_nothing_has_no_edges(tmp_path: Path) -> None:
    assert list_edges(tmp_path, "a;b 0") == {}
    profile = read_stacks(TEXT, tmp_path)
    empty = Samples(
        profile.samples.stack_start[:1], profile.samples.stack[:0], profile.samples.values[:, :0]
    )
    frames = name_frames(profile)
    is_kept = np.ones(len(frames.name), dtype=bool)
    graph = build_call_graph(empty, frames, is_kept, np.empty(0, np.int64))
    assert len(graph.caller) == 0
