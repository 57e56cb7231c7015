"""Order of siblings that are laid out again, beside a plain search for each of them."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import numpy as np
import pytest

from harness.compiled import compile_library
from stackglass_viewer.native import _loops

SOURCES = Path(_loops.__file__).parent


def pull(sizes: list[int], spread: float, enough: float) -> tuple[list[int], int]:
    """Return the children, given by their old places, in their new order, and the calls."""
    library = ctypes.CDLL(
        compile_library("ordered_siblings.c", "now", "-finstrument-functions", f"-I{SOURCES}")
    )
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.pull_counted.argtypes = (pointer, ctypes.c_double, ctypes.c_double, pointer, size)
    library.pull_counted.restype = size
    given = np.array(sizes, dtype=np.int64)
    children = np.arange(len(sizes), dtype=np.int32)
    n_calls = library.pull_counted(
        given.ctypes.data, spread, enough, children.ctypes.data, len(sizes)
    )
    return children.tolist(), n_calls


def pull_plainly(sizes: list[int], spread: float, enough: float) -> list[int]:
    order: list[int] = []
    for child, size in enumerate(sizes):
        for at, other in enumerate(order):
            more = size - sizes[other]
            is_beyond = more > enough or more * more > spread * (size + sizes[other])
            if more > sizes[other] // 5 and is_beyond:
                order.insert(at, child)
                break
        else:
            order.append(child)
    return order


@pytest.mark.parametrize("n", [1, 2, 64, 65, 66, 200, 513])
@pytest.mark.parametrize("most", [3, 50, 10**4, 10**12])
def test_the_order_is_that_of_a_plain_search(n: int, most: int) -> None:
    chance = random.Random(n + most)
    for spread, enough in ((0.0, 0.0), (6.0, most / 16), (6.0 * most, most / 3), (1e30, 1e30)):
        sizes = [chance.randrange(1, most + 1) for _ in range(n)]
        for given in (sizes, sorted(sizes), sorted(sizes, reverse=True)):
            assert pull(given, spread, enough)[0] == pull_plainly(given, spread, enough)


@pytest.mark.parametrize("kind", ["ascending", "large last", "in pairs"])
def test_a_child_does_not_go_through_all_siblings(kind: str) -> None:
    n = 4000
    sizes = {
        "ascending": [10 + child for child in range(n)],
        "large last": [*range(2 * n, n, -1), *(3 * n + child for child in range(n))],
        "in pairs": [10 * n + child if child % 2 else 4 * n - child for child in range(2 * n)],
    }[kind]
    assert pull(sizes, 6.0, 1e30)[1] < len(sizes) * 60
