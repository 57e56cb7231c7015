"""What begins with a path of calls: compared with the whole tree, also of inlined calls."""

from __future__ import annotations

from pathlib import Path

from harness.inlined_profile import write_inlined
from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.profile.call_paths import keep_path, write_path
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

Path_ = tuple[str, ...]


def list_paths(profile: Profile, sample_type: TypeId) -> dict[Path_, int]:
    """Own values by path; a node without an own value has 0."""
    tree = build_call_tree(profile)
    own = sum_type(tree, profile, sample_type).own.tolist()
    paths: list[Path_] = [()]
    for node in range(1, tree.n_nodes):
        name = tree.frame_name[int(tree.frame[node])]
        paths.append((*paths[int(tree.parent[node])], name))
    return dict(zip(paths, own, strict=True))


def check_all(profile: Profile, sample_type: TypeId) -> int:
    """Each path that there is, and returns how many there are."""
    whole = list_paths(profile, sample_type)
    for path in whole:
        if not path:
            continue
        n_callers = len(path) - 1
        expected = {
            each[n_callers:]: own for each, own in whole.items() if each[: len(path)] == path
        }
        changed = keep_path(profile, write_path(path))
        found = list_paths(changed, sample_type)
        assert found == {(): 0, **expected}, path
        assert changed.functions is profile.functions
    return len(whole)


def test_lines_of_inlined_calls_are_calls(tmp_path: Path) -> None:
    path = tmp_path / "p.pb"
    write_inlined(path)
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert check_all(profile, TypeId(0)) > 30


def test_recursion_and_a_name_of_two_lines(tmp_path: Path) -> None:
    text = "main;work;parse 30\nmain;save 20\nmain;work;work;parse;parse 5\nwork;parse 7"
    assert check_all(read_stacks(text, tmp_path), TypeId(1)) == 10
    odd = (("a\nb",), ("a b",))
    assert write_path(odd[0]) == write_path(odd[1]), "one line for each function"


def test_a_path_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    profile = read_stacks("main;work 30\nmain 1", tmp_path)
    for path in ("work", "main\nwork\nwork", "other", ""):
        assert keep_path(profile, path).n_samples == 0
