"""One process of the fuzzer of readers:
``python -m harness.reader_fuzzer SEED[,SEED…]|all [libFuzzer's options]``.

Only the readers are instrumented, not Python's JSON parser. cProfile's and memray's files are left
out, because a process for each file would take too long; `test_cprofile` fuzzes the table of
cProfile's child.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["stackglass_viewer.model.readers", "stackglass_viewer.model.memory_trace"]
):
    import stackglass_viewer.model.memory_trace.opening
    import stackglass_viewer.model.readers.opener  # noqa: F401

from harness.json_mutation import mutate_json
from harness.reader_seeds import SEEDS
from harness.session_mutation import mutate_session
from harness.trace_check import check_any
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.recognition import recognise

_JSON_SHARE = 0.7  # share of JSON files mutated as trees; the others get changed bytes
_CHUNK_SHARE = 0.9  # share of session files mutated inside chunks; checksums stop the others


def check(content: bytes) -> None:
    """Check a file. Raises an exception if a check fails."""
    if recognise(content) not in (FileKind.PSTATS, FileKind.MEMRAY):
        check_any(content)


def mutate(content: bytes, max_size: int, seed: int) -> bytes:
    rng = random.Random(seed)
    if content[:1] in (b"{", b"[") and rng.random() < _JSON_SHARE:
        changed = mutate_json(content, rng)
        if changed is not None and len(changed) <= max_size:
            return changed
    if content[:10] == b"stackglass" and rng.random() < _CHUNK_SHARE:
        changed = mutate_session(
            content, rng, lambda raw: bytes(atheris.Mutate(raw, max(len(raw) + 64, 1)))
        )
        if changed is not None and len(changed) <= max_size:
            return changed
    return bytes(atheris.Mutate(content, max_size))


def main() -> None:
    name, *options = sys.argv[1:]
    chosen = SEEDS if name == "all" else {each: SEEDS[each] for each in name.split(",")}
    with tempfile.TemporaryDirectory(prefix="fuzz-readers-") as folder:
        for each, content in chosen.items():
            (Path(folder) / each).write_bytes(content)
        limits = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=700", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *limits, *options, folder], check, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
