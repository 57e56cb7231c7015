"""The list of formats: complete, and that of the user guide."""

from __future__ import annotations

import re
from pathlib import Path

from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.formats import FORMATS, name_formats

ROOT = Path(__file__).resolve().parents[5]
TRACES = {FileKind.MEMORY_TRACE, FileKind.GO_TRACE}  # opened as traces, not as profiles


def test_each_kind_that_opens_has_a_name() -> None:
    named = [kind for each in FORMATS for kind in each.kinds]
    assert len(named) == len(set(named))
    assert set(named) == {kind for kind in FileKind if kind.is_readable} | TRACES


def test_the_user_guide_has_a_row_for_each() -> None:
    guide = (ROOT / "docs/user-guide.md").read_text(encoding="utf-8")
    table = guide.partition("| format | written by |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
    assert rows == [each.heading for each in FORMATS]


def test_they_are_part_of_a_sentence() -> None:
    assert name_formats().startswith("pprof, ")
    assert name_formats().endswith(" and Go's execution traces")
