"""Which functions are one's own, which only begin a program, and to which package they belong."""

from __future__ import annotations

import re

from stackglass_viewer.model.findings.names import (
    find_package,
    is_entry,
    is_generic,
    is_import,
    is_importing,
    is_mine,
    is_real,
    is_unnamed,
)

SITE = "/venv/lib/python3.11/site-packages/"


def test_own_code() -> None:
    assert is_mine("__main__.work", "/app/web.py")
    assert not is_mine("json.dumps", "/usr/lib/python3.11/json/__init__.py")
    assert not is_mine("flask.run", f"{SITE}flask/app.py")
    assert not is_mine("JSONEncoder.encode", "json/encoder.py")  # as py-spy shortens it
    assert not is_mine("walk", "ast.py")
    assert is_mine("walk", "shop.py")
    assert is_mine("walk", r"C:\app\shop.py")
    assert is_mine("main.work.func1", "/src/main.go")
    assert is_mine("github.com/me/app/db.(*Conn).Query", "/src/db/conn.go")
    assert not is_mine("encoding/json.Marshal", "/usr/local/go/src/encoding/json/encode.go")
    assert not is_mine("runtime.gopark", "runtime/proc.go")
    assert not is_mine("github.com/x/y.Z", "/go/pkg/mod/github.com/x/y@v1.2.3/z.go")
    assert not is_mine("work(int)", "/src/work.cc")  # not known
    assert not is_mine("<native>", "/app/web.py")


def test_placeholders_are_no_functions() -> None:
    names = ("<native>", "<lost samples>", "[libc.so]", "runtime.gopark")
    assert not any(map(is_real, names))
    others = ("<string>.parse.<locals>.<listcomp>", "<lambda>", "<method 'read' of 'x' objects>")
    assert all(map(is_real, others))


def test_entry_points() -> None:
    for name in ("main", "__main__.<module>", "runpy._run_code", "threading.Thread.run", "_start"):
        assert is_entry(name), name
    pool = "java/util/concurrent/ThreadPoolExecutor"
    for name in ("java/lang/Thread.run", f"{pool}.runWorker", f"{pool}$Worker.run"):
        assert is_entry(name), name
    assert is_entry("thread = clerk 1")
    for name in ("domain", "shop.remain", "Shop.run", "runtime.mallocgc", "a == b"):
        assert not is_entry(name), name


def test_names_that_several_functions_have() -> None:
    assert all(map(is_generic, ("(anonymous)", "<lambda>", "__call__", "wrapper", "run")))
    assert not any(map(is_generic, ("main.next", "fib", "shop.run", "runner", "__main__.walk")))


def test_imports() -> None:
    assert is_import("importlib._bootstrap._find_and_load")
    assert is_import("_find_and_load")
    assert not is_import("importlib._bootstrap._find_and_load_unlocked")
    assert is_importing("_call_with_frames_removed", "<frozen importlib._bootstrap>")
    assert not is_importing("importlib.resources.files", "/usr/lib/python3.11/importlib/a.py")


def test_code_without_names() -> None:
    assert all(map(is_unnamed, ("[libc.so.6]", "<unknown>", "0x7f3a", "libz: 0x4f2")))
    assert not any(map(is_unnamed, ("<gc>", "libz: inflate", "std::vector<int>::at", "list[int]")))


def check(name: str, file: str, shown: str, *, others: tuple[str, ...] = ()) -> None:
    """Check that the package's pattern matches the function's name or file and nothing else."""
    package = find_package(name, file)
    assert package is not None
    assert package.name == shown
    assert any(re.search(package.pattern, text) for text in (name, file))
    assert not any(re.search(package.pattern, other) for other in others)


def test_packages() -> None:
    lib = "/usr/lib/python3.11/"
    check("dumps", f"{lib}json/encoder.py", "json (standard library)", others=(f"{lib}jsonx/a.py",))
    check("ast.walk", f"{lib}ast.py", "ast (standard library)", others=(f"{lib}ast.pyc",))
    check("flask.app.run", f"{SITE}flask/app.py", "flask", others=(f"{SITE}flask_login/a.py",))
    check("__main__.work", "/app/web.py", "web.py", others=("/app/web.pyi", "/b/app/web.py"))
    check("encode", "json/encoder.py", "json/encoder.py", others=("xjson/encoder.py",))
    check("encoding/json.Marshal", "json.go", "encoding/json", others=("encoding/json2.x",))
    check("net/http.(*conn).serve", "server.go", "net/http")
    check("libz: inflate", "", "libz")
    for name, file in (("work(int)", "a.cc"), ("_find", "<frozen importlib._bootstrap>")):
        assert find_package(name, file) is None
