"""Import order: each module after those that it imports itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stackglass_viewer.import_order import list_in_order

FILES = {
    "ordered/__init__.py": "",
    "ordered/top.py": (
        "from __future__ import annotations\n"
        "from typing import TYPE_CHECKING\n"
        "from ordered.rooms import left, right as other\n"
        "from ordered.rooms.deep import (\n    VALUE,\n    inner,\n)\n"
        "from ordered.base import NAME\n"
        "if TYPE_CHECKING:\n    from ordered.types_alone import Kind\n"
        "def later():\n    from ordered.late import work\n"
    ),
    "ordered/base.py": "from os import path\nNAME = 1\n",
    "ordered/types_alone.py": "Kind = int\n",
    "ordered/late.py": "from ordered.base import NAME as work\n",
    "ordered/rooms/__init__.py": "",
    "ordered/rooms/left.py": "from ordered.base import NAME\nfrom ordered.rooms import right\n",
    "ordered/rooms/right.py": "from ordered.base import NAME\n",
    "ordered/rooms/deep/__init__.py": "VALUE = 2\n",
    "ordered/rooms/deep/inner.py": "from ordered.rooms.left import NAME\n",
}


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "ordered"]:
        monkeypatch.delitem(sys.modules, name)


def is_own(name: str) -> bool:
    return name.startswith("ordered.")


def test_a_module_comes_after_those_that_it_imports() -> None:
    assert list(list_in_order("ordered.top", is_own)) == [
        "ordered.rooms",
        "ordered.base",
        "ordered.rooms.right",
        "ordered.rooms.left",
        "ordered.rooms.deep",
        "ordered.rooms.deep.inner",
        "ordered.top",
    ]


def test_what_is_not_wanted_is_left_out_with_its_imports() -> None:
    without = list(
        list_in_order("ordered.top", lambda name: is_own(name) and not name.endswith("inner"))
    )
    assert "ordered.rooms.deep.inner" not in without
    listed = {"ordered.base", "ordered.rooms.left"}
    names = list(list_in_order("ordered.top", is_own, listed))
    assert not {"ordered.base", "ordered.rooms.left"} & set(names)
    assert "ordered.rooms.right" in names, "others import it, too"
    assert listed >= set(names)
    assert not list(list_in_order("ordered.top", is_own, listed))


def test_it_imports_nothing_but_packages() -> None:
    assert list(list_in_order("ordered.top", is_own))
    new = {name for name in sys.modules if name.partition(".")[0] == "ordered"}
    assert new <= {"ordered", "ordered.rooms", "ordered.rooms.deep"}


def test_modules_without_a_source_have_no_imports() -> None:
    assert list(list_in_order("_thread", lambda _: True)) == ["_thread"]
    assert list(list_in_order("ordered.no_such_module", is_own)) == ["ordered.no_such_module"]
