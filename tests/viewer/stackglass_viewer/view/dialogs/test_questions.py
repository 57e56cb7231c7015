"""Dialogs that ask for files: which names of profiles they list at first."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from stackglass_viewer.view.dialogs import questions

NAMES = (
    *("cpu.pb.gz", "pprof.samples.cpu.001.pb.gz", "heap.prof", "program.pstats", "live.sgm"),
    *("jeprof.2155.0.f.heap", "prof.out", "callgrind.out.4711", "massif.out.4711", "perf.txt"),
    *("py-spy.collapsed", "out.folded", "trace.json", "profile.speedscope.json", "cpu.cpuprofile"),
    *("Heap-1.heapprofile", "scalene.json", "samples.austin", "samples.mojo", "tachyon.jsonl"),
    *("memray-app.py.77.bin", "stackprof.dump", "otlp.json", "profile.json.gz", "cpu.pb.zst"),
)


@pytest.mark.parametrize("method", ["ask_open", "ask_summed", "ask_compared"])
def test_names_that_tools_give_are_listed(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch, method: str
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
    assert not getattr(questions, method)(parent)
    parent.deleteLater()
    profiles, everything = asked[0].split(";;")
    patterns = profiles.partition("(")[2].rstrip(")").split()
    assert [name for name in NAMES if not any(fnmatch(name, each) for each in patterns)] == []
    assert everything == "All files (*)"
