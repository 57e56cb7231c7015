"""From the options of ``stackglass record`` to the plan of a recording."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from stackglass.errors import UsageError
from stackglass.record.arguments import add_plan_arguments, make_plan
from stackglass.record.flight_plan import Trigger, Window
from stackglass.record.plan import Plan
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import DEFAULT, Rates


def read(*words: str) -> Plan:
    parser = argparse.ArgumentParser()
    add_plan_arguments(parser)
    return make_plan(parser.parse_args(["-o", "-", *words], argparse.Namespace(command=[])))


def test_the_cpu_alone_at_first() -> None:
    plan = read()
    assert plan.request.rates == Rates(cpu_hz=DEFAULT.cpu_hz)
    assert (plan.cpu_hz, plan.new_hz, plan.has_heap, plan.kinds) == (None, 100, False, [])


def test_a_profile_has_its_default_rate_or_the_named_one() -> None:
    plan = read("--profile", "tasks")
    assert plan.request.rates == Rates(block_rate_ns=10_000)
    assert plan.kinds == [ContentionKind.TASK]
    plan = read("--profile", "block", "--other-waits", "--block-rate", "7")
    assert plan.request.rates == Rates(block_rate_ns=7, has_other=1)
    assert plan.request.named == {"block_rate_ns"}
    assert plan.kinds == [ContentionKind.BLOCK, ContentionKind.OTHER]
    plan = read("--profile", "stalls", "--stall-ms", "20")
    assert plan.request.rates == Rates(stall_ns=20_000_000)
    plan = read("--cpu-hz", "999")
    assert (plan.cpu_hz, plan.new_hz) == (999, 999)


def test_native_memory_belongs_to_a_heap_profile() -> None:
    assert read("--profile", "heap").has_native
    assert not read("--profile", "heap", "--no-native-memory").has_native
    assert not read().has_native


def test_text_leaves_the_cpu_profile_as_it_is_and_legacy_does_not(tmp_path: Path) -> None:
    both = ("--profile", "cpu", "--profile", "heap", "-o", str(tmp_path))
    for option, names in (
        ("--text", ["cpu.pb.gz", "heap.txt"]),
        ("--legacy", ["cpu.prof", "heap.txt"]),
    ):
        outputs = read(*both, option).outputs
        assert [Path(output.path).name for output in outputs] == names
        assert [output.is_legacy for output in outputs] == [option == "--legacy", True]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--profile", "mutex", "--cpu-hz", "9"], "--cpu-hz is for the profile cpu"),
        (["--heap-rate", "9"], "--heap-rate is for the profile heap or allocs"),
        (["--as-of-gc"], "--as-of-gc is for the profile heap or allocs"),
        (["--no-native-memory"], "--no-native-memory is for the profile heap, allocs or memory"),
        (["--no-states"], "--no-states is for the profile memory"),
        (["--other-waits"], "--other-waits is for the profile block"),
        (["--stack-depth", "99", "--profile", "threadcreate"], "--stack-depth is for the profile"),
        (["--profile", "memory", "--no-states", "--cpu-hz", "50"], "that --no-states leaves out"),
        (["--profile", "memory", "--no-states", "--wall-hz", "50"], "that --no-states leaves out"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(words: list[str], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        read(*words)


@pytest.mark.parametrize(
    ("option", "profile"),
    [
        ("--text", "cpu"),
        ("--text", "memory"),
        ("--legacy", "wall"),
        ("--legacy", "memory"),
        ("--stack-depth=99", "cpu"),
        ("--stack-depth=99", "threadcreate"),
    ],
)
def test_what_a_refusal_advises_is_accepted(tmp_path: Path, option: str, profile: str) -> None:
    words = ("--profile", profile, "-o", str(tmp_path), option)
    with pytest.raises(UsageError) as refused:
        read(*words)
    advised = re.findall("--profile ([a-z]+)", str(refused.value))
    assert advised
    for name in advised:
        read(*words, "--profile", name)


def test_children_are_a_commands() -> None:
    with pytest.raises(UsageError, match="--children is for a command"):
        read("--children")


def test_a_window_and_its_triggers() -> None:
    memory = ("--profile", "memory", "-o", "trace.sgm")
    assert read(*memory).window is None
    window = read(*memory, "--window", "1.5m").window
    assert window == Window(90 * 10**9, 64 << 20, (Trigger("exit"), Trigger("signal")))
    plan = read(
        *(*memory, "--window", "30", "--window-size", "2MiB"),
        *("--trigger", "rss>2GB", "--trigger", "wait>20ms", "--trigger", "stall > 1s"),
    )
    triggers = (Trigger("rss", 2 * 10**9), Trigger("wait", 20_000_000), Trigger("stall", 10**9))
    assert plan.window == Window(30 * 10**9, 2 << 20, triggers)
    assert plan.request.limited == {"block_rate_ns", "stall_ns"}
    sampled = {"cpu_hz": DEFAULT.cpu_hz, "wall_hz": DEFAULT.wall_hz}
    assert plan.request.rates == Rates(block_rate_ns=20_000_000, stall_ns=10**9, **sampled)


def test_a_memory_trace_has_the_states_of_threads_unless_declined() -> None:
    memory = ("--profile", "memory", "-o", "trace.sgm")
    rates = read(*memory).request.rates
    assert rates == Rates(cpu_hz=DEFAULT.cpu_hz, wall_hz=DEFAULT.wall_hz)
    assert read(*memory, "--wall-hz", "20").request.rates.wall_hz == 20
    assert read(*memory, "--no-states").request.rates == Rates()
    with_wall = read("--profile", "memory", "--profile", "wall", "-o", "x", "--no-states")
    assert with_wall.request.rates == rates


@pytest.mark.parametrize(
    "words",
    [
        ["--window", "0"],
        ["--window", "5 parsecs"],
        ["--window", "5s", "--window-size", "9KiB"],
        ["--window", "5s", "--trigger", "rss"],
        ["--window", "5s", "--trigger", "exit>3s"],
        ["--window", "5s", "--trigger", "stall>1ms"],
        ["--window", "5s", "--trigger", "heat>3s"],
    ],
)
def test_windows_that_cannot_be(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((SystemExit, UsageError)):
        read("--profile", "memory", "-o", "trace.sgm", *words)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--window", "5s"], "--window is for the profile memory"),
        (["--profile", "memory", "--trigger", "exit"], "--trigger is for --window"),
        (["--profile", "memory", "--window-size", "9MiB"], "--window-size is for --window"),
        (["--profile", "memory", "--window", "5s", "-o", "-"], "--window writes files"),
    ],
)
def test_a_window_is_of_a_memory_trace_in_files(words: list[str], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        read(*words)
