"""What steps leave of stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import (
    NOT_OWN,
    Transform,
    TransformKind,
    transform_profile,
)

STACKS = "main;work;parse 30\nmain;save 20\nmain;work;work;parse;parse 5\nmain;work 1"


def list_stacks(profile: Profile) -> dict[str, int]:
    """Stack, root first → value."""
    names = [profile.strings[name] for name in profile.functions.name.tolist()]
    lines = profile.locations.line_function
    begins = profile.locations.line_start[:-1].clip(max=len(lines) - 1)  # some may have no line
    function = lines[begins].tolist()
    sums: dict[str, int] = {}
    start = profile.samples.stack_start.tolist()
    for sample in range(profile.n_samples):
        stack = profile.samples.stack[start[sample] : start[sample + 1]].tolist()
        text = ";".join(names[function[location]] for location in reversed(stack))
        sums[text] = sums.get(text, 0) + int(profile.samples.values[1][sample])
    return sums


@pytest.mark.parametrize(
    ("steps", "stacks"),
    [
        ([("focus", "save")], {"main;save": 20}),
        ([("drop", "parse")], {"main;save": 20, "main;work": 1}),
        ([("subtree", "work")], {"work;parse": 30, "work;work;parse;parse": 5, "work": 1}),
        (
            [("call_path", "main")],
            {
                "main;work;parse": 30,
                "main;save": 20,
                "main;work;work;parse;parse": 5,
                "main;work": 1,
            },
        ),
        (
            [("call_path", "main\nwork")],
            {"work;parse": 30, "work;work;parse;parse": 5, "work": 1},
        ),
        ([("call_path", "main\nwork\nwork")], {"work;parse;parse": 5}),
        ([("call_path", "main\nwork\nparse")], {"parse": 30}),
        ([("call_path", "work")], {}),  # from the root
        ([("call_path", "main\nwork\nlost")], {}),
        ([("call_path", "main\nwork"), ("call_path", "work\nparse")], {"parse": 30}),
        ([("merge", "work"), ("call_path", "main\nparse")], {"parse": 30, "parse;parse": 5}),
        ([("recursion", ""), ("call_path", "main\nwork\nparse")], {"parse": 35}),
        (
            [("merge", "work")],
            {"main;parse": 30, "main;save": 20, "main;parse;parse": 5, "main": 1},
        ),
        ([("merge_file", "main.py"), ("focus", "save")], {"save": 20}),
        ([("recursion", "")], {"main;work;parse": 35, "main;save": 20, "main;work": 1}),
        ([("merge", "work"), ("recursion", "")], {"main;parse": 35, "main;save": 20, "main": 1}),
        ([("focus", "parse"), ("focus", "save")], {}),
        ([("focus", "par")], {}),  # names are whole
        ([("focus_match", "^sa")], {"main;save": 20}),
        ([("drop_match", "pars?e")], {"main;save": 20, "main;work": 1}),
        (
            [("subtree_match", "ork|ave")],
            {"work;parse": 30, "save": 20, "work;work;parse;parse": 5, "work": 1},
        ),
        ([("merge_match", "wo|pa")], {"main": 36, "main;save": 20}),
        (
            [("show_match", "^(work|parse)$")],
            {"work;parse": 30, "work;work;parse;parse": 5, "work": 1},
        ),
        ([("focus_match", r"save\.py")], {"main;save": 20}),  # of a file
    ],
)
def test_steps(steps: list[tuple[str, str]], stacks: dict[str, int], tmp_path: Path) -> None:
    chosen = [Transform(TransformKind(kind), name) for kind, name in steps]
    profile = read_stacks(STACKS, tmp_path)
    changed = transform_profile(profile, chosen)
    assert list_stacks(changed) == stacks
    assert changed.warnings == profile.warnings
    assert changed.functions is profile.functions  # they keep their numbers


def test_no_step_leaves_the_profile(tmp_path: Path) -> None:
    profile = read_stacks(STACKS, tmp_path)
    assert transform_profile(profile, ()) is profile


@pytest.mark.parametrize(
    ("file", "is_own"),
    [
        ("/srv/me/shop/library/cart.py", True),
        ("/srv/me/lib/python/cart.py", True),
        ("/usr/lib/python3.11/json/decoder.py", False),
        ("/opt/lib/python3.13t/threading.py", False),
        ("/venv/lib/python3.12/site-packages/flask/app.py", False),
        ("/usr/lib/python3/dist-packages/apt/cache.py", False),
        (r"C:\Users\me\AppData\Local\Programs\Python\Python312\Lib\json\decoder.py", False),
        (r"C:\Python312\Lib\json\decoder.py", False),
        ("<frozen importlib._bootstrap>", False),
        ("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", False),
        ("/srv/me/shop/speed.cpython-311-x86_64-linux-gnu.so", False),
        ("/srv/me/shop/not.so/cart.py", True),
        ("shop.py", True),
    ],
)
def test_own_code(file: str, is_own: bool) -> None:
    assert compile_pattern(NOT_OWN)(file) is not is_own


def test_a_package_is_the_function_that_is_called_from_outside(tmp_path: Path) -> None:
    text = (
        "main;json.dumps;json.Encoder.encode;json.Encoder.iterate 5\n"
        "main;json.dumps;other.call;json.Encoder.encode 3\n"
        "json.loads;json.decode 2\nmain;jsonify.run;jsonify.end 1\nlibz: a;libz: b 1"
    )
    profile = read_stacks(text, tmp_path)
    assert list_stacks(transform_profile(profile, [Transform(TransformKind.PACKAGE, "json")])) == {
        "main;json.dumps": 5,
        "main;json.dumps;other.call;json.Encoder.encode": 3,
        "json.loads": 2,
        "main;jsonify.run;jsonify.end": 1,
        "libz: a;libz: b": 1,
    }
    of_library = transform_profile(profile, [Transform(TransformKind.PACKAGE, "libz")])
    assert list_stacks(of_library)["libz: a"] == 1
