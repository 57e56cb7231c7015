"""Commands of the viewer, and their JSON for options in pprof's spelling: ``name=value``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


def run_command(command: str, *words: str | Path) -> int:
    """Run a command of ``stackglass_viewer.commands``, or ``top_command``, with these words."""
    folder = "stackglass_viewer" if command == "top_command" else "stackglass_viewer.commands"
    module = import_module(f"{folder}.{command}")
    parser = argparse.ArgumentParser(allow_abbrev=False)
    module.add_arguments(parser)
    status: int = module.run(module.parse(parser, [str(word) for word in words]))
    return status


def read_report(
    capsys: pytest.CaptureFixture[str], command: str, options: Sequence[str], *words: str | Path
) -> Any:
    """Return the output of a command with ``--json``; its warnings are dropped."""
    spelled = [f"--{each}".removesuffix("=true") for each in options]
    assert run_command(command, *words, "--json", *spelled) == 0
    return json.loads(capsys.readouterr().out)
