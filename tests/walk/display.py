"""Separate display with a window manager, and input events for its windows."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Screen:
    """Size and scale of a display."""

    width_px: int
    height_px: int
    scale: float  # scale factor that the desktop sets

    @property
    def name(self) -> str:
        percent = "" if self.scale == 1 else f"@{round(100 * self.scale)}%"
        return f"{self.width_px}x{self.height_px}{percent}"


def has_programs(needed: dict[str, str]) -> bool:
    """Whether all needed programs (name -> Debian package) are there; else says what to install."""
    missing = sorted({package for name, package in needed.items() if not shutil.which(name)})
    if missing:
        sys.stderr.write(f"to be installed first: apt-get install {' '.join(missing)}\n")
    return not missing


@contextlib.contextmanager
def open_display(screen: Screen) -> Iterator[str]:
    """Open a display. Returns its name. Raises FileNotFoundError without Xvfb."""
    read_end, write_end = os.pipe()
    geometry = f"{screen.width_px}x{screen.height_px}x24"
    command = ("Xvfb", "-displayfd", str(write_end), "-screen", "0", geometry, "-nolisten", "tcp")
    with subprocess.Popen(command, pass_fds=(write_end,), stderr=subprocess.DEVNULL) as server:
        os.close(write_end)
        try:
            with os.fdopen(read_end) as numbers:  # empty if it could not start
                number = numbers.readline().strip()
            if not number:
                raise RuntimeError("Xvfb has ended before it had a display")
            with _manage_windows(f":{number}"):
                yield f":{number}"
        finally:
            server.terminate()


@contextlib.contextmanager
def _manage_windows(display: str) -> Iterator[None]:
    """Run a window manager, which returns the keyboard focus when a dialog closes."""
    environment = {**os.environ, "DISPLAY": display}
    with subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL) as manager:
        try:
            yield
        finally:
            manager.terminate()


def type_keys(*keys: str) -> None:
    """Press and release each: ``Escape``, ``ctrl+f``, ``a``."""
    _run("key", "--clearmodifiers", *keys)


def type_text(text: str) -> None:
    _run("type", "--delay", "8", text)


def move_to(x: int, y: int) -> None:
    _run("mousemove", str(x), str(y))


def press_button(number: int = 1, times: int = 1) -> None:
    """Press a mouse button: 1 = left, 3 = right, 4 and 5 = the wheel up and down."""
    _run("click", "--repeat", str(times), "--delay", "60", str(number))


def save_picture(path: Path) -> None:
    """Save a picture of the whole display."""
    subprocess.run(["import", "-window", "root", str(path)], check=True)


def _run(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True)
