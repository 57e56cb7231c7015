"""The heap profiler inside each Python of this machine, driven by small programs ("probes").

As test_sampler.py: a probe is a process of its own, since a fault of a hook would be a fault of the
process. What needs a file format or an engine is tested elsewhere.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python
from harness.targets import FOLDER
from native import _core_testing as core

PROBES = FOLDER / "heap"
RATE = 512 * 1024


@pytest.mark.checklist(40)
@pytest.mark.parametrize(
    ("allocs", "size", "expected"),
    [
        (4, 1024, (2050, 2099200)),
        (3, 1024, (1537, 1574400)),
        (1, RATE, (1, 829411)),
    ],
)
def test_unsampling_is_exact(allocs: int, size: int, expected: tuple[int, int]) -> None:
    """Checklist 40."""
    assert core.heap_unsample(allocs, allocs * size, RATE) == expected


@pytest.mark.checklist(41)
def test_nothing_to_unsample() -> None:
    """Checklist 41, and what has no objects or no size."""
    assert core.heap_unsample(7, 7777, 1) == (7, 7777)
    assert core.heap_unsample(7, 7777, 0) == (7, 7777)
    assert core.heap_unsample(0, 10, RATE) == (0, 0)
    assert core.heap_unsample(10, 0, RATE) == (0, 0)
    assert core.heap_unsample(1, 2**50, RATE) == (1, 2**50)


def test_size_classes() -> None:
    """Of 16 bytes each up to 512, above that four to a doubling; each knows its largest size."""
    classes = [core.heap_size_class(size) for size in range(5000)]
    assert [number for number, _ in classes] == sorted(number for number, _ in classes)
    for size, (number, largest) in enumerate(classes):
        assert size <= largest
        assert core.heap_size_class(largest) == (number, largest)
        assert largest - size < (16 if size <= 512 else largest / 5)
    assert len({number for number, _ in classes[1:513]}) == 32
    assert len({core.heap_size_class(1025 + i)[0] for i in range(1024)}) == 4
    assert all(core.heap_size_class(2**n)[1] == 2**n for n in range(4, 64))
    assert core.heap_size_class(2**64 - 1)[1] == 2**64 - 1


@pytest.mark.checklist(38, 39, 42, 44, 52, 54)
@each_python
def test_counts_are_exact(python: Python) -> None:
    """Checklist 38, 39, 42, 44, 52 and 54; and all is as before afterwards."""
    reported = run_probe(python, "heap/counts.py")
    assert reported["is_hooked"] == [False, True, True]
    assert reported["is_same_context"] == [True] * 3
    assert reported["kept"] == [32, 32 * 480, 32, 32 * 480]
    assert reported["kept_freed"] == [0, 0]
    assert reported["kept_total"] == [32, 32 * 480]
    assert reported["brief"] == [0, 0, 1024, 1 << 20]
    assert reported["large"] == [[1, reported["large_size"]]]
    assert reported["large_stack"] == ["allocate_directly"] + ["allocate_through"] * 4 + [
        "<module>"
    ]
    assert reported["two_sizes"] == [[1, 300 + reported["header"]], [1, 3000 + reported["header"]]]
    assert reported["n_same_name"] == 2
    assert reported["n_changed"][0] > 5
    assert reported["n_changed"][2] == 0
    assert reported["changed_by_frees"] == ["allocate_kept"]
    assert reported["n_while_off"] == 0
    assert reported["n_of_probe"] == 0
    assert reported["n_native_kind"] == 0
    assert reported["is_list_untouched"]
    assert reported["is_list_left"]
    assert reported["is_undone"]
    assert reported["heard_after"] == 0
    lost = [reported["status"][name] for name in ("n_lost", "n_lost_frees", "n_bad_walks")]
    assert lost == [0, 0, 0]


@pytest.mark.checklist(46, 47, 48, 49, 50, 51)
@each_python
def test_the_two_views(python: Python) -> None:
    """Checklist 46 to 51. A view is [live now, as of the last full collection]."""
    reported = run_probe(python, "heap/cycles.py")
    assert reported["before_any"] == [10, 10]
    assert reported["cycles_before"] == [50, 50]
    assert reported["cycles_after"] == [0, 0]
    assert reported["kept_after"] == [10, 10]
    assert reported["later_before"] == [17, 10]
    assert reported["freed_before"] == [0, 10]
    assert reported["freed_after"] == [0, 0]
    assert reported["in_finaliser"] == [[0, 0], [20, 0]]
    assert reported["in_finaliser_later"] == [[0, 0], [20, 20]]
    assert reported["at_last"] == [[0, 0], [0, 0]]
    assert reported["n_negative"] == 0
    assert reported["heard"] == [["start", 0], ["stop", 0], ["start", 2], ["stop", 2]]
    assert reported["generations"] == [0, 2, 1]
    assert sum(reported["collected"]) >= 50
    assert reported["are_pauses_sane"]
    assert reported["are_in_order"]
    assert reported["n_allocs_reported"] >= reported["n_frees_reported"] > 1000


@each_python
def test_stacks_are_those_of_python(python: Python) -> None:
    """By walks that remember, by notes, and where there are more frames than are kept."""
    reported = run_probe(python, "heap/stacks.py")
    assert reported["n_walks"] > 50
    assert reported["wrong"] == []
    assert reported["n_notes"] > 10
    assert reported["wrong_notes"] == []
    assert reported["lost"] == 0
    assert reported["n_deep"] == 1
    assert reported["depth"] == 192
    assert reported["root"] == "<truncated>"
    assert reported["next_to_root"] == "go_down"
    assert reported["n_bad_walks"] == 0


def test_labels_of_buckets() -> None:
    """Each label set has a bucket, and frees go to the bucket of the block, whatever the labels of
    the thread that frees; beyond 65 536 buckets with labels those that are new are one."""
    reported = run_probe(NEWEST, "heap/labelled.py")
    assert reported["blocks"] == [[0, 2, 10], [1, 10, 10], [2, 1, 10]]
    assert reported["filled"] == [1 << 16, 65_600]
    assert reported["others"] == [[(1 << 16) - 1, 1 + 65_600 - (1 << 16)]]


@each_python
def test_depth_of_stacks(python: Python) -> None:
    """192 frames unless asked, 16 at least, 1024 at most; by walks and by deferred records."""
    reported = run_probe(python, "heap/depths.py")
    depths = [192, 16, 300, 1024, 1024]
    assert reported["kept"] == [[[depth, "<truncated>", "go_down"]] * 2 for depth in depths]


@pytest.mark.checklist(43)
@each_python
def test_estimates_are_unbiased(python: Python) -> None:
    """Checklist 43: within 3 standard deviations over 30 runs, and within 1 % at rate 1."""
    reported = run_probe(python, "heap/estimates.py")
    assert abs(reported["mean"]) < 3.5, reported  # one Python in 2000 by chance
    assert reported["worst"] < 5, reported
    assert reported["left_over"] == 0
    assert abs(reported["at_one"] - 1) < 0.01
    assert abs(reported["native_mean"]) < 3.5, reported
    assert reported["n_native_rates"] == 2
    assert abs(reported["draw"]) < 5, reported  # of 80 000 draws: 2 % of bias is seen
    assert reported["is_draw_positive"]
    assert reported["draw_at"] == [0, True]


@pytest.mark.checklist(53)
@each_python
def test_what_the_engine_allocates_is_not_there(python: Python) -> None:
    """Checklist 53: of Python's and of other allocators; the program's beside it is all there."""
    reported = run_probe(python, "heap/own.py")
    assert reported["n_own"] == reported["n_own_native"] == 0
    assert reported["n_theirs"] == reported["n_wanted"]
    assert reported["n_theirs_native"] == 1
    assert "be_the_program" in reported["names"]
    assert "act_as_engine" not in reported["names"]


@each_python
def test_threads_step_apart(python: Python) -> None:
    """What a thread has left until its next sample is not every other thread's, also where
    interpreters have a GIL each."""
    n = 16
    for stripes in run_probe(python, "heap/stripes.py", n).values():
        assert len(stripes) == 2 * n
        assert n // 2 < len(set(stripes)) <= n, stripes


@each_python
def test_rates_are_kept_apart(python: Python) -> None:
    """A new rate draws anew, and what was sampled at another rate has a bucket of its own."""
    reported = run_probe(python, "heap/rates.py")
    assert reported["n_after_change"] == 0
    assert reported["n_rates"] == reported["n_buckets"] == reported["n_wanted"]
    assert reported["most_in_one"] == 1


@each_python
def test_refused_request_disturbs_no_later_rate(python: Python) -> None:
    assert run_probe(python, "heap/huge_requests.py")["n_in_use"] == 10


@each_python
def test_realloc_is_one_step(python: Python) -> None:
    reported = run_probe(python, "heap/realloc.py")
    size = 100_000
    assert reported["allocated"] == [size]
    assert reported["is_refused"]
    assert reported["after_refusal"] == [size]
    assert reported["old_place"] == []
    assert reported["moved"] == [3 * size]
    assert reported["shrunk"] == [200]
    assert reported["empty"] == [0]
    assert reported["released"] == []
    assert reported["cleared"] == [size]
    assert reported["is_zero"]
    assert reported["from_nothing"] == [size]
    assert reported["sites"] == [[0, 0]] * 3
    assert reported["list"][0] == 1
    assert 0 <= reported["list_size"] - reported["list"][1] < 100  # its head is another block
    assert reported["list_freed"] == [0, 0]
    assert reported["note_refused"] == [size]
    assert reported["note_moved"] == [2 * size]
    assert reported["note_freed"] == []
    assert reported["by_notes"] == [[], [2 * size], [3 * size]]
    assert reported["twice"] == [4 * size]
    assert reported["lost"] == [0, 0]
    assert reported["n_overflow"] > 0
    assert reported["n_noted"] <= 2048
    # What cannot be followed any more is forgotten, and never seems to live for ever.
    assert reported["after_lost_free"][0] == []
    assert reported["after_lost_free"][1] >= 1
    assert abs(reported["n_many"] - reported["n_few"] - 200_000) < 10  # and some of the probe's own


@each_python
def test_lives_with_other_hooks(python: Python) -> None:
    """Above the engine's, below them, staying when these go and going when these stay."""
    reported = run_probe(python, "heap/others.py")
    assert reported["above"] == [50, True]
    assert reported["above_called"]
    assert reported["above_freed"] == 0
    assert reported["restored"]
    assert reported["left"]
    assert reported["again"] == 50
    assert reported["again_called"]
    assert reported["again_after"] == 100
    assert reported["restored_later"]
    assert reported["below"] == [50, True]
    assert reported["below_gone"] == [50, False, True]
    assert reported["forgotten"] == 0
    assert reported["hooked_again"] == [50, 1]
    assert reported["restored_at_last"]
    assert reported["at_last"]


@some_pythons
def test_blocks_in_locked_memory_are_forgotten(python: Python) -> None:
    """The system gives no pages back there; the table's entries have to be cleared all the same."""
    reported = run_probe(python, "heap/locked_memory.py")
    if not reported["is_locked"]:
        pytest.skip("this user may not lock memory")
    assert reported["before"] == 500
    assert not reported["is_called"]
    assert reported["forgotten"] == [0, 0, 0]
    assert reported["again"] == 500
    assert reported["has_right_count"]


@some_pythons
def test_calls_that_outlast_a_session_keep_no_slot(python: Python) -> None:
    """Their ends are not seen, and there are 64 slots."""
    reported = run_probe(python, "heap/library_calls.py")
    assert reported["before"] > 0
    assert reported["lost"] == 0
    assert reported["after"] == reported["before"]


@some_pythons
def test_the_heap_may_be_prepared_during_a_collection(python: Python) -> None:
    """That collection's start was not seen, so its end says nothing about the heap."""
    reported = run_probe(python, "heap/prepared_while_collecting.py")
    assert reported["during"] == [None, 0, []]
    assert reported["before_any"] == [50, 50]
    assert reported["full"] == [1, [2]]
    assert reported["after"] == [50, 50]


@some_pythons
def test_numbers_of_rates_begin_again(python: Python) -> None:
    """A thread that has counted down in one of the last epochs is sampled in the first ones."""
    reported = run_probe(python, "heap/epochs.py")
    assert reported["in_use"] == [1, reported["block_bytes"]]


@some_pythons
@pytest.mark.parametrize("allocator", ["debug", "malloc_debug", "malloc"])
@pytest.mark.parametrize("probe", ["counts.py", "realloc.py"])
def test_other_allocators_below(python: Python, allocator: str, probe: str) -> None:
    """The interpreter's own checks of its memory find nothing to complain of."""
    reported = run_probe(python, f"heap/{probe}", PYTHONMALLOC=allocator)
    if probe == "counts.py":
        assert reported["kept"] == [32, 32 * 480, 32, 32 * 480]
        assert reported["is_undone"]
    else:
        assert reported["moved"] == [300_000]
        assert reported["after_refusal"] == [100_000]


def build_library(folder: Path, name: str) -> Path:
    library = folder / f"{name}.so"
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", "-pthread", "-o", library, PROBES / f"{name}.c"],
        check=True,
    )
    return library


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C library whose threads know nothing of Python."""
    return build_library(tmp_path_factory.mktemp("foreign"), "foreign")


@some_pythons
def test_fork_forgets_threads_inside_an_allocator(python: Python, tmp_path: Path) -> None:
    """Later a thread of the child has the stack, and so the number, of one of them."""
    library = build_library(tmp_path, "ended_inside")
    reported = run_probe(python, "heap/ended_inside.py", library)
    assert reported["in_use"] == [1, reported["block_bytes"]]


@some_pythons
def test_failed_allocation_shows_the_hooks_in_place(python: Python, tmp_path: Path) -> None:
    """Hooks that were put in place a second time would call each other."""
    library = build_library(tmp_path, "failing_trial")
    assert run_probe(python, "heap/failing_trial.py", library)["are_called"]


@pytest.mark.checklist(49)
@each_python
def test_nothing_breaks_under_churn(python: Python, foreign: Path) -> None:
    """Checklist 49 under load; STACKGLASS_STRESS_S long."""
    seconds = float(os.environ.get("STACKGLASS_STRESS_S", "1"))
    reported = run_probe(python, "heap/churn.py", foreign, seconds)
    assert reported["failures"] == []
    assert reported["n_forks"] > 0
    assert reported["n_negative"] == 0
    assert reported["n_foreign"] > 1000
    assert reported["foreign_stacks"] == [["<no Python thread>"]]
    status = reported["status"]
    assert status["n_bad_walks"] == 0
    assert status["n_displaced"] == 0
    assert reported["foreign_in_use"] == 0  # every foreign block was freed
    assert status["n_lost"] + status["n_lost_frees"] <= status["n_samples"] / 1000


@some_pythons
def test_nothing_is_lost_while_a_table_grows(python: Python, foreign: Path) -> None:
    """Moving it takes longer than the ring of notes lasts: then it is waited for."""
    reported = run_probe(python, "heap/growth.py", foreign)
    assert reported["most"] > 690_000  # of 700 000; what is still in the ring comes later
    assert reported["left"] < 10_000
    assert reported["foreign_in_use"] == 0
    assert reported["lost"] == [0, 0]


@each_python
def test_ends_with_the_interpreter(python: Python) -> None:
    """Hooked until the very end, with finalisers and threads at work."""
    assert run_probe(python, "heap/exit.py") == {"is_over": True}
