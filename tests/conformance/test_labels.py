"""Labels of a program's work, by the numbers of the checklist."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.pythons import Python, list_green_environment, list_uvloop_environment
from harness.recorder import record
from harness.saved_profile import SavedProfile
from harness.targets import FOLDER, Target
from harness.thread_dumps import dump_session
from stackglass.threads.go_text import format_counts, format_dump
from stackglass.threads.report import DumpedProcess, build_report

LABELS = {
    "under_none": {},
    "under_a": {"route": "a"},
    "under_a_and_b": {"route": "a", "stage": "b"},
    "under_c": {"route": "c"},
    "under_x": {"task": "x"},
    "under_y": {"task": "y"},
    "flip_x": {"flip": "x"},
    "flip_y": {"flip": "y"},
}
WAITING = (
    "hold_lock",
    "wait_without_labels",
    "wait_under_a",
    "burn_under_x",
    "burn_under_y",
    "task_under_t",
    "task_without_labels",
    "stall_under_s",
)
ALLOCATING = ("allocate_under_h", "allocate_without_labels")
THREAD = ("thread", "thread_id")


def sum_by_labels(path: Path) -> dict[str, dict[str, int]]:
    """Samples by function, and by the program's labels as JSON."""
    sums: dict[str, dict[str, int]] = {}
    for row in SavedProfile.read(path).rows:
        own = {key: value for key, value in row.labels.items() if key not in THREAD}
        if re.fullmatch(r"Task-\d+|None", str(own.get("task", ""))):
            del own["task"]  # asyncio's name, not the program's; 3.13.0 calls eager tasks "None"
        text = json.dumps(own, sort_keys=True)
        for name in {name.rpartition(".")[2] for name in row.stack}:
            of_function = sums.setdefault(name, {})
            of_function[text] = of_function.get(text, 0) + row.values[0]
    return sums


def check_functions(path: Path, functions: Iterable[str]) -> None:
    """All samples of a function have the labels that belong to it, and there are some."""
    sums = sum_by_labels(path)
    for function in functions:
        assert list(sums[function]) == [json.dumps(LABELS[function], sort_keys=True)], function
        assert sum(sums[function].values()) >= 10, function


@pytest.mark.checklist(23, 92, 93, 94, 96)
@each_python
def test_94_every_sample_has_the_labels_of_its_block(python: Python, tmp_path: Path) -> None:
    """Checklist 23, 92, 93, 94 and 96: nested, restored also by an exception; inherited by threads,
    tasks and items of pools, and by nothing else; changed as fast as can be."""
    path = tmp_path / "cpu.pb.gz"
    done = subprocess.run(
        [python.executable, str(FOLDER / "labelled.py"), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == []
    check_functions(path, LABELS)


@pytest.mark.checklist(94)
@pytest.mark.parametrize("library", ["gevent", "uvloop"])
@some_pythons
def test_94_libraries_that_switch_contexts_themselves(
    python: Python, library: str, tmp_path: Path
) -> None:
    """Checklist 94: tasks of another event loop, and greenlets."""
    path = tmp_path / "cpu.pb.gz"
    find_packages = list_green_environment if library == "gevent" else list_uvloop_environment
    done = subprocess.run(
        [python.executable, str(FOLDER / "labels/libraries.py"), library, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **find_packages(python)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    if not json.loads(done.stdout)["has_library"]:
        pytest.skip(f"Python 3.{python.minor} has no {library} (packaging/target_packages)")
    check_functions(path, ("under_none", "under_x", "under_y"))


@pytest.mark.attach
@pytest.mark.checklist(94)
def test_94_labels_are_seen_from_outside(tmp_path: Path) -> None:
    """Checklist 94: of a program that is attached to; CPU and wall profiles have them."""
    with Target(NEWEST, "labelled_service.py") as target:
        for profile in ("cpu", "wall"):
            path = tmp_path / f"{profile}.pb.gz"
            status, _, errors = record(
                target.pid, "--profile", profile, "--duration", "3", "-o", path
            )
            assert (status, errors) == (0, "")
            sums = sum_by_labels(path)
            for function, route in (("serve_a", "/a"), ("serve_b", "/b")):
                routes = {json.loads(text).get("route") for text in sums[function]}
                assert routes == {route}, (profile, function)
        target.finish()


@pytest.mark.checklist(94, 97)
@some_pythons
def test_97_the_other_profiles_have_the_labels_of_their_stacks(
    python: Python, tmp_path: Path
) -> None:
    """Checklist 94, 97: of threads and tasks that wait, of those that release a lock, of those that
    had the GIL, kept a loop or allocated; a function that is under no label has none."""
    profiles = ("block", "mutex", "gil", "tasks", "stalls", "allocs")
    wanted = [word for profile in profiles for word in ("--profile", profile)]
    rates = ("--block-rate", 1, "--mutex-fraction", 1, "--gil-hz", 1000, "--heap-rate", 4096)
    command = (python.executable, FOLDER / "labels/contended.py")
    status, _, errors = record(*wanted, *rates, "-o", f"{tmp_path}/", "--", *command)
    assert (status, errors) == (0, "")
    seen = {profile: list_roles(tmp_path / f"{profile}.pb.gz") for profile in profiles[:-1]}
    allocated = list_roles(tmp_path / "allocs.pb.gz", ALLOCATING)
    assert {"wait_under_a", "wait_without_labels"} <= seen["block"]
    assert "hold_lock" in seen["mutex"]
    assert seen["gil"] & {"burn_under_x", "burn_under_y"}
    assert {"task_under_t", "task_without_labels"} <= seen["tasks"]
    assert allocated == set(ALLOCATING)
    assert "task_under_t" in seen["mutex"]  # a release of asyncio's lock


def list_roles(path: Path, functions: tuple[str, ...] = WAITING) -> set[str]:
    """Those of these functions that have rows; each row has the label of its function alone."""
    seen = set()
    for row in SavedProfile.read(path).rows:
        names = {name.rpartition(".")[2] for name in row.stack}
        found = names & set(functions)
        seen |= found
        roles = {name for name in found if not name.endswith("without_labels")}
        assert not found or {row.labels.get("role")} - {None} == roles, row
    return seen


@pytest.mark.attach
@pytest.mark.checklist(78, 88, 89, 93)
@each_python
def test_88_dumps_have_the_labels_of_threads_and_tasks(python: Python) -> None:
    """Checklist 78, 88, 89, 93: of each in its own context, as Go prints them; or without."""
    with Target(python, "labels/standing.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            report = build_report(session.take(), DumpedProcess(target.pid))
        target.finish()
    threads = {thread.name: dict(thread.labels) for thread in report.threads}
    assert threads.pop("plain") == threads.pop("MainThread") == {}
    assert threads.pop("one") == {"route": "/a"}
    assert threads.pop("two") == {"route": '"q"\n', "n": "7"}
    assert list(threads.values()) == [{"route": "executor"}]  # a pool's worker, by its item
    tasks = sorted(task.labels for task in report.tasks if task.wait == "asyncio.Event.wait")
    assert tasks == [(("route", ""),), (("route", "a b"), ("tenant", "1"))]
    heads = [line for line in format_dump(report).splitlines() if line.endswith(":")]
    labels = {line.partition("]")[2] for line in heads}
    assert labels >= {
        ":",
        " {route: /a}:",
        ' {n: 7, route: "\\"q\\"\\n"}:',
        ' {route: ""}:',
        ' {route: "a b", tenant: 1}:',
    }
    plain = format_dump(report, has_labels=False).splitlines()
    assert not any("{" in line for line in plain if line.endswith(":"))
    assert '# labels: {"n":"7", "route":"\\"q\\"\\n"}' in format_counts(report).splitlines()


OF_TASKS = {
    "in_alpha": "alpha",
    "blocked_in_alpha": "alpha",
    "wait_in_alpha": "alpha",
    "in_beta": "beta",
    "stalled_in_beta": "beta",
    "in_gamma": "gamma",
    "in_derived": "derived ☃",
    "in_renamed": "renamed #",
    "in_nameless": "Task-#",
    "in_no_task": "",
}
COMPUTING = {name for name in OF_TASKS if name.startswith("in_")}


def list_names_of_tasks(path: Path) -> dict[str, dict[str, int]]:
    """Samples by function and by the name of the task, its number left out; "" = no name."""
    sums: dict[str, dict[str, int]] = {}
    for row in SavedProfile.read(path).rows:
        name = re.sub(r"\d+$", "#", str(row.labels.get("task", "")))
        for function in {each.rpartition(".")[2] for each in row.stack} & set(OF_TASKS):
            of_function = sums.setdefault(function, {})
            of_function[name] = of_function.get(name, 0) + row.values[0]
    return sums


def check_names_of_tasks(path: Path, functions: set[str], most_unknown: float) -> None:
    """All functions have the name of their task, or none. These have samples, of which at most a
    part has none."""
    sums = list_names_of_tasks(path)
    assert functions <= set(sums), path
    for function, of_function in sums.items():
        n_named = of_function.pop(OF_TASKS[function], 0)
        n_unknown = of_function.pop("", 0)
        assert not of_function, function
        if function in functions:
            assert n_unknown <= most_unknown * (n_named + n_unknown), (function, n_named, n_unknown)


@pytest.mark.attach
@pytest.mark.checklist(94)
@each_python
def test_94_names_of_tasks_are_labels(python: Python, tmp_path: Path) -> None:
    """Checklist 94: of a program that does not import us, attached to: the task that runs is the
    label, or none where it cannot be proven; never another one, and none outside of tasks."""
    with Target(python, "labels/named_tasks.py") as target:
        for profile in ("cpu", "wall"):
            path = tmp_path / f"{profile}.pb.gz"
            wanted = ("--profile", profile, "-o", path, "--cpu-hz", 1000)
            for seconds in (2, 6, 20):  # on a crowded machine a round takes longer than two seconds
                status, _, errors = record(target.pid, *wanted, "--duration", seconds)
                assert (status, errors) == (0, "")
                if list_names_of_tasks(path).keys() >= COMPUTING:
                    break
            # A sample that is taken without the GIL has no task up to 3.13.
            check_names_of_tasks(path, COMPUTING, most_unknown=0.5)
        target.finish()


@pytest.mark.attach
@pytest.mark.checklist(94, 97)
@each_python
def test_97_waits_and_stalls_have_the_names_of_tasks(python: Python, tmp_path: Path) -> None:
    """Checklist 94, 97: the task that waited, and the one that kept its loop."""
    wanted = ("--profile", "tasks", "--profile", "stalls", "--block-rate", 1)
    tasks, stalls = tmp_path / "tasks.pb.gz", tmp_path / "stalls.pb.gz"
    with Target(python, "labels/named_tasks.py") as target:
        for seconds in (3, 10, 30):  # on a crowded machine a round takes longer than three seconds
            status, _, errors = record(
                target.pid, *wanted, "--duration", seconds, "-o", f"{tmp_path}/"
            )
            assert (status, errors) == (0, "")
            if "wait_in_alpha" in list_names_of_tasks(tasks) and "stalled_in_beta" in (
                list_names_of_tasks(stalls)
            ):
                break
        target.finish()
    check_names_of_tasks(tasks, {"wait_in_alpha"}, most_unknown=0)
    check_names_of_tasks(stalls, {"stalled_in_beta"}, most_unknown=0)


@pytest.mark.attach
@pytest.mark.checklist(94)
@some_pythons
def test_94_context_variables_are_labels_by_request(python: Python, tmp_path: Path) -> None:
    """Checklist 94: of a program that does not import us; no thread has another one's values."""
    labels = {"serve_a": ("/a", "1"), "serve_b": ("/b", "2"), "serve_nothing": (None, None)}
    words = [word for name in ("ROUTE", "TENANT") for word in ("--label-var", f"__main__:{name}")]
    with Target(python, "labels/variables.py") as target:
        for profile in ("cpu", "wall"):
            path = tmp_path / f"{profile}.pb.gz"
            for seconds in (2, 10, 30):  # on a crowded machine few samples come in two seconds
                status, _, errors = record(
                    target.pid, "--profile", profile, "--duration", seconds, "-o", path, *words
                )
                assert status == 0, errors
                seen = list_values_of_variables(path, set(labels))
                for function, own in labels.items():
                    # A sample that was taken before the variables were known has none.
                    assert seen[function] <= {own, (None, None)}, (profile, function)
                if not errors and all(own in seen[function] for function, own in labels.items()):
                    break
            assert errors == ""
            assert all(own in seen[function] for function, own in labels.items()), (profile, seen)
        target.finish()


def list_values_of_variables(
    path: Path, functions: set[str]
) -> defaultdict[str, set[tuple[object, object]]]:
    """ROUTE and TENANT of the samples of each of these functions."""
    seen: defaultdict[str, set[tuple[object, object]]] = defaultdict(set)
    for row in SavedProfile.read(path).rows:
        own = (row.labels.get("ROUTE"), row.labels.get("TENANT"))
        for function in {name.rpartition(".")[2] for name in row.stack} & functions:
            seen[function].add(own)
    return seen
