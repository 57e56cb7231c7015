"""Fuzz the engine's side of its socket, built with AddressSanitizer and UBSan, in real programs.

    make fuzz                               a minute on each of three Pythons
    STACKGLASS_FUZZ_S=600 make fuzz         so many seconds in all
    STACKGLASS_FUZZ_SEED=7 make fuzz        the clients of an earlier run again
    STACKGLASS_FUZZ_SEED=7 STACKGLASS_FUZZ_ROUND=123 make fuzz      … from that round on

Clients send arbitrary bytes, well-formed messages with extreme values, and parts of messages; some
do not read, or disconnect at any step; up to 24 connect at a time. After each round the program
must be alive, a correct client must be served, and every descriptor must be closed. A sanitizer's
finding ends the run, and prints its seed and round.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time

from harness import sanitized
from harness.pythons import Python, pythons_with_gil
from harness.socket_fuzzer import Fuzzer, FuzzError

SECONDS = 180.0
MINORS = (9, 13, 15)


def main() -> int:
    refusal = sanitized.find_refusal()
    if refusal:
        print(f"nothing can be fuzzed here: {refusal}")
        return 1
    seed = int(os.environ.get("STACKGLASS_FUZZ_SEED", random.randrange(1 << 31)))
    first = int(os.environ.get("STACKGLASS_FUZZ_ROUND", "0"))
    print(f"seed {seed}", flush=True)
    pythons = pythons_with_gil()
    chosen = [python for python in pythons if python.minor in MINORS] or pythons[:1]
    each_s = float(os.environ.get("STACKGLASS_FUZZ_S", SECONDS)) / len(chosen)
    for python in chosen:
        print(f"{python.label}: {fuzz(python, seed, first, each_s)}", flush=True)
    return 0


def fuzz(python: Python, seed: int, first: int, seconds: float) -> str:
    """Fuzz one Python's engine. Returns the result as text. Raises FuzzError."""
    until_s = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-") as folder,
        Fuzzer(python, seed, folder) as fuzzer,
    ):
        done = fuzzer.run(lambda number: time.monotonic() >= until_s, first)
    return f"{done.n_rounds} rounds, {done.n_steps} steps, nothing found"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FuzzError as error:
        sys.exit(str(error))
