"""``stackglass [FILE…]``: the window."""

from __future__ import annotations

import argparse
import os

from PySide6.QtCore import QTimer

from stackglass.errors import UsageError
from stackglass_viewer.app import App
from stackglass_viewer.launch import add_picture_arguments, launch, read_picture
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Open profiles, or an empty window to attach from."
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE|FOLDER|URL",
        help="profiles of many formats; folders, for the profiles directly in them; URLs of "
        "/debug/pprof/ pages, or of one profile there",
    )
    parser.add_argument(
        "--sum",
        action="store_true",
        help="open all FILEs, and the profiles of folders, as one profile, their sum, in one tab",
    )
    group = parser.add_argument_group("comparison")
    base = group.add_mutually_exclusive_group()
    base.add_argument(
        "--diff-base",
        "-diff_base",
        metavar="BASE",
        help="show what changed from this profile to FILE; shares are of BASE",
    )
    base.add_argument(
        "--base",
        "-base",
        metavar="BASE",
        help="show what changed from this profile to FILE; shares are of all that changed",
    )
    group.add_argument(
        "--normalize", "-normalize", action="store_true", help="scale FILE to the sums of BASE"
    )
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Open the viewer. Raises UsageError, OutputError."""
    base = arguments.diff_base or arguments.base
    has_url = any("://" in place for place in arguments.files)
    if base and (len(arguments.files) != 1 or has_url or "://" in base):
        raise UsageError(
            "--base and --diff-base compare one FILE with BASE", "stackglass --diff-base BASE FILE"
        )
    if arguments.normalize and not base:
        raise UsageError("--normalize needs a base", "add --diff-base BASE")
    is_single = len(arguments.files) < 2 and not any(map(os.path.isdir, arguments.files))
    if arguments.sum and (base or is_single or has_url):
        raise UsageError("--sum adds up two FILEs or more", "stackglass --sum FILE FILE")
    choice = CompareChoice("changes" if arguments.base else "all", arguments.normalize)

    picture = read_picture(arguments)

    def begin(app: App) -> None:
        if base:
            app.compare_files(base, arguments.files[0], choice)
        elif arguments.sum:
            app.sum_files(arguments.files)
        elif arguments.files:
            app.open_places(arguments.files)
        elif picture is None:  # with the first event, once the window is painted
            QTimer.singleShot(0, app.window, app.restore_tabs)

    return launch(begin, picture, arguments.view)
