"""Checks of the sources that do not run them.

    python packaging/check.py            report findings; exit 1 if there are any
    python packaging/check.py --fix      format, sort imports, wrap Markdown, fix what lint can fix

Each check prints one line, and its findings if there are any. A check whose tool is missing says
that it was skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import class_shapes
import markdown_wrapping
import room_pages
import text_rules

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("core", "viewer", "resources")
TEST_FOLDERS = (
    "conformance",
    "contract",
    "core",
    "corpus",
    "harness",
    "integration",
    "mutants",
    "native",
    "soak",
    "torture",
    "viewer",
)
LONGEST_FILE_LINES = 400
GENERATED = (
    ROOT / "core/stackglass/wire/messages.py",
    ROOT / "core/stackglass/wire/tags.py",
    ROOT / "core/stackglass/native/wire/tags.h",
)
_BIN = Path(sys.executable).parent
# Home folders: a path in them is valid on one machine only.
_OWN_FOLDERS = re.compile(r"(?<![\w.])/(?:root|home/\w+)/")
_OF_OTHERS = ROOT / "tests/corpus/google-pprof"  # files of other projects, unchanged
_WORD_LISTS = ("text_rules.py", "test_text_rules.py")  # these files name the words to avoid


class Result(NamedTuple):
    """Findings of a check; "" = none. ``note`` is printed beside the check's name."""

    findings: str
    note: str = ""


def list_tracked(*suffixes: str) -> list[Path]:
    """Return the files that git knows or would add, with one of the suffixes."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:  # an unpacked source archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith((".venv/", "build/", "dist/"))]
    files = [ROOT / name for name in sorted(set(names))]
    return [path for path in files if path.is_file() and path.name.endswith(suffixes or ("",))]


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run a command. Returns its output if it fails; "" if it succeeds."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip() or "failed"


def check_python_format(is_fixing: bool) -> Result:
    return Result(run(_BIN / "ruff", "format", *([] if is_fixing else ["--diff"]), "-q", "."))


def check_c_format(is_fixing: bool) -> Result:
    files = list_tracked(".c", ".h")
    if not files:
        return Result("")
    mode = ["-i"] if is_fixing else ["--dry-run", "--Werror"]
    return Result(run(_BIN / "clang-format", *mode, *files))


def check_lint(is_fixing: bool) -> Result:
    return Result(run(_BIN / "ruff", "check", *(["--fix"] if is_fixing else []), "-q", "."))


def check_types(is_fixing: bool) -> Result:
    """Check the types of every root, for the oldest Python that the root supports.

    Viewer and tests are checked in one run: what the tests import would be checked twice otherwise.
    The run begins in ``tests``, since a folder of theirs is called ``core``, as one above is.
    The pytest plug-in supports 3.9, too, but the installed pytest has the types of a newer Python.
    """
    plugin = "core/stackglass/pytest_plugin/plugin.py"
    others = ("viewer/stackglass_viewer", plugin, "packaging/check.py", "packaging/held_gil.py")
    groups: tuple[tuple[str, str, list[str]], ...] = (
        (
            ".",
            "3.9",
            [
                f"--exclude={re.escape(plugin)}$",
                "core/stackglass",
                "resources/stackglass_resources",
            ],
        ),
        (
            "tests",
            "3.11",
            [*(f"../{path}" for path in others), *TEST_FOLDERS, *_list_test_files()],
        ),
    )

    def check_group(group: tuple[str, str, list[str]]) -> str:
        folder, version, paths = group
        return run(
            *(_BIN / "python", "-m", "mypy", "--no-error-summary", "--python-version", version),
            f"--config-file={ROOT / 'pyproject.toml'}",
            f"--cache-dir={ROOT / '.mypy_cache' / folder / version}",
            *paths,
            cwd=ROOT / folder,
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = list(pool.map(check_group, reversed(groups)))  # the longest first
    return Result("\n".join(filter(None, findings)), "core as 3.9, viewer and tests as 3.11")


def _list_test_files() -> list[str]:
    """Return the files outside of ``TEST_FOLDERS``: ``conftest.py`` and the drivers of benchmarks,
    without the programs that they measure in targets."""
    tests = ROOT / "tests"
    drivers = sorted(tests.glob("bench/bench_*.py"))
    return ["conftest.py", *(str(path.relative_to(tests)) for path in drivers)]


def check_contracts(is_fixing: bool) -> Result:
    path = os.pathsep.join(str(ROOT / root) for root in ROOTS)
    return Result(run(_BIN / "lint-imports", "--no-cache", PYTHONPATH=path))


def check_other_architecture(is_fixing: bool) -> Result:
    """Compile the C for 64-bit ARM to object files, which are never linked or run."""
    compiler = shutil.which("aarch64-linux-gnu-gcc")
    if compiler is None:
        return Result("", "SKIPPED: there is no aarch64-linux-gnu-gcc")
    include = Path(sysconfig.get_path("include"))
    flags = ["-std=c11", "-O1", "-fPIC", "-D_GNU_SOURCE"]
    flags += ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        for source in list_tracked(".c"):
            is_viewer = "viewer" in source.relative_to(ROOT).parts
            if "native" not in source.parts:
                continue
            # Python's headers are this machine's. Their parts that differ between 64-bit Linux
            # machines depend on the compiler's macros, except the multiarch redirection of
            # Debian's pyconfig.h, for which a link to this machine's copy is made.
            redirected = Path(folder) / "aarch64-linux-gnu"
            here = sysconfig.get_config_var("MULTIARCH") or ""
            debian = include.parent / here / include.name
            if debian.is_dir() and not redirected.exists():
                redirected.mkdir()
                (redirected / include.name).symlink_to(debian)
            api = "0x030B0000" if is_viewer else "0x03090000"
            findings.append(
                run(
                    *[compiler, *flags, f"-DPy_LIMITED_API={api}", f"-I{include}", f"-I{folder}"],
                    f"-iquote{ROOT / 'core/stackglass/native'}",
                    *["-c", str(source), "-o", f"{folder}/object.o"],
                )
            )
    return Result("\n".join(filter(None, findings)), "compiled, not run")


def check_paths(is_fixing: bool) -> Result:
    findings = []
    for path in list_tracked():
        if _OF_OTHERS in path.parents:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or a profile
        for number, line in enumerate(text.splitlines(), 1):
            if _OWN_FOLDERS.search(line):
                findings.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    return Result("\n".join(findings))


def check_file_lengths(is_fixing: bool) -> Result:
    findings = []
    for path in list_tracked(".py", ".c", ".h"):
        if path.name.endswith(("_pb2.py", "_pb2.pyi")) or path in GENERATED:
            continue
        n_lines = path.read_text(encoding="utf-8").count("\n")
        if n_lines > LONGEST_FILE_LINES:
            findings.append(f"{path.relative_to(ROOT)}: {n_lines} lines; split it")
    return Result("\n".join(findings), f"at most {LONGEST_FILE_LINES} lines")


def check_class_shapes(is_fixing: bool) -> Result:
    findings = [
        f"{path.relative_to(ROOT)}:{finding}"
        for path in list_tracked(".py")
        if path.relative_to(ROOT).parts[0] in ("core", "viewer")
        if not path.name.endswith("_pb2.py")
        for finding in class_shapes.find_misshapen(path.read_text(encoding="utf-8"))
    ]
    limits = (
        f"{class_shapes.MOST_METHODS} public methods, {class_shapes.MOST_PARAMETERS} parameters"
    )
    return Result("\n".join(findings), f"at most {limits}")


def check_markdown_width(is_fixing: bool) -> Result:
    findings = []
    for path in list_tracked(".md"):
        name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        if is_fixing and text != (text := markdown_wrapping.wrap_markdown(text)):
            path.write_text(text, encoding="utf-8")
        findings += [f"{name}:{number}" for number in text_rules.find_long_lines(text)]
    return Result("\n".join(findings), f"at most {text_rules.LONGEST_LINE} columns")


def check_plain_words(is_fixing: bool) -> Result:
    """Check the files and folders in ``text_rules.PLAIN_PLACES``."""
    findings = []
    for path in list_tracked(".py", ".pyi", ".c", ".h", ".md"):
        name = str(path.relative_to(ROOT))
        if name.startswith(text_rules.PLAIN_PLACES) and path.name not in _WORD_LISTS:
            text = path.read_text(encoding="utf-8")
            findings += [
                f"{name}:{number}: {word!r}; write: {text_rules.OLD_WORDS[word]}"
                for number, word in text_rules.find_old_words(text)
            ]
    n_places = len(text_rules.PLAIN_PLACES)
    return Result("\n".join(findings), f"in the {n_places} places listed in text_rules.py")


def check_order(is_fixing: bool) -> Result:
    if shutil.which("nm") is None:
        return Result("", "SKIPPED: there is no nm")
    return Result(run(sys.executable, ROOT / "packaging/rooms.py"), "includes and calls run down")


def check_held_gil(is_fixing: bool) -> Result:
    if shutil.which("objdump") is None:
        return Result("", "SKIPPED: there is no objdump")
    return Result(run(sys.executable, ROOT / "packaging/held_gil.py"), "no wait for the loader")


def check_pages(is_fixing: bool) -> Result:
    findings = room_pages.find_faults(ROOT, list_tracked())
    return Result("\n".join(findings), "each folder's README names its files")


def check_rooms(is_fixing: bool) -> Result:
    """Refuse an ``__init__.py`` directly in a root, which would shadow another package's
    ``core``."""
    wrong = [
        f"{room}/__init__.py"
        for room in (*ROOTS, "packaging")
        if (ROOT / room / "__init__.py").exists()
    ]
    return Result("\n".join(wrong))


CHECKS: dict[str, Callable[[bool], Result]] = {
    "format of Python": check_python_format,
    "format of C": check_c_format,
    "lint": check_lint,
    "types": check_types,
    "import contracts": check_contracts,
    "C for aarch64": check_other_architecture,
    "no path of one machine": check_paths,
    "length of files": check_file_lengths,
    "shapes of classes": check_class_shapes,
    "width of Markdown": check_markdown_width,
    "plain words": check_plain_words,
    "rooms": check_rooms,
    "pages of rooms": check_pages,
    "order of rooms": check_order,
    "held GIL": check_held_gil,
}
FIXABLE = (
    "format of C",
    "format of Python",
    "lint",
    "format of Python",
    "width of Markdown",
)


def fix_in_order() -> Iterator[tuple[str, Result]]:
    for name in FIXABLE:
        yield name, CHECKS[name](True)


def check_together() -> Iterator[tuple[str, Result]]:
    """Run all checks, as many at a time as there are processors. Types begin first, because they
    take longest."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        types = pool.submit(check_types, False)
        running = {
            name: pool.submit(check, False)
            for name, check in CHECKS.items()
            if check is not check_types
        }
        running["types"] = types
        for name in CHECKS:
            yield name, running[name].result()


def main() -> int:
    is_fixing = "--fix" in sys.argv[1:]
    n_failed = 0
    for name, result in fix_in_order() if is_fixing else check_together():
        note = f" ({result.note})" if result.note else ""
        print(f"{'FAILED' if result.findings else 'ok':6} {name}{note}", flush=True)
        if result.findings:
            n_failed += 1
            print(result.findings, flush=True)
    if n_failed:
        print(f"check: {n_failed} of {len(CHECKS)} failed; `make format` repairs format and width")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
