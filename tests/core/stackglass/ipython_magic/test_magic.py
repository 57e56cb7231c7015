"""``%%stackglass`` in a shell of IPython's, in this process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harness.saved_profile import SavedProfile
from stackglass.errors import UsageError

interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
traitlets = pytest.importorskip("traitlets.config")


class Notebook:
    """A shell, and what it shows."""

    def __init__(self, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shell = shell
        self.shown: list[dict[str, str]] = []
        monkeypatch.setattr(
            shell.display_pub, "publish", lambda data, metadata: self.shown.append(data)
        )
        monkeypatch.setattr(shell, "showtraceback", lambda *words, **options: None)

    def run(self, cell: str) -> Any:
        return self.shell.run_cell(cell, store_history=False)


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    config = traitlets.Config({"HistoryManager": {"enabled": False}})  # it has a thread
    shell = interactiveshell.InteractiveShell(config=config)
    book = Notebook(shell, monkeypatch)
    book.run("%load_ext stackglass")
    return book


BURN = """%%stackglass {words}
import time
def burn():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        sum(range(1000))
burn()
kept = [bytes(1_000_000) for _ in range(80)]
"""


def test_a_cell_has_a_graph_and_a_file(notebook: Notebook, tmp_path: Path) -> None:
    notebook.run(BURN.format(words=""))
    notebook.run(BURN.format(words="heap -o 'my heap.pb.gz'"))
    cpu, heap = notebook.shown
    assert cpu["text/html"] == cpu["image/svg+xml"]
    assert ">burn</text>" in cpu["text/html"]
    assert "run_code" not in cpu["text/html"], "the graph begins with the cell"
    (path,) = tmp_path.glob("cell-*.cpu.pb.gz")
    profile = SavedProfile.read(path)
    assert any("run_code" in name for row in profile.rows for name in row.stack)
    burnt = sum(row.values[1] for row in profile.rows if any("burn" in n for n in row.stack))
    assert 250_000_000 <= burnt <= 800_000_000
    assert heap["text/plain"].startswith("heap of the cell: ")
    large = SavedProfile.read(tmp_path / "my heap.pb.gz")
    # 80 MB, each block sampled with p = 0.85: less than 48 MB once in 10^12.
    assert 48_000_000 <= sum(row.values[3] for row in large.rows) <= 160_000_000
    assert len(notebook.shell.user_ns["kept"]) == 80


def test_what_cannot_be_is_a_line(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.run("%%stackglass tasks\nran = 1")
    notebook.run("%%stackglass --fast\nran = 1")
    notebook.run("%%stackglass -o /nowhere/file\nran = 1")
    notebook.run("%%stackglass cpu,heap\nran = 1")
    notebook.run('%%stackglass -o "a\nran = 1')
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "there is no profile 'tasks'",
        "unrecognized arguments",
        "there is no folder /nowhere",
        "a cell has one profile",
        "No closing quotation",
    ]
    assert "ran" not in notebook.shell.user_ns
    notebook.run("%%stackglass --help\nran = 1")
    assert "Profile this cell" in capsys.readouterr().out
    assert notebook.shown == []


NESTED = """%%stackglass {outer}
get_ipython().run_cell("%%stackglass {inner}\\ninner = 1", store_history=False)
outer = 1
"""


def test_a_cell_within_a_cell_says_why_not(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only CPU and wall profiles exclude each other; the outer cell is not harmed."""
    notebook.run(NESTED.format(outer="", inner="wall"))
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "%%stackglass: the cell was not run, because a CPU or wall profile of this process runs "
        "already: end that one first: its cell, its block, or by stackglass.stop_cpu_profile()"
    )
    assert "inner" not in notebook.shell.user_ns
    assert notebook.shell.user_ns["outer"] == 1
    assert len(notebook.shown) == 1
    notebook.run(NESTED.format(outer="-o a.pb.gz", inner="heap -o b.pb.gz"))
    assert capsys.readouterr().err == ""
    assert notebook.shell.user_ns["inner"] == 1
    assert len(notebook.shown) == 3


def test_without_a_cell_there_is_help(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run("%stackglass --help")
    assert "Profile this cell" in capsys.readouterr().out
    notebook.run("%stackglass heap")
    assert "begin the cell with %%stackglass" in capsys.readouterr().err


def test_the_file_has_the_number_of_the_cell(notebook: Notebook) -> None:
    """Which newer versions of IPython count up before the cell runs, older ones behind it."""
    notebook.shell.run_cell("found = 1", store_history=True)
    notebook.shell.run_cell("%%stackglass\nfound = 2", store_history=True)
    (shown,) = notebook.shown
    assert shown["text/plain"].endswith("→ cell-2.cpu.pb.gz")


def test_an_exception_is_shown_and_the_next_cell_profiled(notebook: Notebook) -> None:
    notebook.run("%%stackglass\nabsent")
    notebook.run("%%stackglass\nfound = 1")
    assert len(notebook.shown) == 2
    assert notebook.shell.user_ns["found"] == 1


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("%%stackglass\nabsent", NameError),
        ("\n%%stackglass\nabsent", NameError),
        ("%%stackglass\nfor", SyntaxError),
        ("%%stackglass tasks\nfound = 1", UsageError),
    ],
)
def test_a_notebook_learns_that_a_cell_has_failed(
    notebook: Notebook, cell: str, error: type[BaseException]
) -> None:
    """Jupyter runs the next cells unless the result has the error."""
    assert isinstance(notebook.run(cell).error_in_exec, error)
    assert notebook.run("%%stackglass\nfound = 2").success
    assert notebook.shell.user_ns["found"] == 2


def test_help_and_a_line_without_a_cell_are_no_failures(notebook: Notebook) -> None:
    assert notebook.run("%stackglass heap").success
    assert notebook.run("%%stackglass --help\nfound = 1").success


AWAIT = """%%stackglass {words}
import asyncio, time
async def burn():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        await asyncio.sleep(0)
await burn()
burnt = True
"""


def run_in_a_loop(notebook: Notebook, cell: str) -> None:
    """As a kernel does, whose event loop runs."""

    async def run() -> None:
        shell = notebook.shell
        result = await shell.run_cell_async(
            cell, transformed_cell=shell.transform_cell(cell), store_history=False
        )
        shell.events.trigger("post_run_cell", result)

    asyncio.run(run())


def test_a_cell_that_awaits_is_profiled_in_the_loop_that_runs(
    notebook: Notebook, tmp_path: Path
) -> None:
    notebook.run("%reload_ext stackglass")
    run_in_a_loop(notebook, "\n" + AWAIT.format(words="-o 'in loop.pb.gz'"))
    (shown,) = notebook.shown
    assert ">burn</text>" in shown["text/html"]
    assert "InteractiveShell.run_code" not in shown["text/html"], "the graph begins with the cell"
    profile = SavedProfile.read(tmp_path / "in loop.pb.gz")
    assert any("__main__.burn" in row.stack for row in profile.rows)
    assert notebook.shell.user_ns["burnt"]
    run_in_a_loop(notebook, "after = 1")
    assert len(notebook.shown) == 1


def test_a_cell_that_awaits_says_what_is_wrong(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    run_in_a_loop(notebook, AWAIT.format(words="tasks"))
    assert "there is no profile 'tasks'" in capsys.readouterr().err
    run_in_a_loop(notebook, AWAIT.format(words='-o "a'))
    assert "No closing quotation" in capsys.readouterr().err
    assert "burnt" not in notebook.shell.user_ns
