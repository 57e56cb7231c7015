"""The tables of ``stackglass top`` for files of other tools, as text (tests/golden/top)."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from harness.golden import Golden
from stackglass_viewer import top_command

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
FILES = (
    "cprofile.workload.py3.12.prof",
    "go.fetch.block.pb.gz",
    "go.http.cpu2s.pb.gz",
    "go.http.heap.gc.pb.gz",
    "go.http.mutex.delta1s.pb.gz",
)
N_ROWS = 12
_FOLDERS = re.compile(r"(?<![\w.])/(?:[^/\s\"]+/)+")
each_file = pytest.mark.parametrize("file", FILES)


def print_top(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    parser = argparse.ArgumentParser()
    top_command.add_arguments(parser)
    assert top_command.run(parser.parse_args([str(word) for word in words])) == 0
    return _FOLDERS.sub("/…/", capsys.readouterr().out)  # of the machines that wrote the files


@each_file
def test_text(file: str, golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    golden.check(f"top/{file}.txt", print_top(capsys, CORPUS / file, "-n", str(N_ROWS)))


@each_file
def test_json(file: str, golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    """Printed in one line, kept in many."""
    text = print_top(capsys, CORPUS / file, "--json", "--cum", "-n", str(N_ROWS))
    golden.check(
        f"top/{file}.json", json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    )
