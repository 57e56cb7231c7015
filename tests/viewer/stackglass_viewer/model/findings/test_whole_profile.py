"""What stands out about processors, waits, memory and labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.counted_work import count_allocated_bytes
from harness.findings import EVEN, Case
from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.findings import background
from stackglass_viewer.model.findings.background import Background, describe_profile
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.whole_profile import find_labels
from stackglass_viewer.model.graph.call_tree import build_call_tree
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.label_table import LabelTable
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.opener import open_profile

FLAT = np.array([60, 40], np.int64)
TOP = TopTable(("asyncio.Queue.get", "run"), ("", ""), FLAT, FLAT, None, 100, "nanoseconds")


def read(text: str, folder: Path, labels: list[dict[str, str]]) -> Profile:
    path = folder / "labels.pb.gz"
    path.write_bytes(encode_labels(encode_stacks(text), labels))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def make_labels(key: str, *flat: int, whole: int = 100) -> list[Finding]:
    values = tuple(f"value {n}" for n in range(len(flat)))
    counts = np.ones(len(flat), np.int64)
    table = LabelTable(key, values, np.array(flat), counts, sum(flat))
    return find_labels(TOP, Background(labels=(table,), whole=whole))


def test_a_program_that_hardly_uses_the_processor(tmp_path: Path) -> None:
    finding = Case(EVEN, tmp_path, duration_ns=4000).only(FindingKind.IDLE)
    assert (finding.share, finding.value, finding.count) == (0.1, 400, 4000)


def test_a_program_that_uses_one_processor_is_usual(tmp_path: Path) -> None:
    for duration_ns in (400, 700, 300, 0):
        assert Case(EVEN, tmp_path, duration_ns=duration_ns).kinds == {FindingKind.EVEN}


def test_a_program_that_uses_several_processors(tmp_path: Path) -> None:
    assert Case(EVEN, tmp_path, duration_ns=160).only(FindingKind.BUSY).share == 2.5


def test_the_number_of_waits(tmp_path: Path) -> None:
    finding = Case(EVEN, tmp_path, duration_ns=200, n_waits=8).only(FindingKind.WAITS)
    assert (finding.value, finding.count, finding.share) == (400, 8, 2.0)
    assert Case(EVEN, tmp_path, n_waits=0).kinds == {FindingKind.EVEN}


def test_what_was_allocated_besides_what_is_in_use(tmp_path: Path) -> None:
    table = Case("main;load 700\nmain;parse 900", tmp_path).top
    case = Case(EVEN, tmp_path, allocated=table)
    finding = case.only(FindingKind.ALLOCATED)
    assert (finding.share, finding.value) == (0.25, 1600)
    assert [table.name[part.function] for part in finding.parts] == ["parse"]
    assert FindingKind.ALLOCATED not in Case(EVEN, tmp_path, allocated=case.top).kinds


def test_a_label_with_a_value_that_leads() -> None:
    (found,) = make_labels("route", 60, 20, 10)
    assert (found.name, found.detail, found.share, found.count) == ("route", "value 0", 0.6, 3)
    assert len(make_labels("thread", 85, 5)) == 1


def test_labels_that_say_little() -> None:
    assert make_labels("route", 100) == []  # everything has it
    assert make_labels("route", 50, 45) == []  # no value leads
    assert make_labels("route", 20, 5) == []  # little has the label
    assert make_labels("thread_id", 60, 20) == []  # a number besides the name
    assert make_labels("valid", 60, 20) != []
    assert make_labels("route", 60, -20) == []
    assert make_labels("thread", 95, 5) == []  # the program has one thread that works


def test_a_label_that_repeats_a_function_is_left_out() -> None:
    assert make_labels("value 0", 60) != []
    same = replace(TOP, name=("asyncio.value 0", "run"))
    ones = np.ones(1, np.int64)
    table = LabelTable("wait", ("value 0",), np.array([60]), ones, 60)
    background = Background(labels=(table,), whole=100)
    assert find_labels(TOP, background) != []
    assert find_labels(same, background) == []


def test_the_background_of_a_file(tmp_path: Path) -> None:
    labels = [{"route": "/a"}, {"route": "/b"}, {}]
    profile = read("main;a 60\nmain;b 30\nmain;c 10", tmp_path, labels)
    tree = build_call_tree(profile)
    about = describe_profile(profile, tree, TypeId(1), is_whole=True)
    assert (about.duration_ns, about.whole, about.n_waits) == (1_000_000_000, 100, None)
    (table,) = about.labels
    assert (table.key, table.value, table.flat.tolist()) == ("route", ("/a", "/b"), [60, 30])
    filtered = describe_profile(profile, tree, TypeId(1), is_whole=False)
    assert (filtered.duration_ns, filtered.labels) == (0, ())
    assert describe_profile(profile, tree, TypeId(0), is_whole=True).duration_ns == 0
    since_1970 = replace(profile, duration_ns=54 * 365 * 24 * 3600 * 10**9)
    assert describe_profile(since_1970, tree, TypeId(1), is_whole=True).duration_ns == 0


def test_labels_of_a_large_file_are_summed_without_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = [{"route": "/a", "host": "h"}, {"route": "/b"}, {"route": "/a"}, {}]
    profile = read("main;a 10\nmain;b 30\nmain;c 15\nmain;d 5", tmp_path, labels)
    tree = build_call_tree(profile)
    small = describe_profile(profile, tree, TypeId(1), is_whole=True)
    monkeypatch.setattr(background, "_MANY_LABELS", 0)
    large = describe_profile(profile, tree, TypeId(1), is_whole=True)
    tables = [
        {each.key: (each.value, each.flat.tolist(), each.total) for each in about.labels}
        for about in (small, large)
    ]
    assert tables[0] == tables[1]
    assert tables[0]["route"] == (("/b", "/a"), [30, 25], 55)
    assert small.whole == large.whole == 60


def test_a_key_of_a_large_file_does_not_go_through_all_strings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_MANY_LABELS", 0)
    n = 3000
    labels = [{f"key {each}": f"value {each}" for each in range(n)}]
    profile = read("main;a 10", tmp_path, labels)
    tree = build_call_tree(profile)

    def describe() -> Background:
        return describe_profile(profile, tree, TypeId(1), is_whole=True)

    assert sorted(each.value[0] for each in describe().labels) == sorted(labels[0].values())
    assert count_allocated_bytes(describe) < 25_000 * n


def test_labels_of_a_large_comparison_have_the_largest_change_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_MANY_LABELS", 0)
    profile = read("main;a 10\nmain;b 30", tmp_path, [{"route": "/a"}, {"route": "/b"}])
    change = profile.samples.values * np.array([1, -1])
    profile = replace(profile, samples=replace(profile.samples, values=change))
    tree = build_call_tree(profile)
    (table,) = describe_profile(profile, tree, TypeId(1), is_whole=True).labels
    assert (table.value, table.flat.tolist()) == (("/b", "/a"), [-30, 10])
    assert not table.flat.flags.writeable


def test_the_background_of_memory_and_of_waits(tmp_path: Path) -> None:
    profile = read("main;a 60\nmain;b 40", tmp_path, [{}, {}])
    tree = build_call_tree(profile)
    types = (SampleType("alloc_space", "bytes"), SampleType("inuse_space", "bytes"))
    about = describe_profile(replace(profile, sample_types=types), tree, TypeId(1), is_whole=True)
    assert about.allocated is not None
    assert (about.allocated.total, about.duration_ns) == (2, 0)
    types = (SampleType("contentions", "count"), SampleType("delay", "nanoseconds"))
    about = describe_profile(replace(profile, sample_types=types), tree, TypeId(1), is_whole=True)
    assert (about.n_waits, about.duration_ns) == (2, 1_000_000_000)
