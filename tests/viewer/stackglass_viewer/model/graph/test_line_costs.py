"""What lines of a file cost: recursion, inlined calls, functions that share a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.line_costs import LineCosts, list_definitions, sum_lines
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile

Place = tuple[str, str, int]  # function, file, line

MAIN, WORK, LOOP = ("main", "/src/a.py", 20), ("work", "/src/a.py", 5), ("work", "/src/a.py", 7)
NESTED, OTHER = ("work.<genexpr>", "/src/a.py", 7), ("parse", "/src/b.py", 7)


def write_profile(path: Path, samples: list[tuple[int, list[list[Place]]]]) -> Profile:
    """Samples with a value and locations, leaf first; each location has lines, innermost first."""
    message = Message(string_table=["", "cpu", "nanoseconds"])
    message.sample_type.add(type=1, unit=2)
    functions: dict[tuple[str, str], int] = {}
    for value, stack in samples:
        sample = message.sample.add(value=[value])
        for lines in stack:
            location = message.location.add(id=len(message.location) + 1)
            sample.location_id.append(location.id)
            for name, file, line in lines:
                if (name, file) not in functions:
                    functions[name, file] = len(functions) + 1
                    message.string_table.extend([name, file])
                    n = len(message.string_table)
                    message.function.add(id=len(functions), name=n - 2, filename=n - 1)
                location.line.add(function_id=functions[name, file], line=line)
    path.write_bytes(message.SerializeToString())
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def list_costs(costs: LineCosts) -> dict[int, tuple[int, int]]:
    columns = (costs.number.tolist(), costs.flat.tolist(), costs.cum.tolist())
    return {number: (flat, cum) for number, flat, cum in zip(*columns, strict=True)}


def sum_file(profile: Profile, file: str, name: str = "", trim: str = "") -> LineCosts:
    return sum_lines(profile, TypeId(0), file, name, PathTrim(trim))


def test_a_line_has_what_ends_in_it_and_what_goes_through_it(tmp_path: Path) -> None:
    profile = write_profile(
        tmp_path / "p.pb", [(10, [[WORK], [MAIN]]), (4, [[OTHER], [LOOP], [MAIN]]), (1, [[MAIN]])]
    )
    assert list_costs(sum_file(profile, "/src/a.py")) == {5: (10, 10), 7: (0, 4), 20: (1, 15)}
    assert list_costs(sum_file(profile, "/src/b.py")) == {7: (4, 4)}


def test_recursion_counts_once(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK], [LOOP], [LOOP], [MAIN]])])
    assert list_costs(sum_file(profile, "/src/a.py")) == {5: (10, 10), 7: (0, 10), 20: (0, 10)}


def test_functions_that_share_a_line_count_once(tmp_path: Path) -> None:
    """A generator expression and the function around it: one line, one sample."""
    profile = write_profile(tmp_path / "p.pb", [(10, [[NESTED], [LOOP], [MAIN]])])
    assert list_costs(sum_file(profile, "/src/a.py"))[7] == (10, 10)


def test_inlined_calls_end_in_the_innermost_line(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK, MAIN]]), (5, [[OTHER, LOOP]])])
    assert list_costs(sum_file(profile, "/src/a.py")) == {5: (10, 10), 7: (0, 5), 20: (0, 10)}


def test_values_below_zero_are_summed_with_their_signs(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK]]), (-25, [[WORK], [MAIN]])])
    assert list_costs(sum_file(profile, "/src/a.py")) == {5: (-15, -15), 20: (0, -25)}


def test_the_lines_of_the_chosen_function_are_marked(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK], [LOOP], [MAIN]])])
    costs = sum_file(profile, "/src/a.py", "work")
    assert costs.number[costs.is_of_function].tolist() == [5, 7]


def test_a_path_may_be_trimmed(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK]])])
    assert list_costs(sum_file(profile, "a.py", trim="/src")) == {5: (10, 10)}
    assert list_costs(sum_file(profile, "a.py")) == {}


def test_an_unknown_file_has_no_lines(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "p.pb", [(10, [[WORK]]), (3, [])])
    costs = sum_file(profile, "/src/none.py")
    assert len(costs.number) == len(costs.flat) == len(costs.cum) == 0


def test_a_table_of_functions_has_costs_where_they_begin() -> None:
    def column(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(values, np.int64)

    names, files = ("work", "load", "parse"), ("/src/a.py", "/src/a.py", "/src/b.py")
    top = TopTable(
        names, files, column(1, 2, 4), column(10, 20, 40), None, 7, "ns", column(5, 9, 5)
    )
    costs = list_definitions(top, "/src/a.py", "work")
    assert list_costs(costs) == {5: (1, 10), 9: (2, 20)}
    assert costs.is_of_function.tolist() == [True, False]
