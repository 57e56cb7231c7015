"""Which cases of a test an ordinary run takes: every Python, and every case."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

from harness.matrix import (
    ONE_EACH,
    PYTHONS,
    SOME,
    choose_pythons,
    cover,
    some_pythons,
    split_items,
)
from harness.pythons import Python

FOUR = tuple(Python(f"/p{minor}", f"3.{minor}.0", False, "given") for minor in range(9, 13))
LETTERS = ["a", "b", "c", "d", "e"]


def list_params(mark: pytest.MarkDecorator) -> list[ParameterSet]:
    return list(mark.mark.args[1])


def list_chosen(mark: pytest.MarkDecorator) -> list[tuple[object, ...]]:
    return [tuple(one.values) for one in list_params(mark) if not one.marks]


@pytest.mark.parametrize("n_cases", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("n_pythons", [1, 3, 4])
def test_each_python_and_each_case_is_covered(n_pythons: int, n_cases: int) -> None:
    pythons, cases = FOUR[:n_pythons], LETTERS[:n_cases]
    mark = cover("letter", cases, pythons)
    assert len(list_params(mark)) == n_pythons * n_cases
    chosen = list_chosen(mark)
    assert {python for python, _ in chosen} == set(pythons)
    assert {case for _, case in chosen} == set(cases)
    assert len(chosen) == max(n_pythons, n_cases)


def test_a_case_keeps_its_marks_and_names() -> None:
    alone = pytest.mark.alone("a reason")
    cases = [("a", "b"), pytest.param("c", "d", marks=alone, id="other")]
    first, second, third, fourth = list_params(cover("left, right", cases, FOUR[:2]))
    assert first.values == (FOUR[0], "a", "b")
    assert [one.id for one in (first, second)] == ["a-b-3.9.0-given", "other-3.9.0-given"]
    assert [mark.name for mark in second.marks] == ["alone", "all_pythons"]
    assert [mark.name for mark in third.marks] == ["all_pythons"]
    assert [mark.name for mark in fourth.marks] == ["alone"]


def test_one_build_of_each_version() -> None:
    assert {python.minor for python in PYTHONS} == {python.minor for python in ONE_EACH}
    assert len({python.minor for python in ONE_EACH}) == len(ONE_EACH)
    chosen = list_chosen(choose_pythons(SOME, PYTHONS))
    assert [python for (python,) in chosen] == list(SOME)
    assert [python for (python,) in list_chosen(some_pythons)] == [
        python for python in SOME if python in ONE_EACH
    ]
    assert len(list_chosen(cover("letter", ["a"]))) == len(ONE_EACH)
    assert len(list_params(cover("letter", ["a"]))) == len(PYTHONS)


@choose_pythons(FOUR[:1], FOUR)
def test_what_is_not_chosen_is_left_out(python: Python, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--all-pythons"):
        assert python in FOUR
    else:
        assert python == FOUR[0]
    taken, left_out = split_items([request.node])
    assert (len(taken), len(left_out)) == ((1, 0) if python == FOUR[0] else (0, 1))
