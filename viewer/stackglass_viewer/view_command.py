"""``stackglass [FILE…]``: the window."""

from __future__ import annotations

import argparse

from stackglass_viewer.launch import add_picture_arguments, launch, read_picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open profiles, or an empty window to attach from."
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE|URL",
        help="profiles of many formats; URLs of /debug/pprof/ pages, or of one profile there",
    )
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return launch(
        lambda app: app.open_places(arguments.files),
        read_picture(arguments),
        arguments.view,
    )
