"""The check of the engine's rooms (packaging/rooms.py) finds what breaks their order."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "rooms.py"
pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("nm") is None, reason="there is no cc, or no nm"
)

SOURCES = {
    "ground/base.h": "int sg_base(void);\n",
    "ground/base.c": '#include "ground/base.h"\nint sg_base(void) { return 1; }\n',
    "upper/top.h": "int sg_top(void);\n",
    "upper/top.c": '#include "ground/base.h"\nint sg_top(void) { return sg_base(); }\n',
    "apart/lonely.c": "int sg_lonely(void) { return 0; }\n",
    "module.c": '#include "upper/top.h"\nint sg_all(void) { return sg_top(); }\n',
}
TABLE = """\
rooms = ["ground", "upper", "apart"]
alone = ["apart"]
with_circles = []
exported = ["sg_all"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging/rooms.toml").write_text(TABLE)
    for name, text in SOURCES.items():
        write(tmp_path, name, text)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / "core/stackglass/native" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def find_faults(root: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(root)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.returncode in (0, 1)
    lines = done.stdout.splitlines()
    return lines if done.returncode else []


def test_what_only_runs_down_is_in_order(root: Path) -> None:
    assert find_faults(root) == []


def test_an_include_that_runs_up_is_found(root: Path) -> None:
    write(root, "ground/base.c", '#include "upper/top.h"\nint sg_base(void) { return 1; }\n')
    assert find_faults(root) == ["ground/base.c runs up: includes upper/top.h"]


def test_a_call_that_runs_up_is_found_without_an_include(root: Path) -> None:
    write(root, "ground/base.c", "int sg_top(void);\nint sg_base(void) { return sg_top(); }\n")
    assert find_faults(root) == ["ground/base.c runs up: calls sg_top of upper/top.c"]


def test_data_counts_as_a_call(root: Path) -> None:
    write(root, "upper/top.c", "int sg_top_value;\n")
    write(root, "ground/base.c", "extern int sg_top_value;\nint *sg_base = &sg_top_value;\n")
    write(root, "module.c", "\n")
    (fault,) = find_faults(root)
    assert fault == "ground/base.c runs up: calls sg_top_value of upper/top.c"


def test_an_exported_symbol_carries_its_files_name(root: Path) -> None:
    write(
        root,
        "ground/base.c",
        "int sg_base(void) { return 1; }\nint sg_ground_base_two(void) { return 2; }\n"
        "static int sg_private(void) { return 3; }\n"
        "int sg_basement(void) { return sg_private(); }\n",
    )
    (fault,) = find_faults(root)
    assert fault == "ground/base.c: sg_basement does not begin with its file's name"


def test_an_inline_function_carries_its_headers_name(root: Path) -> None:
    write(
        root,
        "ground/base.h",
        "int sg_base(void);\nstatic inline int sg_base_two(void) { return 2; }\n"
        "static inline const char *sg_third(void) { return 0; }\n",
    )
    (fault,) = find_faults(root)
    assert fault == "ground/base.h: sg_third does not begin with its file's name"


def test_a_room_that_stands_alone_uses_nothing(root: Path) -> None:
    write(root, "apart/lonely.c", '#include "ground/base.h"\nint sg_lonely(void) { return 0; }\n')
    (fault,) = find_faults(root)
    assert fault.startswith("apart/lonely.c reaches into a room that stands alone")


CIRCLE = {
    "upper/top.h": "int sg_top(void);\nint sg_top_two(void);\n",
    "upper/top.c": "int sg_side(void);\n"
    "int sg_top(void) { return sg_side(); }\nint sg_top_two(void) { return 2; }\n",
    "upper/side.c": "int sg_edge(void);\nint sg_side(void) { return sg_edge(); }\n",
    "upper/edge.c": '#include "upper/top.h"\nint sg_edge(void) { return 0; }\n',
}


def test_files_of_a_room_that_use_each_other_in_a_circle_are_found(root: Path) -> None:
    for name, text in CIRCLE.items():
        write(root, name, text)
    (fault,) = find_faults(root)
    assert fault == (
        "upper/edge.c is in a circle: it includes upper/top.h, which calls sg_side of upper/side.c,"
        " which calls sg_edge of upper/edge.c"
    )


def test_a_file_and_its_header_are_no_circle(root: Path) -> None:
    for name, text in CIRCLE.items():
        write(root, name, text)
    write(root, "upper/edge.c", "int sg_edge(void) { return 0; }\n")
    assert find_faults(root) == []


def test_circles_are_allowed_only_in_listed_rooms(root: Path) -> None:
    table = root / "packaging/rooms.toml"
    table.write_text(table.read_text().replace("with_circles = []", 'with_circles = ["upper"]'))
    for name, text in CIRCLE.items():
        write(root, name, text)
    assert find_faults(root) == []


def test_a_folder_that_is_no_room_is_found(root: Path) -> None:
    write(root, "attic/box.c", "int sg_box(void) { return 0; }\n")
    (fault,) = find_faults(root)
    assert fault == "core/stackglass/native/attic: not a room of packaging/rooms.toml"
