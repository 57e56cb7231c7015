"""Many snapshots of healthy programs that contend for locks: no false cycle, no false holder.

    python tests/soak/waits_proof.py [PROGRAM …]

STACKGLASS_LOOKS: snapshots of each program on each Python (1000). STACKGLASS_PROOF_PYTHONS: number
of Pythons, the newest first (all). Exits with 1 if anything was wrong.
"""

from __future__ import annotations

import os
import sys
import time

from harness.healthy import PROGRAMS, Findings, look_at
from harness.matrix import PYTHONS
from harness.targets import TargetError
from stackglass.errors import AttachError


def main() -> int:
    n_looks = int(os.environ.get("STACKGLASS_LOOKS", "1000"))
    n_pythons = int(os.environ.get("STACKGLASS_PROOF_PYTHONS", str(len(PYTHONS))))
    n_wrong = n_all = 0
    for python in reversed(PYTHONS[-n_pythons:]):
        for program in sys.argv[1:] or PROGRAMS:
            begun = time.monotonic()
            try:
                found = look_at(python, program, n_looks)
            except (AttachError, TargetError) as error:  # it has ended or failed
                found = Findings(wrong=(f"{program}: {error}",))
            n_wrong += len(found.wrong)
            n_all += found.n_looks
            print(
                f"{python.label:14} {program:22} {found.n_looks} looks, {found.n_waiting} waiting, "
                f"{found.n_holders} holders, {found.n_checked} checked, {len(found.wrong)} wrong, "
                f"{time.monotonic() - begun:.0f} s",
                flush=True,
            )
            for line in found.wrong[:10]:
                print(f"    {line}", flush=True)
    print(f"{n_all} looks, {n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
