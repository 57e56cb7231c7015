"""Function names: the module from the file's place, as DESIGN's names go."""

from __future__ import annotations

import pytest

from native import _core_testing as core

PATHS = (
    "/usr/lib/python3.11",
    "/usr/lib/python3.11/lib-dynload/",
    "/usr/lib/python3/dist-packages",
    "/usr/lib",
    "/srv/app",
    "/srv/bundle.zip",
    "relative",
    "",
)
MAIN = "/srv/app/main.py"


@pytest.mark.parametrize(
    ("filename", "module"),
    [
        ("/usr/lib/python3.11/json/decoder.py", "json.decoder"),
        ("/usr/lib/python3.11/json/__init__.py", "json"),
        ("/usr/lib/python3/dist-packages/yaml/__init__.py", "yaml"),
        ("/usr/lib/python3.11/os.py", "os"),
        ("/srv/bundle.zip/package/module.pyc", "package.module"),
        ("/srv/app/main.py", "__main__"),
        ("/srv/app/shop/cart.py", "shop.cart"),
        ("/srv/application/cart.py", "cart"),
        ("/nowhere/known/tool.py", "tool"),
        ("relative/thing.py", "relative.thing"),
        ("./thing.py", "thing"),
        ("/srv/app/script", "script"),
        ("<frozen importlib._bootstrap>", "importlib._bootstrap"),
        ("<frozen zipimport>", "zipimport"),
        ("<string>", "<string>"),
        ("/tmp/ipykernel_4711/3979488051.py", "__main__"),
        ("/var/folders/x/ipykernel_4711/39.py", "__main__"),
        ("/srv/app/ipykernel_tests/1.py", "ipykernel_tests.1"),
        ("/tmp/ipykernel_4711/helper.py", "helper"),
        ("/tmp/ipykernel_4711/.py", ".py"),
        ("<ipython-input-1-9f2a>", "__main__"),
        ("<attrs generated init shop.Cart>", "<attrs generated init shop.Cart>"),
        ("<frozen ", "<frozen "),
        ("/srv/app/größe.py", "größe"),
    ],
)
def test_module_is_what_is_left_below_the_longest_path(filename: str, module: str) -> None:
    assert core.full_name(PATHS, MAIN, filename, "Cart.add") == f"{module}.Cart.add"


def test_a_file_without_a_name_leaves_the_qualified_name() -> None:
    assert core.full_name(PATHS, MAIN, "", "f") == "f"


def test_a_program_without_a_main_file_has_none() -> None:
    assert core.full_name(PATHS, None, MAIN, "f") == "main.f"


def test_more_paths_than_can_be_kept_are_ignored() -> None:
    many = tuple(f"/path/{i}" for i in range(1000))
    assert core.full_name(many, None, "/path/0/a/b.py", "f") == "a.b.f"
    assert core.full_name(many, None, "/path/999/a/b.py", "f") == "b.f"
