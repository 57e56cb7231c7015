"""``/debug/pprof/`` beside a Go program's: the same statuses and headers for the same requests.

What differs on purpose: ``trace``, which Python does not have, is 501; the bodies of ``symbol`` and
of the index; ``goroutineleak?debug=2`` has the leaks alone, Go's has all goroutines.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST
from harness.pprof_server import Answer, PprofServer, serve_go, serve_python
from harness.saved_profile import SavedProfile

pytestmark = pytest.mark.timeout(600)  # the first run builds Go's standard library

REQUESTS = [
    ("GET", ""),
    ("HEAD", ""),
    ("GET", "heap"),
    ("HEAD", "heap"),
    ("GET", "heap?debug=1"),
    ("GET", "heap?debug=-1"),
    ("GET", "heap?debug=x"),
    ("GET", "heap?gc=1"),
    ("GET", "heap?gc=1&seconds=1"),
    ("GET", "allocs"),
    ("GET", "block"),
    ("GET", "block?debug=1"),
    ("GET", "mutex"),
    ("GET", "mutex?debug=1"),
    ("GET", "mutex?seconds=1"),
    ("GET", "goroutine"),
    ("GET", "goroutine?debug=1"),
    ("GET", "goroutine?debug=2"),
    ("GET", "goroutine?seconds=1"),
    ("HEAD", "goroutine"),
    ("GET", "goroutine?seconds=1&debug=2"),
    ("GET", "threadcreate"),
    ("HEAD", "threadcreate"),
    ("GET", "threadcreate?debug=1"),
    ("GET", "threadcreate?debug=2"),
    ("GET", "threadcreate?seconds=1"),
    ("GET", "goroutineleak"),
    ("HEAD", "goroutineleak"),
    ("GET", "goroutineleak?debug=1"),
    ("GET", "goroutineleak?debug=2"),
    ("GET", "goroutineleak?gc=1"),
    ("GET", "goroutineleak?seconds=1"),
    ("GET", "goroutineleak?seconds=x"),
    ("GET", "goroutineleak?seconds=1&debug=1"),
    ("GET", "app.leases"),
    ("GET", "app.leases?debug=1"),
    ("GET", "app.leases?seconds=1"),
    ("GET", "block?seconds=x"),
    ("GET", "block?seconds=0"),
    ("GET", "block?seconds=-1"),
    ("GET", "block?seconds=1.5"),
    ("GET", "block?seconds=%31"),
    ("GET", "block?seconds=1&debug=1"),
    ("GET", "block?seconds="),
    ("GET", "nothing"),
    ("GET", "nothing?seconds=1"),
    ("GET", "heap/more"),
    ("GET", "profile?seconds=1"),
    ("GET", "cmdline"),
    ("GET", "symbol"),
    ("GET", "symbol?0x1+0x2"),
    ("POST", "heap"),
    ("POST", "symbol"),
    ("PUT", ""),
    ("DELETE", "profile"),
    ("POST", "/heap"),
    ("GET", "/heap"),
]


@pytest.fixture(scope="module")
def go() -> Iterator[PprofServer]:
    with serve_go() as server:
        yield server


@pytest.fixture(scope="module")
def served() -> Iterator[PprofServer]:
    with serve_python(NEWEST) as server:
        yield server


def describe(answer: Answer) -> tuple[int, dict[str, str]]:
    return answer.status, answer.headers


@pytest.mark.checklist(107, 108, 109, 111, 112, 113, 114)
@pytest.mark.parametrize(("method", "rest"), REQUESTS)
def test_go_answers_alike(go: PprofServer, served: PprofServer, method: str, rest: str) -> None:
    path = f"/debug/pprof/{rest}"
    judge, answer = go.ask(path, method), served.ask(path, method)
    assert describe(answer) == describe(judge)
    if answer.status >= 400 and method != "HEAD":
        assert answer.body == judge.body


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/debug/pprof", "/debug/pprof?debug=1", "/", "/debug/other"])
def test_go_answers_alike_beside_the_prefix(
    go: PprofServer, served: PprofServer, path: str, method: str
) -> None:
    judge, answer = go.ask(path, method), served.ask(path, method)
    assert describe(answer) == describe(judge)
    assert answer.body == judge.body


@pytest.mark.checklist(109, 114)
def test_a_second_cpu_profile_is_refused_by_both(go: PprofServer, served: PprofServer) -> None:
    answers = []
    for server in (go, served):
        first = threading.Thread(target=server.ask, args=("/debug/pprof/profile?seconds=4",))
        first.start()
        time.sleep(2)
        answers.append(server.ask("/debug/pprof/profile?seconds=1"))
        first.join()
    assert describe(answers[0]) == describe(answers[1])
    assert answers[1].status == 500
    assert answers[1].body.startswith(b"Could not enable CPU profiling: ")


def read_counts(text: str) -> dict[str, int]:
    """Innermost function of the program → count."""
    counts = {}
    for block in text.split("\n\n"):
        lines = block.splitlines()
        heads = [line for line in lines if " @ " in line]
        functions = [line.split("\t")[2] for line in lines if line.startswith("#\t")]
        own = [name for name in functions if name.startswith(("main.", "__main__."))]
        if heads and own:
            counts[own[0].partition("+")[0].rpartition(".")[2]] = int(heads[0].split(" @ ")[0])
    return counts


@pytest.mark.checklist(108, 121)
def test_both_count_equal_stacks_and_leaks(go: PprofServer, served: PprofServer) -> None:
    """Twenty goroutines in Go, twenty tasks in Python; and one that nothing can wake."""
    for server in (go, served):
        text = server.ask("/debug/pprof/goroutine?debug=1").body.decode()
        assert read_counts(text)["poll"] == 20
        leaks = server.ask("/debug/pprof/goroutineleak?debug=1").body.decode()
        assert leaks.splitlines()[0].endswith("leak profile: total 1")
        assert read_counts(leaks) == {"leak": 1}
        dump = server.ask("/debug/pprof/goroutineleak?debug=2").body.decode()
        (head,) = [line for line in dump.splitlines() if "(leaked)" in line]
        assert head.endswith("(leaked)]:")
        profile = SavedProfile(server.ask("/debug/pprof/goroutineleak").body)
        (row,) = profile.rows
        assert row.values == [1]
        assert any(name.endswith(".leak") for name in row.stack)
        assert len(profile.sample_types) == 1
        assert profile.sample_types[0].endswith("leak/count")


def test_a_rebound_name_is_refused(served: PprofServer) -> None:
    assert served.ask("/debug/pprof/heap", host="evil.example").status == 403


@pytest.mark.checklist(113)
def test_differences_at_the_same_time_are_independent(served: PprofServer) -> None:
    """A long one has what the short one within it has, and more."""
    answers: dict[int, Answer] = {}

    def ask(seconds: int) -> None:
        answers[seconds] = served.ask(f"/debug/pprof/mutex?seconds={seconds}")

    threads = [threading.Thread(target=ask, args=(seconds,)) for seconds in (1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    totals = {}
    for seconds, answer in answers.items():
        saved = SavedProfile(answer.body)
        totals[seconds] = sum(row.values[0] for row in saved.rows)
        assert saved.message.duration_nanos >= seconds * 10**9
    assert 0 < totals[1] < totals[4]


@pytest.mark.parametrize(
    ("rest", "function"),
    [
        ("profile?seconds=2", "burn"),
        ("heap", "allocate"),
        ("allocs", "allocate"),
        ("block", "hold"),
        ("mutex", "hold"),
        ("goroutine", "hold"),
        ("goroutine", "poll"),
        ("goroutineleak", "leak"),
        ("threadcreate", "Thread.start"),
        ("mutex?seconds=1", "hold"),
        ("app.leases", "<module>"),
    ],
)
def test_go_tool_pprof_reads_the_endpoints(
    served: PprofServer, rest: str, function: str, tmp_path: Path
) -> None:
    assert function in run_pprof("-top", "-cum", "-nodecount=200", served.url(rest))
