"""Names of files."""

from __future__ import annotations

from stackglass.pytest_plugin.recorder import name_file


def test_files_of_different_tests_differ() -> None:
    assert name_file("a/test_b.py::C::test_d", "cpu") == "a.test_b.py.C.test_d.cpu.pb.gz"
    tests = ["t.py::t[a/b]", "t.py::t[a b]", "t.py::t[a:b]", "t.py::t" + "x" * 300, "t.py::t[é]"]
    tests.append("t.py::t" + "\u6e2c" * 100)
    names = {name_file(test, "heap") for test in (*tests, "t.py::t" + "x" * 301)}
    assert len(names) == 7
    assert all(len(name.encode()) < 255 and "/" not in name for name in names)
