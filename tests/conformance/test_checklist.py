"""Every number of the specification's checklist that this version promises has a test.

A test claims a number with a marker, which pytest collects (harness/checklist.py). That a claimed
test ran, and was not skipped everywhere, is judged at the end of a run of all tests, or of
``pytest -m checklist``, which runs only those.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.checklist import (
    PROMISED,
    WITHOUT_MUTANT,
    WITHOUT_TEST,
    collect_claims,
    has_all_claims,
    list_claims,
)
from harness.mutants import list_mutants
from harness.report import Table

TESTS = Path(__file__).resolve().parents[1]
_IN_TEXT = re.compile(
    r"[Cc]hecklist(?: numbers?)?:?\s+(\d+(?:(?:\s*[,–-]\s*|\s+and\s+|\s+to\s+)\d+)*)"
)
_IN_NAME = re.compile(r"^test_(\d+)_(?!bit)")


pytestmark = pytest.mark.timeout(
    600
)  # where it is not in the run, pytest collects all tests once more


@pytest.fixture(scope="module")
def claims(request: pytest.FixtureRequest) -> dict[int, set[str]]:
    if has_all_claims(request.config):
        return list_claims(request.session.items)
    return collect_claims()


def parse_numbers(text: str) -> set[int]:
    """Numbers in a docstring: "Checklist 5, 12-14 and 16" is 5, 12, 13, 14, 16."""
    numbers: set[int] = set()
    for match in _IN_TEXT.finditer(text):
        for low, high in re.findall(r"(\d+)(?:\s*(?:[–-]|to)\s*(\d+))?", match[1]):
            numbers |= set(range(int(low), int(high or low) + 1))
    return numbers


def test_numbers_are_understood() -> None:
    assert parse_numbers("Checklist 5, 12-14 and 16: and so on 99") == {5, 12, 13, 14, 16}


@pytest.mark.parametrize("number", PROMISED)
def test_every_promised_number_has_a_test(
    number: int, tables: dict[str, Table], claims: dict[int, set[str]]
) -> None:
    table = tables.setdefault(
        "checklist", Table("conformance checklist", "number", is_listing=True)
    )
    files = sorted({test.partition("::")[0] for test in claims.get(number, ())})
    table.put(str(number), "tested in", ", ".join(files) or WITHOUT_TEST.get(number, "-"))
    assert (number in claims) != (number in WITHOUT_TEST)


def test_a_mutant_is_killed_by_each_number(claims: dict[int, set[str]]) -> None:
    """A test proves a number if a fault makes it fail."""
    killing = {test.partition("[")[0] for mutant in list_mutants() for test in mutant.tests}
    without = {number for number, tests in claims.items() if not tests & killing}
    assert without == set(WITHOUT_MUTANT)


def test_a_name_or_docstring_with_a_number_has_its_marker(claims: dict[int, set[str]]) -> None:
    """A reader takes the text for a claim; only the marker is one."""
    wrong = []
    for path in sorted(TESTS.rglob("test_*.py")):
        if path == Path(__file__) or "targets" in path.parts:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            numbers = parse_numbers(ast.get_docstring(node) or "")
            if match := _IN_NAME.match(node.name):
                numbers.add(int(match[1]))
            test = f"tests/{path.relative_to(TESTS)}::{node.name}"
            wrong += [(test, n) for n in sorted(numbers) if test not in claims.get(n, set())]
    assert wrong == []


SKIPPED_EVERYWHERE = """\
import pytest
@pytest.mark.checklist(1)
@pytest.mark.parametrize("python", ["3.9", "3.15"])
def test_it(python): {body}
"""


@pytest.mark.parametrize(
    ("body", "is_proven"),
    [
        ("pass", True),
        ("assert False", False),
        ("pytest.skip('not here')", False),
        ("python == '3.9' and pytest.skip('not here')", True),
        ("assert python == '3.9'", False),
    ],
)
def test_a_number_is_proven_by_a_test_that_ran(tmp_path: Path, body: str, is_proven: bool) -> None:
    """The plugin by itself, in a run of one promised number."""
    (tmp_path / "conftest.py").write_text(
        "from harness import checklist\n"
        "checklist.PROMISED = (1,)\n"
        "checklist.Checklist._is_whole = lambda self: True\n"
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--list-checklist', action='store_true')\n"
        "def pytest_configure(config):\n"
        "    config.addinivalue_line('markers', 'checklist(n): claims')\n"
        "    config.pluginmanager.register(checklist.Checklist(config))\n"
    )
    (tmp_path / "test_it.py").write_text(SKIPPED_EVERYWHERE.format(body=body))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--rootdir", tmp_path, f"--override-ini=pythonpath={TESTS}", tmp_path),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == is_proven, done.stdout + done.stderr
    assert ("checklist 1 is not proven" in done.stdout) != is_proven
