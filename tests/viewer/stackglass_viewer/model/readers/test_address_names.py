"""Lines of addresses: of what an address is given several times, the first or the last."""

from __future__ import annotations

import random

import numpy as np
import pytest

from stackglass_viewer.model.readers.address_names import AddressNames
from stackglass_viewer.model.readers.sample_columns import Symbol


@pytest.mark.parametrize("takes_last", [False, True])
def test_lines_are_those_of_a_dictionary(*, takes_last: bool) -> None:
    rng = random.Random(3)
    names, plain = AddressNames(takes_last=takes_last), dict[int, list[Symbol]]()
    for _ in range(300):
        address = rng.choice([0, 2**64 - 1, rng.randrange(200)])
        lines = [Symbol(f"f{rng.randrange(9)}", "", k) for k in range(rng.randrange(3))]
        names.add(address, lines)
        if takes_last or address not in plain:
            plain[address] = lines
    names.add_to_all(np.array([500, 501], dtype=np.uint64), Symbol("all", "a.py", 7))
    plain[500] = plain[501] = [Symbol("all", "a.py", 7)]
    addresses = [*range(600), 2**64 - 1]
    found = names.find(np.array(addresses, dtype=np.uint64))
    for number, address in enumerate(addresses):
        part = slice(int(found.start[number]), int(found.start[number + 1]))
        columns = (found.name[part], found.file[part], found.line[part])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        lines = [Symbol(names.texts[name], names.texts[file], line) for name, file, line in rows]
        assert lines == plain.get(address, [])


def test_without_names_no_address_has_lines() -> None:
    found = AddressNames().find(np.arange(3, dtype=np.uint64))
    assert found.start.tolist() == [0, 0, 0, 0]
    assert len(found.name) == len(found.file) == len(found.line) == 0
