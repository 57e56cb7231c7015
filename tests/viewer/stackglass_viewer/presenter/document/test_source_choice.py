"""Source choice: the function whose file is shown, and what its lines are a share of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_values
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.source_choice import (
    ShownProfile,
    SourceChoice,
    SourceSubject,
    read_source,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.worker import Worker

WaitUntil = Callable[[Callable[[], bool]], None]
CPU = TypeId(1)
PALETTE = choose_palette("module", is_dark=False)
WAITS = """
run;serve;__enter__ 40
run;serve;wait;__enter__ 5
run;mail;__enter__ 30
run;far;__enter__ 90
run;outer 1
"""


class Waits:
    """A tab that shows waits: all of the delay is in a function without a file."""

    def __init__(self, folder: Path) -> None:
        self.worker = Worker("source")
        shown = ShownProfile(None, SampleType("delay", "nanoseconds"))
        self.choice = SourceChoice(self.worker, lambda: shown)
        self.folder = folder
        self.files = {
            "run": "/usr/lib/python3.11/threading.py",
            "wait": "/usr/lib/python3.11/threading.py",
            "serve": self.write("serve.py"),
            "mail": self.write("mail.py"),
            "far": "/nowhere/far.py",
            "outer": "<stackglass>",
        }

    def write(self, name: str) -> str:
        path = self.folder / name
        path.write_text("pass\n")
        return str(path)

    def show(self, text: str = WAITS, files: Mapping[str, str] | None = None) -> TopTable:
        tree, values = grow_tree(text, self.folder)
        wanted = self.files if files is None else files
        names = [f"<stackglass>.{each}" if each == "outer" else each for each in tree.frame_name]
        places = [wanted.get(each, "") for each in tree.frame_name]
        tree = replace(tree, frame_name=names, frame_file=places)
        colours = colour_frames(names, places, PALETTE)
        top = build_top(tree, values)
        scene = FlameScene(tree, values, lay_out(tree, values), colours, PALETTE.root)
        self.choice.set_table(top, scene)
        return top

    @property
    def name(self) -> str:
        """The chosen function; "" = none."""
        return "" if self.choice.subject is None else self.choice.subject.name


@pytest.fixture
def waits(qt: QApplication, tmp_path: Path) -> Iterator[Waits]:
    made = Waits(tmp_path)
    yield made
    made.worker.stop()


def test_the_costliest_function_of_the_program_opens_first(
    waits: Waits, wait_until: WaitUntil
) -> None:
    """Its file is on this machine; delays in locks and in the standard library are its own."""
    waits.show()
    waits.choice.watch(True)
    wait_until(lambda: waits.name == "serve")
    assert waits.choice.model.text is not None
    assert waits.choice.model.text.path == str(waits.folder / "serve.py")


def test_a_selected_lock_opens_its_caller(waits: Waits, wait_until: WaitUntil) -> None:
    top = waits.show(f"{WAITS}run;mail 500")
    waits.choice.follow(list(top.name).index("__enter__"))
    waits.choice.watch(True)
    wait_until(lambda: waits.name == "serve")
    waits.choice.follow(list(top.name).index("mail"))
    assert waits.name == "mail"
    waits.choice.follow(list(top.name).index("__enter__"))
    wait_until(lambda: waits.name == "serve")
    waits.choice.follow(-1)
    assert waits.name == "serve"


def test_a_choice_made_meanwhile_stays(waits: Waits, wait_until: WaitUntil) -> None:
    top = waits.show()
    waits.choice.follow(list(top.name).index("__enter__"))
    waits.choice.watch(True)
    waits.choice.choose(list(top.name).index("mail"))
    read: list[object] = []
    waits.choice.changed.connect(read.append)
    wait_until(lambda: bool(read) and not waits.worker.is_busy("source"))
    assert waits.name == "mail"
    assert waits.choice.model.text is not None
    assert waits.choice.model.text.function == "mail"


def test_a_function_without_own_callers_changes_nothing(
    waits: Waits, wait_until: WaitUntil
) -> None:
    top = waits.show("run;mail 5\nrun;__enter__ 9")
    waits.choice.choose(list(top.name).index("mail"))
    waits.choice.follow(list(top.name).index("__enter__"))
    waits.choice.watch(True)
    wait_until(lambda: waits.choice.model.text is not None)
    assert waits.name == "mail"


def test_the_first_without_own_code_is_of_a_library_and_never_of_the_engine(
    waits: Waits, wait_until: WaitUntil
) -> None:
    waits.show("run;outer 9\nrun;wait 3", {"wait": "/lib/python3/x.py", "outer": "<stackglass>"})
    waits.choice.watch(True)
    wait_until(lambda: bool(waits.name))
    assert waits.name == "wait"


def test_nothing_is_chosen_before_there_are_costs(waits: Waits, wait_until: WaitUntil) -> None:
    """What is chosen at first stays, so it is not chosen at random."""
    read: list[object] = []
    waits.choice.changed.connect(read.append)
    waits.show("run;mail 0\nrun;serve 0")
    waits.choice.watch(True)
    wait_until(lambda: bool(read))
    assert (waits.name, read) == ("", [None])
    waits.show()
    wait_until(lambda: waits.name == "serve")


def test_a_file_that_is_nowhere_is_better_than_none(waits: Waits, wait_until: WaitUntil) -> None:
    """The view then offers to look for it."""
    waits.show("run;far;__enter__ 9")
    waits.choice.watch(True)
    wait_until(lambda: waits.name == "far")


def test_lines_and_their_total_are_of_one_moment(tmp_path: Path) -> None:
    """A running process has used more CPU time when its lines are read than in the table."""
    profile = read_stacks("main;work 30\nmain;save 5", tmp_path)
    tree = build_call_tree(profile)
    now = build_top(tree, sum_values(tree, profile.samples.values[CPU], "nanoseconds"))
    earlier = replace(now, total=34)
    shown = ShownProfile(lambda: profile, profile.sample_types[CPU])
    text = read_source(SourceSubject("main", "main.py", 1), shown, earlier, "")
    assert text.costs.cum.tolist() == [35]
    assert text.whole == 35
    changes = replace(earlier, is_change=True)  # 100 % is not the sum
    assert read_source(SourceSubject("main", "main.py", 1), shown, changes, "").whole == 34
