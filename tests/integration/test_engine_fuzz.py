"""Hostile clients at the socket of an engine with AddressSanitizer and UBSan: the short run."""

from __future__ import annotations

import tempfile

import pytest

from harness import sanitized
from harness.matrix import SOME, some_pythons
from harness.pythons import Python
from harness.socket_fuzzer import Fuzzer

SEED = 1
N_ROUNDS = 5  # on each Python others: what the engine reads does not depend on the version

pytestmark = [
    pytest.mark.attach,
    pytest.mark.timeout(1200),  # the first of them builds the engine
    pytest.mark.skipif(bool(sanitized.find_refusal()), reason=sanitized.find_refusal() or "-"),
]


@some_pythons
def test_no_client_can_harm_the_program(python: Python) -> None:
    """`make fuzz` says what a round is, and how to have one again."""
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-") as folder,
        Fuzzer(python, SEED, folder) as fuzzer,
    ):
        first = N_ROUNDS * SOME.index(python)
        fuzzed = fuzzer.run(lambda number: number >= first + N_ROUNDS, first)
    assert fuzzed.n_rounds == N_ROUNDS
