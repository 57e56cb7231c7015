"""Export of the flame graph from the window."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QColor, QImage

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession
from stackglass.wire.profile_file import write_file
from stackglass_viewer import exports
from stackglass_viewer.app import App
from stackglass_viewer.model.memory_trace.any_file import open_file
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document import document as documents

WaitUntil = Callable[[Callable[[], bool]], None]
CORPUS = Path(__file__).resolve().parents[2] / "corpus"


@pytest.fixture
def opened(app: App, tmp_path: Path, wait_until: WaitUntil) -> App:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 30"))
    app.open_files((str(path),))
    wait_until(lambda: app.window.page is not None)
    wait_until(lambda: next(iter(app.documents.values())).scene is not None)
    return app


def export_to(app: App, path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Export there; returns the path that was suggested."""
    suggested: list[str] = []

    def answer(_parent: object, suggestion: str) -> str:
        suggested.append(suggestion)
        return str(path)

    monkeypatch.setattr(exports, "ask_export_path", answer)
    app.window.export_requested.emit()
    return suggested[0] if suggested else ""


def read_notice(app: App) -> str:
    notice = app.window.message.notice
    return notice.text if notice is not None else ""


def test_an_svg_has_the_names_and_what_the_profile_is(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    path = tmp_path / "out.svg"
    suggested = export_to(opened, path, monkeypatch)
    wait_until(lambda: read_notice(opened) == f"Saved {path}.")
    assert Path(suggested).name.startswith("cpu-")
    assert suggested.endswith(".svg")
    texts = [each.text or "" for each in ElementTree.parse(path).getroot().iter() if each.text]
    assert "cpu.pb.gz" in texts
    assert any(text.startswith("Total") for text in texts)
    assert {"all", "main", "load", "save"} <= set(texts)


def test_an_svg_says_what_is_left_out(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    """It has no chips, and would be taken for the whole profile."""
    (document,) = opened.documents.values()
    document.transforms.add(Transform(TransformKind.FOCUS, "save"))
    wait_until(lambda: document.scene is not None and document.scene.total == 30)
    path = tmp_path / "out.svg"
    export_to(opened, path, monkeypatch)
    wait_until(lambda: read_notice(opened) == f"Saved {path}.")
    texts = [each.text or "" for each in ElementTree.parse(path).getroot().iter()]
    assert any(text.endswith("Filtered: only through save") for text in texts)


def test_a_page_has_the_names_and_the_colours_of_the_window(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    path = tmp_path / "out.html"
    export_to(opened, path, monkeypatch)
    wait_until(lambda: read_notice(opened) == f"Saved {path}.")
    page = path.read_text()
    data = json.loads(page.partition('type="application/json">')[2].partition("</script>")[0])
    assert set(data["names"]) == {"main", "load", "save"}
    assert data["title"] == "cpu.pb.gz"
    assert (data["types"][0]["name"], data["types"][0]["total"][0]) == ("cpu", 40)
    assert opened._appearance.theme.flame_background in page


def test_a_png_has_boxes_as_they_are_painted(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    path = tmp_path / "out.png"
    export_to(opened, path, monkeypatch)
    wait_until(lambda: read_notice(opened) == f"Saved {path}.")
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == (3200, 3 * 20 * 2)
    scene = next(iter(opened.documents.values())).scene
    assert scene is not None
    root = QColor.fromRgb(scene.root_colour & 0xFFFFFF)
    assert picture.pixelColor(3000, 30) == root  # beside its name
    background = QColor(opened._appearance.theme.flame_background)
    assert picture.pixelColor(3000, 100) != background


def test_data_are_of_the_sample_type_that_is_shown_first(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    document = next(iter(opened.documents.values()))
    written = {}
    for type_index in (0, 1):
        document.choose_type(type_index)
        unit = document.shown_type.unit
        for ending in ("collapsed", "csv", "json"):
            path = tmp_path / f"{unit}.{ending}"
            export_to(opened, path, monkeypatch)
            wait_until(lambda p=path: read_notice(opened) == f"Saved {p}.")  # type: ignore[misc] # bound now
            written[unit, ending] = path.read_text()
    units = [each.unit for each in document._sample_types]
    for unit in units:
        lines = written[unit, "collapsed"].splitlines()
        assert [line.rsplit(" ", 1)[0] for line in lines] == ["main;load", "main;save"]
        head, *rows = written[unit, "csv"].splitlines()
        assert f"({unit})" in head.split(",")[3]
        assert sorted(row.split(",")[0] for row in rows) == ["load", "main", "save"]
        assert json.loads(written[unit, "json"])["profiles"][0]["name"]
    totals = {
        unit: sum(int(line.rsplit(" ", 1)[1]) for line in written[unit, "collapsed"].splitlines())
        for unit in units
    }
    profile = document.prepare_profile()
    assert profile is not None
    columns = profile().samples.values.sum(axis=1).tolist()
    assert [totals[unit] for unit in units] == columns
    session = tmp_path / "out.sgm"
    export_to(opened, session, monkeypatch)
    wait_until(lambda: read_notice(opened) == f"Saved {session}.")
    again = open_file(session)
    assert isinstance(again, Profile)
    assert again.samples.values.sum(axis=1).tolist() == columns


def test_of_a_process_what_is_shown_is_exported(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: "shop.serve" in session.names)
    path = tmp_path / "live.collapsed"
    export_to(app, path, monkeypatch)
    wait_until(lambda: read_notice(app) == f"Saved {path}.")
    stacks = [line.rsplit(" ", 1)[0] for line in path.read_text().splitlines()]
    assert any("shop.serve" in stack.split(";") for stack in stacks)
    total = sum(int(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines())
    assert total == session.total


def test_a_place_that_cannot_be_written_is_an_error(
    opened: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    export_to(opened, Path("/nowhere/at/all.svg"), monkeypatch)
    wait_until(lambda: "cannot write /nowhere/at/all.svg" in read_notice(opened))


def test_a_profile_without_stacks_says_so(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    app.open_files((str(CORPUS / "cprofile.workload.py3.12.prof"),))
    wait_until(lambda: app.window.page is not None)
    assert export_to(app, tmp_path / "out.svg", monkeypatch) == ""
    assert read_notice(app).startswith("There is nothing to export")


def test_a_graph_that_is_being_built_is_not_said_to_have_no_stacks(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    gate, build = threading.Event(), documents._build

    def build_late(*arguments: Any) -> Any:
        gate.wait(30)
        return build(*arguments)

    monkeypatch.setattr(documents, "_build", build_late)
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10"))
    app.open_files((str(path),))
    wait_until(lambda: app.window.page is not None)
    assert export_to(app, tmp_path / "out.svg", monkeypatch) == ""
    text = read_notice(app)
    gate.set()
    assert text == "There is nothing to export yet: the graph is still being built."


@pytest.mark.parametrize("ending", [".csv", ".pb.gz"])
def test_a_call_graph_without_stacks_is_a_picture_and_no_data(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, ending: str
) -> None:
    app.force_view("graph")
    app.open_files((str(CORPUS / "cprofile.workload.py3.12.prof"),))
    wait_until(lambda: app.window.page is not None)
    page = next(iter(app.documents))
    wait_until(lambda: exports._find_drawn(page) is not None)
    path = tmp_path / f"out{ending}"
    export_to(app, path, monkeypatch)
    wait_until(lambda: read_notice(app) != "")
    assert read_notice(app).startswith("This profile has no stacks")
    assert not path.exists()


def test_files_that_are_still_to_be_written_are_written_at_the_end(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def write_late(path: str, content: bytes) -> None:
        gate.wait(30)
        write_file(path, content)

    monkeypatch.setattr(exports, "write_file", write_late)
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in paths:
        export_to(opened, path, monkeypatch)
    release = threading.Timer(0.1, gate.set)
    release.start()
    opened.pages._exports.stop()
    release.join()
    assert [path.exists() for path in paths] == [True, True]


def test_files_that_can_be_opened_again_are_recent(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    (first,) = opened.recent.paths
    paths = [tmp_path / f"out.{ending}" for ending in ("svg", "csv", "html", "json", "pb.gz")]
    for path in paths:
        export_to(opened, path, monkeypatch)
        wait_until(lambda p=path: read_notice(opened) == f"Saved {p}.")  # type: ignore[misc] # bound now
    assert opened.recent.paths == (str(paths[4]), str(paths[3]), first)
