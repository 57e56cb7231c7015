"""Programs with a leak, attached to: two markers name the line that leaks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.window_session import make_target
from stackglass.attach.processes import list_processes
from stackglass_viewer.app import App
from stackglass_viewer.presenter.live.document import LiveDocument

pytestmark = [pytest.mark.gui, pytest.mark.attach]

LEAKS = Path(__file__).resolve().parents[2] / "targets" / "leaks"
HEAP_RATE = 16 << 10
ENOUGH = 1 << 20  # bytes, to be no chance
# program, its answers a second, what keeps most, text of the line
CASES = (
    ("web_cache", 200, "__main__.render_page", "return json.dumps("),
    ("task_list", 1000, "__main__.read_meter", "readings = ["),
    ("closure", 20, "__main__.measure", "return "),
)


@pytest.fixture
def leak(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """One of the programs, at work."""
    program, per_second = request.param
    command = [sys.executable, str(LEAKS / f"{program}.py"), "--per-second", str(per_second)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().endswith("ing\n")
    refusals = [info.reason for info in list_processes() if info.pid == process.pid]
    if any(refusals):
        process.kill()
        process.communicate()
        pytest.skip(refusals[0])
    yield process
    process.kill()
    process.communicate()


def find_own(document: LiveDocument) -> tuple[str, str, int]:
    """The program's own function that grew most by itself: name, place, bytes."""
    top = document.top
    for row in range(top.rowCount()):
        value, _, name, place = (top.cell(row, column) for column in range(4))
        assert value is not None
        assert name is not None
        assert place is not None
        if str(name.value).startswith("__main__."):
            return str(name.value), str(place.value), int(value.value)
    return "", "", 0


@pytest.mark.parametrize(
    ("leak", "function", "line"),
    [((program, rate), function, line) for program, rate, function, line in CASES],
    indirect=["leak"],
    ids=[case[0] for case in CASES],
)
def test_the_line_that_leaks_is_named(
    leak: subprocess.Popen[str], function: str, line: str, app: App, wait_until: Any
) -> None:
    document = app.attach(make_target(leak.pid, 0, HEAP_RATE))
    wait_until(lambda: document.status.heap is not None)
    page = next(iter(app.documents))
    assert page.live is not None
    page.live.put_marker("a")  # the timeline comes, and with it the marker
    wait_until(lambda: document.timeline.markers.marks.mode == "growth")
    wait_until(lambda: document.scene is not None and document.scene.is_difference)
    wait_until(lambda: find_own(document)[2] >= ENOUGH)
    name, place, _ = find_own(document)
    assert name.startswith(function)  # or a comprehension in it
    file, _, number = place.rpartition(":")
    assert line in Path(file).read_text().splitlines()[int(number) - 1]
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    assert leak.poll() is None
