"""Names of functions: whether one is real, the user's own, an entry point; its package."""

from __future__ import annotations

import posixpath
import re
import sys
from functools import lru_cache
from typing import NamedTuple

from stackglass_viewer.model.profile.native_frames import find_library
from stackglass_viewer.model.profile.transforms import NOT_OWN

PARKED = "runtime.gopark"
"""The Go function in which every waiting goroutine is, whatever it waits for."""
_LIBRARY = re.compile(NOT_OWN)
# Names with angle brackets that are functions: Python's own, and C code in cProfile's files.
_COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_BRACKETED = ("<built-in ", "<method ", "<lambda>", *_COMPREHENSIONS)
_PLACEHOLDER = re.compile(r"<[^<>]*>$")
_UNNAMED = re.compile(r"\[.*\]$|<unknown>$|(?:[^\s:<>()]+: )?0x[0-9a-f]+$")
_ENTRY = re.compile(
    r"(?:^|\.)(?:main|<module>|_bootstrap(?:_inner)?|_run_code|_run_module_as_main|_run_module_code"
    r"|run_module|run_path)$"
    r"|^(?:threading\.|java[./]lang[./])?Thread\.run$"
    r"|^java[./]util[./]concurrent[./]ThreadPoolExecutor(?:\.runWorker|\$Worker\.run)$"
    r"|^runtime\.(?:main|goexit)|^(?:_start|start_thread|clone3?)$"
    r"|^__libc_start"
)
_LABEL_VALUE = re.compile(r"[^/(<]+ = |\(no [^()]+\)$")
_IMPORTING = re.compile(r"importlib\._bootstrap|^<frozen importlib")
_IMPORT = "_find_and_load"  # of importlib: the one function that every import goes through
_ABSOLUTE = re.compile(r"(?:[A-Za-z]:)?[/\\]")
# Names that several functions have where a tool writes no module or class.
_GENERIC = re.compile(
    r"[(<].*|__\w+__$|(?:anonymous|apply|call|callback|cb|dispatch|execute|fn|handle|inner|invoke"
    r"|next|process|run|visit|wrapped|wrapper)$"
)
_PYTHON_PACKAGE = re.compile(
    r"^(?P<folder>.*[/\\](?:(?P<installed>(?:site|dist)-packages)|lib[/\\]python[0-9.]+t?)[/\\])"
    r"(?P<package>[^/\\]+)"
)
_GO_STANDARD = re.compile(
    r"(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|"
    r"encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|"
    r"math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|"
    r"structs|sync|syscall|testing|text|time|unicode|unique|unsafe|vendor|weak)$"
)
_GO_LIBRARY = re.compile(r"/pkg/mod/|@v[0-9]|/vendor/")


class Package(NamedTuple):
    """Functions that belong together."""

    name: str  # as shown to the user: ``json (standard library)``, ``shop.py``
    pattern: str  # regular expression that matches their names or files


def is_real(name: str) -> bool:
    """Whether a name is that of a function, not a placeholder such as ``<native>``,
    ``[libc.so]``."""
    if name == PARKED or name.startswith("["):
        return False
    return name.startswith(_BRACKETED) or _PLACEHOLDER.match(name) is None


def is_unnamed(name: str) -> bool:
    """Whether a name stands for code without names: ``[libc.so]``, ``libz: 0x4f2``."""
    return bool(_UNNAMED.match(name))


def is_entry(name: str) -> bool:
    """Whether a function only begins a program or thread."""
    return bool(_ENTRY.search(name)) or is_label_value(name)


def is_label_value(name: str) -> bool:
    """Whether a name may be that of a box for a value of the label that the graph is split by.

    >>> [is_label_value(each) for each in ("route = /a", "(no route)", "app.route")]
    [True, True, False]
    """
    return bool(_LABEL_VALUE.match(name))


def is_generic(name: str) -> bool:
    """Whether several functions may share this name, so that their calls look recursive."""
    return bool(_GENERIC.match(name))


def is_importing(name: str, file: str) -> bool:
    """Whether a function belongs to Python's import system."""
    return bool(_IMPORTING.search(file) or _IMPORTING.search(name))


def is_import(name: str) -> bool:
    """Whether a function is the one that every import of a module goes through."""
    return name.endswith(_IMPORT) and not name.removesuffix(_IMPORT)[-1:].isalnum()


def is_mine(name: str, file: str) -> bool:
    """Whether a function of Python or Go is outside of the standard library and of installed
    packages."""
    if not is_real(name):
        return False
    if file.endswith(".go"):
        return not (_GO_STANDARD.match(_list_go_package(name)[0]) or _GO_LIBRARY.search(file))
    if not file.endswith(".py") or _LIBRARY.search(file) is not None:
        return False
    # py-spy shortens the files of libraries: "json/encoder.py".
    is_bare = "/" not in file and "\\" not in file
    return bool(_ABSOLUTE.match(file)) or (is_bare and file[:-3] not in sys.stdlib_module_names)


@lru_cache(maxsize=65536)
def find_package(name: str, file: str) -> Package | None:
    """Return the package of a function in a library, or the file of a Python function outside of
    libraries; None = not known."""
    library = find_library(name)
    if library:
        return Package(library, f"^{re.escape(library)}: ")
    if is_importing(name, file) or not is_real(name):
        return None
    if file.endswith(".go") or (file.endswith(".s") and "." in name):  # Go's assembler
        package = "/".join(_list_go_package(name))
        return Package(package, rf"^{re.escape(package)}\.")
    if not file.endswith(".py"):
        return None
    found = _PYTHON_PACKAGE.match(file)
    if found is None:
        shown = posixpath.basename(file.replace("\\", "/")) if _ABSOLUTE.match(file) else file
        return Package(shown, f"^{re.escape(file)}$")
    package = found["package"]
    shown = package.removesuffix(".py")
    if not found["installed"]:
        shown += " (standard library)"
    return Package(shown, f"^{re.escape(found['folder'] + package)}" + r"(?:$|[/\\])")


def _list_go_package(name: str) -> list[str]:
    """Return the parts of a Go function's import path: ``["encoding", "json"]``."""
    *folders, last = name.partition("[")[0].partition("(")[0].split("/")
    return [*folders, last.partition(".")[0]]
