"""Fuzz the readers of files, guided by coverage (atheris): every format, and files like none.

    make fuzz-readers                              two minutes for each seed
    STACKGLASS_FUZZ_S=600 make fuzz-readers        so many seconds in all
    STACKGLASS_FUZZ_SEED=7 make fuzz-readers       as an earlier run
    STACKGLASS_FUZZ_FORMAT=firefox make fuzz-readers       one seed of `harness/reader_seeds.py`

Faulty files are written to `build/fuzz-readers`; add them to `tests/corpus/fuzzed`, where a test
opens every file. Any file must open completely or be refused with one line, in bounded memory.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from harness.reader_seeds import SEEDS

SECONDS_EACH = 120
FINDS = Path("build/fuzz-readers")


def main() -> int:
    seed = int(os.environ.get("STACKGLASS_FUZZ_SEED", random.randrange(1, 1 << 31)))
    names = os.environ.get("STACKGLASS_FUZZ_FORMAT", "").split() or list(SEEDS)
    total_s = float(os.environ.get("STACKGLASS_FUZZ_S", SECONDS_EACH * len(names)))
    FINDS.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}", flush=True)
    failed = []
    for name in names:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "harness.reader_fuzzer", name),
                *(f"-seed={seed}", f"-max_total_time={max(int(total_s / len(names)), 1)}"),
                f"-artifact_prefix={FINDS}/{name}-",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = done.stdout.strip().splitlines()
        print(f"{name}: {lines[-1] if lines else ''}", flush=True)
        if done.returncode:
            failed.append(name)
            print("\n".join(lines[-40:]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
