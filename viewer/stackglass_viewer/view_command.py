"""``stackglass [FILE…]``: the window."""

from __future__ import annotations

import argparse

from stackglass_viewer.launch import add_picture_arguments, check_files, launch, read_picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open profiles, or an empty window to attach from."
    parser.add_argument("files", nargs="*", metavar="FILE", help="pprof or cProfile files")
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    check_files(arguments.files)
    return launch(
        lambda app: app.open_files(tuple(arguments.files)),
        read_picture(arguments),
        arguments.view,
    )
