"""The viewer's commands, each in a process of its own."""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from stackglass.wire.rates import Rates, keep_contention
from stackglass_viewer import attach_command
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING
from stackglass_viewer.presenter.settings.view_state import USUAL_CONTENTION

pytestmark = pytest.mark.gui

RUN = """
import argparse, importlib, sys
from stackglass.errors import StackglassError
command = importlib.import_module(f"stackglass_viewer.{sys.argv[1]}_command")
parser = argparse.ArgumentParser()
command.add_arguments(parser)
try:
    sys.exit(command.run(parser.parse_args(sys.argv[2:])))
except StackglassError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
"""


def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **changes}
    return subprocess.run(
        [sys.executable, "-c", RUN, *words],
        env={name: value for name, value in environment.items() if value},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def size_of(picture: Path) -> tuple[int, int]:
    header = picture.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", header[16:24])
    return width, height


@pytest.mark.parametrize("view", ["flame", "top"])
def test_a_picture_of_a_file_changes_no_settings(tmp_path: Path, view: str) -> None:
    profile, picture = tmp_path / "cpu.pb.gz", tmp_path / "out.png"
    profile.write_bytes(encode_stacks("main;work 30\nmain;rest 10"))
    config = tmp_path / "config"
    settings = config / "stackglass" / "stackglass.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("[General]\nrecent_files=/old.pb.gz\ntheme=dark\n")
    done = run(
        *("view", str(profile), "--screenshot", str(picture), "--view", view),
        XDG_CONFIG_HOME=str(config),
    )
    assert done.returncode == 0, done.stderr
    assert size_of(picture) == (1280, 800)
    assert settings.read_text() == "[General]\nrecent_files=/old.pb.gz\ntheme=dark\n"
    assert [path for path in config.rglob("*") if path.is_file()] == [settings]


def test_a_picture_of_a_process_that_is_not_there(tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    done = run(
        "attach", "999999999", "--screenshot", str(picture), XDG_CONFIG_HOME=str(tmp_path / "c")
    )
    assert done.returncode == 0, done.stderr
    assert picture.exists()


def test_a_picture_that_cannot_be_written(tmp_path: Path) -> None:
    done = run("view", "--screenshot", str(tmp_path / "nowhere" / "out.png"))
    assert done.returncode == 1
    assert "there is no folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_display_is_one_line_with_a_remedy() -> None:
    done = run("view", DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
    assert done.returncode == 1
    assert "no display" in done.stderr
    assert "--screenshot" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("rate", ["-1", "10001", "fast"])
def test_rates_out_of_range_are_wrong_usage(rate: str) -> None:
    done = run("attach", "1", "--cpu-hz", rate)
    assert done.returncode == 2


def test_rates_of_an_attachment() -> None:
    parser = argparse.ArgumentParser()
    attach_command.add_arguments(parser)
    reported = parser.parse_args(["7", "--cpu-hz", "0", "--heap-rate", "1", "--no-native-memory"])
    assert (reported.pid, reported.cpu_hz, reported.heap_rate, reported.no_native_memory) == (
        7,
        0,
        1,
        True,
    )
    reported = parser.parse_args(["7"])  # as last time
    assert (reported.cpu_hz, reported.heap_rate, reported.no_native_memory) == (None, None, False)
    for wrong in ("-1", "often", str(2**63)):
        with pytest.raises(SystemExit):
            parser.parse_args(["7", f"--heap-rate={wrong}"])


def test_everything_is_a_preset_that_other_rates_go_before() -> None:
    parser = argparse.ArgumentParser()
    attach_command.add_arguments(parser)
    last = Rates(250, 0, 1)

    def choose(*words: str) -> Rates:
        return attach_command.choose_rates(parser.parse_args(["7", *words]), last)

    assert choose() == last
    assert choose("--everything") == EVERYTHING.rates
    assert choose("--wall-hz", "20") == last._replace(wall_hz=20)
    assert choose("--everything", "--wall-hz", "0").wall_hz == 0
    last = last._replace(native_stacks=1)
    assert choose("--everything") == EVERYTHING.rates._replace(native_stacks=1)
    assert choose("--everything", "--no-native") == EVERYTHING.rates
    reported = choose("--everything", "--cpu-hz", "0", "--mutex-fraction", "1", "--no-other-waits")
    assert (reported.cpu_hz, reported.heap_rate) == (0, EVERYTHING.rates.heap_rate)
    assert keep_contention(reported) == USUAL_CONTENTION._replace(mutex_fraction=1)


def test_an_empty_display_is_none() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment[name] = ""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "view"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "no display" in done.stderr


CLOSED_BEFORE = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from stackglass.errors import OutputError
from stackglass_viewer.launch import Picture, launch
try:
    launch(lambda app: QTimer.singleShot(0, app.close), Picture(Path(sys.argv[1]), 60.0))
except OutputError as error:
    sys.exit(str(error))
"""


def test_a_window_that_is_closed_before_its_picture_is_an_error(tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    done = subprocess.run(
        [sys.executable, "-c", CLOSED_BEFORE, str(picture)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "no screenshot was taken" in done.stderr
    assert not picture.exists()


def test_a_pid_that_is_no_number_is_named_in_words() -> None:
    for wrong in ("shop.py", "0", "1_0"):
        done = run("attach", wrong)
        assert done.returncode == 2
        assert "a process ID is a positive number" in done.stderr
