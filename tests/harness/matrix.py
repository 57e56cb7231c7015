"""Choice of the Pythons that a test runs on, and of its cases on each.

An ordinary run takes one build of each version (``each_python``), or three versions where more
would show nothing new (``some_pythons``). Where cases and versions do not depend on each other,
``cover`` takes each version once and each case once:

             3.9  3.10  3.11  3.12  3.13
    case 1    x                 x
    case 2          x                 x
    case 3               x

The other combinations are marked ``all_pythons``, and run with ``pytest --all-pythons``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from _pytest.mark import ParameterSet  # public only as pytest.param

from harness.pythons import Python, pythons_with_gil

PYTHONS = pythons_with_gil()
NEWEST = PYTHONS[-1]
# The last build found of each version. Other builds of a version have the same structures.
ONE_EACH = tuple({python.minor: python for python in PYTHONS}.values())
# Builds of three versions: one whose frames are objects, one whose frames are on a stack and whose
# interpreter publishes their offsets, and the newest one.
SOME = [python for python in PYTHONS if python.minor in (9, 13, 15)] or list(PYTHONS[:1])


def choose_pythons(chosen: Sequence[Python], every: Sequence[Python]) -> pytest.MarkDecorator:
    """Parametrize ``python`` by ``chosen`` in an ordinary run, otherwise by ``every``."""
    return pytest.mark.parametrize(
        "python",
        [pytest.param(one, marks=_mark(one in chosen), id=one.label) for one in every],
    )


def cover(
    names: str, cases: Sequence[object], pythons: Sequence[Python] = ONE_EACH
) -> pytest.MarkDecorator:
    """Parametrize ``python`` and ``names``, as `pytest.mark.parametrize` has it: the product.

    An ordinary run takes of it each of ``pythons`` and each case, as often as the longer of both
    lists has entries. A case is a value, or a tuple where there are several names; it is called by
    its values, which are text, or by the id of a ``pytest.param``.
    """
    n = min(len(pythons), len(cases))
    every = PYTHONS if pythons is ONE_EACH else pythons
    products = []
    for python in every:
        place = pythons.index(python) if python in pythons else -1
        for row, case in enumerate(cases):
            param = _to_param(case)
            is_chosen = place >= 0 and place % n == row % n
            products.append(
                pytest.param(
                    python,
                    *param.values,
                    marks=(*param.marks, *_mark(is_chosen)),
                    id=f"{param.id or '-'.join(map(str, param.values))}-{python.label}",
                )
            )
    return pytest.mark.parametrize(f"python, {names}", products)


def split_items(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Split items into those of an ordinary run and the others, both in order."""
    taken: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (left_out if item.get_closest_marker("all_pythons") else taken).append(item)
    return taken, left_out


def _to_param(case: object) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)


def _mark(is_chosen: bool) -> tuple[pytest.MarkDecorator, ...]:
    return () if is_chosen else (pytest.mark.all_pythons,)


each_python = choose_pythons(ONE_EACH, PYTHONS)
some_pythons = choose_pythons(ONE_EACH, SOME)
