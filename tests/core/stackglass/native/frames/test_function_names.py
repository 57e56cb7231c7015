"""Python's names for functions of Cython, pybind11 and nanobind."""

from __future__ import annotations

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python
from native import _core_testing as core


@each_python
def test_functions_have_the_names_that_python_code_knows(python: Python) -> None:
    """Overloads, properties and methods; two functions of one code have none, nor has a record of
    another layout, nor what only has the name of such a type."""
    reported = run_probe(python, "names/callables.py")
    assert reported["names"] == {
        "0x1000": ["Plain.spin", reported["file"], reported["line"]],
        "0x2000": ["add", "", 0],
        "0x3000": ["add", "", 0],
        "0x4000": ["Vec.norm", "", 0],
        "0x5000": ["Vec.size", "", 0],
        "0x6000": ["scale", "", 0],
        "0x9000": ["Vec.make", "", 0],
        "0xa000": ["nanobind dispatcher", "", 0],
    }
    assert reported["is_same"]
    assert reported["is_sliced"]


def test_the_worker_ends_a_search_that_is_open_when_the_writer_closes() -> None:
    """At the program's exit the worker may still be in a slice of the search when the writer
    closes its stream."""
    is_kept, is_open = core.close_while_searching()
    assert is_kept
    assert not is_open


@each_python
def test_slices_end_in_modules_of_classes_of_one_size(python: Python) -> None:
    """The clock is read after 64 variables and the rest of a class, wherever the classes begin:
    two classes of 31 attributes are 64."""
    reported = run_probe(python, "names/wide_modules.py")
    assert reported["n_slices"] > 0.45 * reported["n_classes"]
