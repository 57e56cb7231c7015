"""The ten most common tasks, by real mouse and keyboard, at several sizes and scales.

    make walk                                   all of them; some ten minutes
    make walk WALK="--task search_for_a_name --screen 1366x768"

Needs Xvfb, a window manager, xdotool and ImageMagick's `import`. The watched program is the demo.
Prints a table; for each failed task, a sentence, and a picture in build/walk. The exit status is 0
only if no task failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.pythons import CHECKOUT
from walk.display import Screen, has_programs, open_display
from walk.tasks import TASKS

SCREENS = (
    Screen(1366, 768, 1),
    Screen(1280, 720, 1),
    Screen(1920, 1080, 1),
    Screen(1920, 1080, 1.5),
    Screen(1920, 1080, 2),
    Screen(2732, 1536, 2),
)
DEMO = CHECKOUT / "resources/stackglass_resources/demo/corner_shop.py"
PROFILE = CHECKOUT / "tests/corpus/cprofile.workload.py3.12.prof"
PATIENCE_S = 180.0
NEEDED = {"Xvfb": "xvfb", "openbox": "openbox", "xdotool": "xdotool", "import": "imagemagick"}
"""Needed programs, with the Debian packages that contain them."""


def main() -> int:
    options = read_options()
    if not has_programs(NEEDED):
        return 2
    problems: list[str] = []
    for screen in SCREENS:
        if options.screen in screen.name:
            with open_display(screen) as name:
                problems += walk_on(screen, name, [t for t in TASKS if options.task in t])
    sys.stdout.write("".join(f"\n{problem}" for problem in problems))
    sys.stdout.write(f"\n{len(problems)} tasks could not be done\n")
    return 1 if problems else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--task", default="", help="part of its name: only these")
    parser.add_argument("--screen", default="", help="1366x768: only this size")
    return parser.parse_args()


def walk_on(screen: Screen, display: str, tasks: list[str]) -> list[str]:
    """Do all tasks on a screen. Returns the failures, a paragraph each."""
    problems = []
    for task in tasks:
        folder = CHECKOUT / "build" / "walk" / screen.name
        folder.mkdir(parents=True, exist_ok=True)
        problem = walk_once(task, screen, display, folder)
        sys.stdout.write(f"{screen.name:16} {task:28} {'no' if problem else 'done'}\n")
        sys.stdout.flush()
        if problem:
            problems.append(f"{screen.name} {task}: {problem}")
    return problems


def walk_once(task: str, screen: Screen, display: str, folder: Path) -> str:
    """Do one task. Returns why it failed; "" = it succeeded."""
    with (
        tempfile.TemporaryDirectory() as home,
        subprocess.Popen([sys.executable, DEMO], stdout=subprocess.DEVNULL) as program,
    ):
        environment = {
            **os.environ,
            **{"DISPLAY": display, "HOME": home, "XDG_CONFIG_HOME": home},
            **{"QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": str(screen.scale)},
        }
        try:
            ran = subprocess.run(
                [sys.executable, "-m", "walk.window", task, str(program.pid), PROFILE, folder],
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not done within {PATIENCE_S:.0f} s"
        finally:
            program.terminate()
    return ran.stderr.strip() if ran.returncode or ran.stderr else ""


if __name__ == "__main__":
    sys.exit(main())
