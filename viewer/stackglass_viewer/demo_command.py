"""``stackglass demo``: a busy program, watched live."""

from __future__ import annotations

import argparse

from stackglass_viewer.launch import add_picture_arguments, launch, read_picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Start a busy demo program as an ordinary process and watch it live."
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Open the viewer. Raises UsageError, OutputError."""
    return launch(lambda app: app.start_demo(), read_picture(arguments), arguments.view)
