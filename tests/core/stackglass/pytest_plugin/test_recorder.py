"""Names of profiles and files."""

from __future__ import annotations

import pytest

from stackglass.errors import UsageError
from stackglass.pytest_plugin.recorder import name_file, read_names


def test_profiles_are_named_once() -> None:
    assert read_names("cpu,heap,cpu") == ("cpu", "heap")
    assert read_names("") == ("cpu",)
    with pytest.raises(UsageError, match="exclude each other"):
        read_names("wall,cpu")


def test_files_of_different_tests_differ() -> None:
    assert name_file("a/test_b.py::C::test_d", "cpu") == "a.test_b.py.C.test_d.cpu.pb.gz"
    tests = ["t.py::t[a/b]", "t.py::t[a b]", "t.py::t[a:b]", "t.py::t" + "x" * 300, "t.py::t[é]"]
    names = {name_file(test, "heap") for test in (*tests, "t.py::t" + "x" * 301)}
    assert len(names) == 6
    assert all(len(name.encode()) < 255 and "/" not in name for name in names)
