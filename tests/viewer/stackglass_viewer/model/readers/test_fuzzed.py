"""Any file opens whole or is refused with one line: the fuzzer's finds, and a short run of it."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from harness.json_mutation import mutate_json
from harness.reader_seeds import SEEDS
from harness.session_mutation import mutate_session
from harness.trace_check import check_any

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
FUZZED = sorted((CORPUS / "fuzzed").iterdir())
N_RUNS = 4000
SEED = 1


@pytest.mark.parametrize("name", SEEDS)
def test_the_seeds_open(name: str) -> None:
    assert check_any(SEEDS[name])


@pytest.mark.parametrize("path", FUZZED, ids=lambda path: path.name)
def test_what_was_found_is_refused_or_opens(path: Path) -> None:
    check_any(path.read_bytes())


def test_a_cut_file_is_refused_or_opens() -> None:
    for content in SEEDS.values():
        for end in range(0, len(content), 7):
            check_any(content[:end])


def test_mutations_are_other_documents() -> None:
    rng = random.Random(SEED)
    changed = {mutate_json(SEEDS["firefox"], rng) for _ in range(50)}
    assert len(changed) > 40
    assert mutate_json(b"no json", rng) is None


def test_mutations_of_session_files_are_sealed_again() -> None:
    rng = random.Random(SEED)
    opened = set()
    for _ in range(60):
        changed = mutate_session(
            SEEDS["session"], rng, lambda raw: raw[:-1] + bytes((raw[-1] ^ 1,))
        )
        assert changed is not None
        opened.add(check_any(changed))
    assert opened == {True, False}
    assert mutate_session(b"no session file", rng, bytes) is None


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
@pytest.mark.timeout(900)
def test_a_short_run_of_the_fuzzer_finds_nothing(tmp_path: Path) -> None:
    # Its limit is of the peak, which a process takes over from the one that starts it: the worker
    # of these tests may have had more. The shell's is small.
    done = subprocess.run(
        [
            *("sh", "-c", '"$@"; exit $?', "sh"),
            *(sys.executable, "-m", "harness.reader_fuzzer", "all"),
            *(f"-seed={SEED}", f"-runs={N_RUNS}", f"-artifact_prefix={tmp_path}/"),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found = [path.read_bytes() for path in tmp_path.iterdir()]
    said = (
        done.stdout[-3000:] + done.stderr[-300:]
    )  # the exception, then what libFuzzer makes of it
    assert not found, said
    assert done.returncode == 0, said
