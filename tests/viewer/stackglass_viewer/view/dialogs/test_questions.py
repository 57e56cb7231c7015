"""Dialogs that ask for files: which names of profiles they list at first."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from stackglass_viewer.presenter.settings.last_folder import LastFolder
from stackglass_viewer.view.dialogs import questions
from stackglass_viewer.view.widgets.asker import Asker

NAMES = (
    *("cpu.pb.gz", "pprof.samples.cpu.001.pb.gz", "heap.prof", "program.pstats", "live.sgm"),
    *("jeprof.2155.0.f.heap", "prof.out", "callgrind.out.4711", "massif.out.4711", "perf.txt"),
    *("py-spy.collapsed", "out.folded", "trace.json", "profile.speedscope.json", "cpu.cpuprofile"),
    *("Heap-1.heapprofile", "scalene.json", "samples.austin", "samples.mojo", "tachyon.jsonl"),
    *("memray-app.py.77.bin", "stackprof.dump", "otlp.json", "profile.json.gz", "cpu.pb.zst"),
)


@pytest.mark.parametrize("method", ["ask_open", "ask_summed", "ask_compared"])
def test_names_that_tools_give_are_listed(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch, settings: QSettings, method: str
) -> None:
    asked: list[str] = []

    def take_filter(
        _parent: QWidget, _title: str, _folder: str, names: str, options: QFileDialog.Option
    ) -> tuple[str, str]:
        assert options == QFileDialog.Option.HideNameFilterDetails
        asked.append(names)
        return "", ""

    for name in ("getOpenFileName", "getOpenFileNames"):
        monkeypatch.setattr(QFileDialog, name, take_filter)
    parent = QWidget()
    assert not getattr(questions, method)(Asker(parent, LastFolder(settings)))
    parent.deleteLater()
    profiles, everything = asked[0].split(";;")
    patterns = profiles.partition("(")[2].rstrip(")").split()
    assert [name for name in NAMES if not any(fnmatch(name, each) for each in patterns)] == []
    assert everything == "All files (*)"


SAVING = ("ask_save_path", "ask_export_path", "ask_picture_path", "ask_pdf_path")


@pytest.mark.parametrize("method", ["ask_open", "ask_summed", "ask_compared", *SAVING])
def test_a_dialog_begins_where_the_last_one_ended(
    qt: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    settings: QSettings,
    tmp_path: Path,
    method: str,
) -> None:
    began: list[str] = []
    chosen = tmp_path / "cpu.pb.gz"

    def take_folder(_parent: QWidget, _title: str, folder: str, *_: str, **__: object) -> object:
        began.append(folder)
        return (str(chosen), "")

    def take_folders(*arguments: Any, **_: object) -> object:
        began.append(arguments[2])
        return ([str(chosen)], "")

    monkeypatch.setattr(QFileDialog, "getOpenFileName", take_folder)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", take_folder)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", take_folders)
    parent = QWidget()
    suggested = ("/elsewhere/new.pb.gz",) if method in SAVING else ()
    for _ in range(2):
        assert getattr(questions, method)(Asker(parent, LastFolder(settings)), *suggested)
    parent.deleteLater()
    if suggested:
        assert began == [*suggested, str(tmp_path / "new.pb.gz")]
    else:
        assert began == ["", str(tmp_path)]


@pytest.mark.parametrize(
    ("method", "kind", "ending"),
    [
        ("ask_save_path", "", ".sgm"),
        ("ask_export_path", "Collapsed stacks (*.collapsed)", ".collapsed"),
        ("ask_picture_path", "SVG picture (*.svg)", ".svg"),
        ("ask_pdf_path", "", ".pdf"),
    ],
)
@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_file_is_not_replaced_unasked_for_an_ending_that_was_not_typed(
    qt: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    settings: QSettings,
    tmp_path: Path,
    method: str,
    kind: str,
    ending: str,
    is_replaced: bool,
) -> None:
    """The file dialog asks only about the name as it was typed."""
    typed, asked = str(tmp_path / "kept"), list[str]()

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        buttons = QMessageBox.StandardButton
        return buttons.Yes if is_replaced else buttons.No

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (typed, kind))
    monkeypatch.setattr(QMessageBox, "exec", answer)
    parent = QWidget()
    asker = Asker(parent, LastFolder(settings))
    assert getattr(questions, method)(asker, "new.sgm") == typed + ending
    assert asked == []
    Path(typed + ending).touch()
    found = getattr(questions, method)(asker, "new.sgm")
    assert found == (typed + ending if is_replaced else "")
    assert asked == [f"kept{ending} already exists. Do you want to replace it?"]
    parent.deleteLater()
