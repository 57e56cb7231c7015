"""Comparison of seven reports on many files with ``go tool pprof``, for the whole table of options.

    make pprof-agreement                           the files of tests/corpus, and synthetic ones
    make pprof-agreement FILES="FOLDER FILE …"     and these
    STACKGLASS_EVERY=8 make pprof-agreement …      an eighth of the options for each file: others
                                                   for each, so that many files have them all

Each file that pprof reads must open, and each report must be pprof's, on every sample type and
with each of 301 sets of options, except for the differences that docs/limits.md lists. Those are
counted by their reason; others are printed, and the exit status is 1.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from harness.agreed_differences import LINE_BREAKS, WITHOUT_END, find_reason
from harness.go_tool import find_pprof
from harness.inlined_profile import write_inlined, write_labelled
from harness.pprof_shell import find_refusal
from harness.report_agreement import find_differences
from harness.report_options import WHOLE_TABLE
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
_SHOWN = 5
_LARGEST_BYTES = 1 << 20
"""Larger files get only some sets of options, because each report takes seconds."""
_EVERY_LARGE = len(WHOLE_TABLE) // 8


class Finding(NamedTuple):
    n_compared: int
    reasons: Counter[str]
    faults: list[str]
    passed_over: str = ""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        inlined, labelled = Path(folder, "inlined.pb"), Path(folder, "labelled.pb")
        write_inlined(inlined)
        write_labelled(labelled)
        paths = [inlined, labelled, *list_files([CORPUS, *map(Path, sys.argv[1:])])]
        every = int(os.environ.get("STACKGLASS_EVERY", "1"))
        n_compared, n_files, reasons = 0, 0, Counter[str]()
        n_faults, passed_over = 0, Counter[str]()
        find_pprof()  # builds it once, if necessary, not in each worker
        with ProcessPoolExecutor(os.cpu_count()) as workers:
            findings = workers.map(compare, paths, range(len(paths)), [every] * len(paths))
            for path, found in zip(paths, findings, strict=True):
                n_compared += found.n_compared
                n_files += not found.passed_over
                reasons += found.reasons
                n_faults += len(found.faults)
                for each in found.faults:  # at once, because the run may be interrupted
                    print(f"  DIFFERS: {each}", flush=True)
                if found.passed_over:
                    passed_over[found.passed_over] += 1
                else:
                    print(f"{path.name}: {found.n_compared} reports", flush=True)
    print(
        f"\n{n_compared} reports of {n_files} files, {len(WHOLE_TABLE)} sets of options"
        + (f", 1 in {every} for each file" if every > 1 else "")
    )
    for name, n in sorted(passed_over.items()):
        print(f"  not compared: {n} files: {name}")
    for name, n in reasons.most_common():
        print(f"  differ on purpose: {n}: {name}")
    return 1 if n_faults else 0


def list_files(places: list[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(filter(Path.is_file, place.rglob("*"))) if place.is_dir() else [place]


def compare(path: Path, number: int, every: int) -> Finding:
    """Compare all reports on a file that both can read, with one in ``every`` sets of options."""
    refusal = find_refusal(path)
    try:
        profile = open_profile(path)
    except ContentError as error:
        if refusal is not None:
            return Finding(0, Counter(), [], "no profile, neither here nor in pprof")
        if "before its end mark" in error.message:
            return Finding(0, Counter([WITHOUT_END]), [])
        return Finding(0, Counter(), [f"{path}: pprof reads it; here: {error.message}"])
    if refusal is not None:
        return Finding(0, Counter(), [], "pprof does not read the format")
    if not isinstance(profile, Profile):
        return Finding(0, Counter(), [f"{path}: a profile in pprof, not here"])
    if any("\n" in profile.strings[name] for name in set(profile.functions.name.tolist())):
        return Finding(0, Counter([LINE_BREAKS]), [])
    every = every if path.stat().st_size <= _LARGEST_BYTES else max(every, _EVERY_LARGE)
    table = WHOLE_TABLE[number % every :: every]
    try:
        n_compared, differing = find_differences(path, table)
    except AssertionError as error:  # continue with the other files
        return Finding(0, Counter(), [f"{path}: a report cannot be compared: {str(error)[:200]}"])
    reasons, faults = Counter[str](), []
    for each in differing:
        reason = find_reason(each)
        if reason is None:
            faults.append(each.place)
        else:
            reasons[reason] += 1
    more = len(faults) - _SHOWN
    shown = faults[:_SHOWN] + ([f"{path}: {more} more"] if more > 0 else [])
    return Finding(n_compared, reasons, shown)


if __name__ == "__main__":
    sys.exit(main())
