"""Mutants (tests/mutants) fit the sources that are here: `make mutants` runs them."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest
from mutants.run import FAILED, Outcome, classify

from harness.mutants import (
    CHECKOUT,
    FOLDER,
    Mutant,
    MutantError,
    find_place,
    list_mutants,
    mutate,
    read_mutant,
    read_sources,
)

SOURCE = """\
static int twice(int a) { return 2 * a; }

int sg_add(int a,
           int b) {
    if (a)
        return a + b;
    return b;
}

static void other(void) { sg_add(1, 2); }
"""


def make_mutant(function: str, find: str, replace: str = "0") -> Mutant:
    return Mutant("made", "why", function, find, replace, ("tests",), hangs=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "add.c").write_text(SOURCE)
    (tmp_path / "core" / "add.py").write_text("class A:\n    def f(self):\n        return 1\n")
    return tmp_path


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    """Of the checkout: to read them for each mutant takes most of a minute."""
    return read_sources()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_mutant_applies_at_one_place(path: Path, sources: dict[Path, str]) -> None:
    mutant = read_mutant(path)
    changed, text = mutate(mutant, sources)
    assert text != sources[changed]
    if changed.suffix == ".py":
        ast.parse(text)
    else:
        before = sources[changed][: find_place(mutant, sources).start].rstrip()
        is_body = before.endswith((")", " else")) and mutant.find.rstrip().endswith(";")
        assert mutant.replace.strip() or not is_body, "an if needs a statement"


@functools.cache
def list_tests(file: str) -> frozenset[str]:
    tree = ast.parse((CHECKOUT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_each_names_tests_that_exist() -> None:
    for mutant in list_mutants():
        for test in mutant.tests:
            file, _, function = test.partition("::")
            assert function.partition("[")[0] in list_tests(file), (mutant.name, test)


def test_a_place_is_found_by_function_and_content(root: Path) -> None:
    sources = read_sources(root)
    changed, text = mutate(make_mutant("sg_add", "if (a) return a + b;", "return a - b;"), sources)
    assert changed.name == "add.c"
    assert "    return a - b;\n    return b;\n}" in text
    assert find_place(make_mutant("twice", "2 * a"), sources).path == changed
    assert mutate(make_mutant("A.f", "1", "2"), sources)[1].endswith("return 2\n")


@pytest.mark.parametrize(
    ("function", "find", "why"),
    [
        ("sg_sub", "a", "no function sg_sub"),
        ("sg_add", "a * b", "0 times"),
        ("sg_add", "return", "2 times"),
        ("twice", "return b", "0 times"),
    ],
)
def test_a_mutant_that_does_not_fit_is_an_error(
    root: Path, function: str, find: str, why: str
) -> None:
    with pytest.raises(MutantError, match=why):
        find_place(make_mutant(function, find), read_sources(root))


@pytest.mark.parametrize("text", ["why = 'x'", "why = 1", "wy = 'x'"])
def test_a_file_that_is_not_whole_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "made.toml").write_text(text)
    with pytest.raises(MutantError):
        read_mutant(tmp_path / "made.toml")


@pytest.mark.parametrize(
    ("status", "output", "hangs", "expected"),
    [
        (FAILED, "FAILED tests/a.py::test_b - assert 1 == 2\n1 failed", False, Outcome.KILLED),
        (FAILED, "E  TargetError: target 5 ended: exit code -11;", False, Outcome.CRASH),
        (FAILED, "E  has ended (ended by signal 6, SIGABRT)", False, Outcome.CRASH),
        (-11, "", False, Outcome.CRASH),
        (None, "", True, Outcome.TIMEOUT),
        (None, "", False, Outcome.UNDECLARED),
        (FAILED, "E  Failed: Timeout >120.0s", False, Outcome.UNDECLARED),
        (FAILED, "E  Failed: Timeout (>60.0s) from pytest-timeout.", False, Outcome.UNDECLARED),
        (FAILED, "E  subprocess.TimeoutExpired: Command 'a'", True, Outcome.TIMEOUT),
        (FAILED, "   except TimeoutExpired:\nE  AssertionError", False, Outcome.KILLED),
        (0, "8 passed, 1 skipped in 5 s", False, Outcome.SURVIVES),
        (0, "8 skipped in 5 s", False, Outcome.SKIPPED),
        (4, "ERROR: not found: tests/a.py::test_c", False, Outcome.SURVIVES),
    ],
)
def test_what_became_of_a_mutant(
    status: int | None, output: str, hangs: bool, expected: Outcome
) -> None:
    assert classify(status, output, hangs=hangs) is expected
    assert expected.is_killed == (expected in (Outcome.KILLED, Outcome.CRASH, Outcome.TIMEOUT))
