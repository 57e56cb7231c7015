"""The thread that looks up lines: samples do not wait for it, and it ends with its session."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from harness.session_writer import make_ready
from stackglass.symbols.native_code import NativeCode, NativeLine
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.presenter.live.native_line_reader import NativeLineReader

OWN = NativeLine("", "sort", "/src/sort.c", 40, 30)
_MOST_S = 60.0


def make_live() -> LiveProfile:
    live = LiveProfile(0)
    live.apply(make_ready())
    live.apply(
        wire_pb2.FromEngine(
            batch=wire_pb2.Batch(
                strings=["", "libx: 0x100", "/lib/libx.so", "ab12"],
                function_name=[1],
                function_system_name=[3],
                function_filename=[2],
                function_start_line=[0],
                function_native_start=[0x100],
                location_function=[0],
                location_line=[0],
                location_native_address=[0x110],
                node_parent=[0, 0],
                node_location=[0, 0],
            )
        )
    )
    return live


def test_lines_come_later_and_samples_do_not_wait() -> None:
    live, is_asked, may_answer = make_live(), threading.Event(), threading.Event()
    asked: list[NativeCode] = []

    def locate(codes: Sequence[NativeCode]) -> list[list[NativeLine]]:
        asked.extend(codes)
        is_asked.set()
        assert may_answer.wait(_MOST_S)
        return [[OWN] for _ in codes]

    reader = NativeLineReader(live, locate)
    reader.wake()
    assert is_asked.wait(_MOST_S)
    live.apply(wire_pb2.FromEngine(batch=wire_pb2.Batch(strings=["later"])))
    assert live.list_definitions().native_lines == {}
    may_answer.set()
    reader.close()  # the request that runs is finished
    assert live.list_definitions().native_lines == {0: [OWN]}
    assert asked == [NativeCode("/lib/libx.so", "ab12", 0x110)]


def test_without_a_server_there_are_no_lines() -> None:
    live = make_live()
    is_asked = threading.Event()

    def locate(_: Sequence[NativeCode]) -> None:
        is_asked.set()

    reader = NativeLineReader(live, locate)
    reader.wake()
    assert is_asked.wait(_MOST_S)
    reader.close()
    assert live.list_definitions().native_lines == {}


def test_a_session_without_machine_code_has_no_thread() -> None:
    live = LiveProfile(0)
    n_threads = threading.active_count()
    reader = NativeLineReader(live, lambda _: None)
    reader.wake()
    assert threading.active_count() == n_threads
    reader.close()


def test_why_lines_are_missing_is_kept_after_each_request() -> None:
    live, is_listed = make_live(), threading.Event()

    def list_problems() -> list[str]:
        is_listed.set()
        return ["lines of libx are missing: it is damaged"]

    reader = NativeLineReader(live, lambda codes: [[] for _ in codes], list_problems)
    reader.wake()
    assert is_listed.wait(_MOST_S)
    reader.close()
    assert live.lines.problems == ("lines of libx are missing: it is damaged",)
