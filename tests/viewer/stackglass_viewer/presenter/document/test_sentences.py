"""Findings in words, for each kind of profile; numbers are those of the views."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.profiles import read_stacks
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.profile.label_table import LabelTable
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sentences import (
    Sentence,
    SummarySubject,
    describe_findings,
)

CPU = SampleType("cpu", "nanoseconds")
FLAT = [f"main;serve{n};step{n} 10" for n in range(20)]


def make(folder: Path, *lines: str, kind: SampleType = CPU) -> SummarySubject:
    profile = read_stacks("\n".join(lines), folder)
    tree = build_call_tree(profile)
    values = replace(sum_type(tree, profile, TypeId(1)), unit=kind.unit)
    colours = np.zeros(len(tree.frame_name), np.uint32)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, 0)
    return SummarySubject(scene, build_top(tree, values), kind, None)


def say(subject: SummarySubject) -> list[str]:
    return [each.text for each in describe_findings(subject)]


def find(subject: SummarySubject, words: str) -> Sentence:
    (found,) = (each for each in describe_findings(subject) if words in each.text)
    return found


def add(subject: SummarySubject, background: Background) -> SummarySubject:
    return replace(subject, describe=lambda: background)


def test_a_flat_profile(tmp_path: Path) -> None:
    lines = [f"main;load;decode;part{n} 5" for n in range(20)]
    assert say(make(tmp_path, *FLAT, *lines))[0] == (
        "No function takes more than 3.3% of the CPU time itself: 15 functions account for half "
        "of it, 34 for 90%."
    )
    mine = find(make(tmp_path, *FLAT, *lines), "decode takes")
    assert mine.text == "Of your own code, decode takes 33.3% of the CPU time with what it calls."
    subject = make(tmp_path, *FLAT, *lines)
    foreign = replace(subject.top, file=["decode.cc"] * subject.top.n_functions)
    common = find(replace(subject, top=foreign), "decode takes")
    assert common.text == "decode takes 33.3% of the CPU time with what it calls."
    assert common.target == "sandwich"


def test_a_flat_profile_with_a_placeholder(tmp_path: Path) -> None:
    kind = SampleType("inuse_objects", "count")
    lines = [f"main;part{n} 10" for n in range(40)]
    assert say(make(tmp_path, *lines, "main;<before attach> 5600", kind=kind))[0] == (
        "Besides <before attach>, with 93.3% of the objects in use, no function holds more than "
        "0.17% itself."
    )
    assert say(make(tmp_path, *lines, "main;<native> 100", kind=kind))[0] == (
        "No function holds more than 2.0% of the objects in use itself: 25 functions account for "
        "half of them."
    )


def test_the_largest_function_of_many(tmp_path: Path) -> None:
    lines = [f"main;part{n} 10" for n in range(40)]
    assert find(make(tmp_path, *lines, "main;hash 70"), "most by itself").text == (
        "hash takes most by itself, 14.9% of the CPU time. 18 functions account for half of the "
        "CPU time."
    )


def test_recursion(tmp_path: Path) -> None:
    lines = ["main" + ";walk" * depth + " 10" for depth in range(1, 9)]
    sentence = find(make(tmp_path, *FLAT, *lines), "calls itself")
    assert sentence.text == (
        "walk calls itself, up to 8 calls deep; in all it takes 28.6% of the CPU time."
    )
    assert sentence.target == "sandwich"


def test_imports(tmp_path: Path) -> None:
    lines = [f"main;_find_and_load;numpy.<module>;load{n} 5" for n in range(10)]
    sentence = find(make(tmp_path, *FLAT, *lines, "main;_find_and_load;find 5"), "Importing")
    assert sentence.text == (
        "Importing modules takes 21.6% of the CPU time; numpy has most, 19.6% with what it imports."
    )


def test_how_much_the_processors_were_used(tmp_path: Path) -> None:
    subject = make(tmp_path, *FLAT)
    assert say(add(subject, Background(duration_ns=2000)))[0] == (
        "The CPU was used little: 200 ns in 2.00 µs, 10.0% of one processor. For the rest of "
        "the time threads waited, or other programs had the processor."
    )
    assert say(add(subject, Background(duration_ns=80)))[-1] == (
        "2.5 processors were busy on average: 200 ns of CPU time in 80 ns."
    )


def test_waits(tmp_path: Path) -> None:
    delay = SampleType("delay", "nanoseconds")
    subject = make(tmp_path, "main;lock 300", "main;put 100", kind=delay)
    sentence = describe_findings(add(subject, Background(duration_ns=200, n_waits=8)))[0]
    assert sentence.text == (
        "There was 400 ns of delay in 8 waits, 50 ns each on average; 2.0 at a time."
    )
    assert sentence.target == "contention"


def test_waits_of_a_capture_are_named_by_their_kind(tmp_path: Path) -> None:
    subject = make(tmp_path, "main;lock 300", kind=SampleType("delay", "nanoseconds"))
    texts = {
        kind: say(replace(subject, waits=kind))[0]
        for kind in (ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL)
    }
    assert texts == {
        ContentionKind.BLOCK: "lock has 100% of the time waited for locks itself, without what it "
        "calls.",
        ContentionKind.MUTEX: "lock causes 100% of the time waited for locks itself, without what "
        "it calls.",
        ContentionKind.GIL: "lock has 100% of the time waited for the GIL itself, without what it "
        "calls.",
    }


def make_labels(key: str, value: str) -> Background:
    ones = np.ones(2, np.int64)
    table = LabelTable(key, (value, "other"), np.array([150, 50]), ones, 200)
    return Background(labels=(table,), whole=200)


def test_labels(tmp_path: Path) -> None:
    subject = make(tmp_path, *FLAT)
    sentence = find(add(subject, make_labels("route", "/a")), "label")
    assert sentence.text == "75.0% of the CPU time has the label route = /a."
    assert (sentence.target, sentence.label_key) == ("labels", "route")
    assert find(add(subject, make_labels("thread", "clerk 1")), "Thread").text == (
        "Thread clerk 1 takes 75.0% of the CPU time."
    )
    wall = replace(subject, sample_type=SampleType("wall", "nanoseconds"))
    assert find(add(wall, make_labels("state", "waiting")), "state").text == (
        '75.0% of the wall time is spent in the state "waiting".'
    )


def test_goroutines(tmp_path: Path) -> None:
    lines = ("main;chanrecv;runtime.gopark 6", "main;run 1", "main;select;runtime.gopark 1")
    subject = make(tmp_path, *lines, kind=SampleType("goroutine", "count"))
    assert say(subject) == [
        "100% of the goroutines go through main, which calls chanrecv (75.0%), run (12.5%) and "
        "select (12.5%).",
    ]
    found = find(add(subject, make_labels("role", "parked")), "label")
    assert found.text == "75.0% of the goroutines have the label role = parked."


def test_what_is_many_has_the_verb_of_many(tmp_path: Path) -> None:
    """In whole phrases: what ends in an s is not what is counted."""
    wait = make(tmp_path, "main;lock 300", kind=SampleType("delay", "nanoseconds"))
    count = make(tmp_path, "main;lock 300", kind=SampleType("contentions", "count"))
    in_use = make(tmp_path, "main;lock 300", kind=SampleType("inuse_objects", "count"))
    labelled = {
        "75.0% of the time waited for locks has the label": replace(
            wait, waits=ContentionKind.BLOCK
        ),
        "75.0% of the waits for locks have the label": replace(count, waits=ContentionKind.BLOCK),
        "75.0% of the objects in use have the label": in_use,
    }
    for begin, subject in labelled.items():
        found = find(add(subject, make_labels("route", "/a")), "label")
        assert found.text.startswith(begin)
    samples = make(tmp_path, "main;lock 300", kind=SampleType("samples", "count"))
    assert find(add(samples, make_labels("state", "waiting")), "state").text == (
        '75.0% of the samples are in the state "waiting".'
    )


def test_source_is_shown_where_it_is_on_this_machine(tmp_path: Path) -> None:
    subject = make(tmp_path, "main;hash 90", "main;rest 10")
    targets = []
    for file in (__file__, "hash.py", "/nowhere/hash.py", ""):
        top = replace(subject.top, file=[file] * subject.top.n_functions)
        targets.append(find(replace(subject, top=top), "hash takes").target)
    assert targets == ["source", "source", "sandwich", "sandwich"]
    top = replace(subject.top, file=[""] * subject.top.n_functions)
    assert find(SummarySubject(None, top, CPU, None), "hash takes").target == "top"


def make_table(**about: object) -> TopTable:
    names = ("isinstance", "compile", "walk")
    flat = np.array([5, 60, 35], np.int64)
    top = TopTable(names, ("", "", "/usr/lib/a.c"), flat, flat, None, 100, "nanoseconds")
    return replace(top, **about)  # type: ignore[arg-type]


def test_calls_are_counted(tmp_path: Path) -> None:
    top = make_table(calls=np.array([900, 3, 1], np.int64))
    assert say(SummarySubject(None, top, SampleType("time", "nanoseconds"), None)) == [
        "compile takes 60.0% of the time itself in 3 calls, without what it calls.",
        "walk takes 35.0% of the time itself in 1 call, without what it calls.",
        "isinstance is called most often, 900 times, and takes 5.0% of the time itself.",
    ]


def test_changes(tmp_path: Path) -> None:
    before = np.array([10, 0, 35], np.int64)
    flat = np.array([-10, 60, -35], np.int64)
    top = make_table(flat=flat, cum=flat, is_change=True, cum_before=before, total_before=100)
    assert say(SummarySubject(None, top, CPU, None)) == [
        "The total grew: +15 ns, 15.0% of the base.",
        "compile grew most by itself: +60 ns, 60.0% of the base; the base does not have it.",
        "walk shrank most by itself: −35 ns, 35.0% of the base; only the base has it.",
    ]
    top = replace(top, total=105, cum_before=None, total_before=None)
    assert say(SummarySubject(None, top, CPU, None))[1] == (
        "compile grew most by itself: +60 ns, 57.1% of all that changed."
    )
