"""Agreed differences from pprof: for each row of the table in docs/limits.md, a proof.

A function proves that a difference has one reason. It converts both reports to a form in which they
must be equal, or it changes the file in the one point that the reason names, and asks pprof again.
"""

from __future__ import annotations

import gzip
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from google.protobuf.message import DecodeError

from harness.go_tool import run_pprof
from harness.report_agreement import Difference, read_found, read_printed
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.units import make_printable

_MADE_UP = re.compile(r"(\d+): 0x0/(?:0x0|0xf{16})/0x0")
_SAMPLE = re.compile(r"((?: +-?\d+)+:)((?: \d+)*)")
_LOCATION = re.compile(r" *(\d+): 0x[0-9a-f]+(?: M=(\d+))?")
_MAPPING = re.compile(r"(\d+): 0x")
_COMMENT = re.compile(rb"^#(?:\t|(?: labels)).*\n?", re.MULTILINE)


def find_reason(difference: Difference) -> str | None:
    """Return the first cell of the row in docs/limits.md that explains it; None = no row does."""
    return next((name for name, proves in REASONS.items() if proves(difference)), None)


def is_order_of_equals(difference: Difference) -> bool:
    """Whether ``top`` has the same rows, in the same order but for rows of equal values."""
    if difference.report != "top":
        return False
    (found, found_total), (printed, printed_total) = difference.found, difference.printed
    column = 2 if "sort=cum" in difference.options else 1
    sizes, printed_sizes = ([abs(row[column]) for row in rows] for rows in (found, printed))
    return (found_total, sorted(found), sizes) == (printed_total, sorted(printed), printed_sizes)


def is_order_of_means(difference: Difference) -> bool:
    """Whether ``top`` has the same rows, which Stackglass orders by the means that it shows."""
    if difference.report != "top" or "mean=true" not in difference.options:
        return False
    (found, found_total), (printed, printed_total) = difference.found, difference.printed
    sizes = [abs(row[1]) for row in found]
    is_sorted = sizes == sorted(sizes, reverse=True)
    return is_sorted and (found_total, sorted(found)) == (printed_total, sorted(printed))


def is_made_up_mapping(difference: Difference) -> bool:
    if difference.report != "raw":
        return False
    lines = _leave_out_made_up(difference.printed)
    return lines != difference.printed and lines == _leave_out_made_up(difference.found)


def is_row_of_a_file(difference: Difference) -> bool:
    """Whether names, and sums of flat by name, are the same. In pprof's rows, cum counts calls
    within the file several times."""
    if "granularity=files" not in difference.options or difference.report not in _OF_NODES:
        return False
    return _sum_flat(_list_rows(difference.found)) == _sum_flat(_list_rows(difference.printed))


def is_undivided(difference: Difference) -> bool:
    """Whether the values found are pprof's, divided by those of the first sample type: pprof does
    not apply ``mean`` to tags, edges of its graph and the sums of ``list``."""
    if "mean=true" not in difference.options:
        return False
    if difference.report in ("tree", "peek"):
        return _list_rows(difference.found) == _list_rows(difference.printed)
    if difference.report not in ("tags", "list"):
        return False
    options = [each for each in difference.options if each != "mean=true"]
    counted = [options[0], "sample_index=0", *options[2:]]
    sums, counts = (_read_again(difference, difference.paths, each) for each in (options, counted))
    return bool(sums == difference.printed and _divide(sums, counts) == difference.found)


def is_one_library_in_several_folders(difference: Difference) -> bool:
    """Whether pprof has the same rows if all libraries of a name are in one folder."""
    return _is_same_after(difference, _join_folders)


def is_column_of_an_unknown_line(difference: Difference) -> bool:
    """Whether pprof has the same rows if frames without a line have no column."""
    if "showcolumns=true" not in difference.options:
        return False
    return _is_same_after(difference, _leave_out_lone_columns)


def is_names_of_comments(difference: Difference) -> bool:
    """Whether both have the same rows for the text without its comments."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, path in enumerate(difference.paths):
            content = path.read_bytes()
            paths.append(Path(folder, f"{number}.{path.name}"))
            paths[-1].write_bytes(_COMMENT.sub(b"", content))
            if not content.isascii() or paths[-1].stat().st_size == len(content):
                return False
        options = difference.options
        found = read_found(difference.report, paths, options)
        return _is_same(
            difference._replace(found=found, printed=_read_again(difference, paths, options))
        )


def is_bytes_of_a_name(difference: Difference) -> bool:
    """Whether pprof's bytes, decoded, are the same text."""
    decoded = difference._replace(printed=_decode(difference.printed))
    return bool(decoded.printed != difference.printed) and _is_same(decoded)


def is_control_character_of_a_name(difference: Difference) -> bool:
    """Whether ``raw`` is the same once control characters in pprof's text are replaced as here."""
    if difference.report != "raw":
        return False
    printed = [make_printable(line) for line in difference.printed]
    return printed != difference.printed and _is_same(difference._replace(printed=printed))


def is_number_of_the_file(difference: Difference) -> bool:
    """Whether ``raw`` is the same once locations and mapped files are numbered from 1 on."""
    if difference.report != "raw":
        return False
    printed = _renumber(difference.printed)
    return printed != difference.printed and _is_same(difference._replace(printed=printed))


REASONS: dict[str, Callable[[Difference], bool]] = {
    "`top`: rows of the same value": is_order_of_equals,
    "`top --mean`": is_order_of_means,
    "`raw` of addresses in no mapped file": is_made_up_mapping,
    "`--granularity files`": is_row_of_a_file,
    "`--mean` in `tags` and `list`; of calls in `tree` and `peek`": is_undivided,
    "names that are not UTF-8": is_bytes_of_a_name,
    "names with control characters": is_control_character_of_a_name,
    "`raw`: numbers of locations and mapped files": is_number_of_the_file,
    "Go's text (`debug=1`)": is_names_of_comments,
    "addresses without names in mapped files of one name in several folders": (
        is_one_library_in_several_folders
    ),
    "`--showcolumns`: columns of unknown lines": is_column_of_an_unknown_line,
}
WITHOUT_END = "binary CPU profiles without their end mark"
LINE_BREAKS = "names with line breaks"
FILE_REASONS = (WITHOUT_END, LINE_BREAKS)
"""Rows about files whose reports are not compared: Stackglass refuses them, or pprof's rows cannot
be read."""
_OF_NODES = ("top", "tree", "peek")


def _is_same(difference: Difference) -> bool:
    """Whether the reports are the same, except for differences that other reasons prove."""
    is_equal = bool(difference.found == difference.printed)
    return is_equal or is_order_of_equals(difference) or is_made_up_mapping(difference)


def _read_again(difference: Difference, paths: Sequence[Path], options: Sequence[str]) -> Any:
    return read_printed(difference.report, paths, [options])[0]


def _is_same_after(difference: Difference, change: Callable[[Message], int]) -> bool:
    """Whether pprof's report on the changed files is Stackglass's report on the original files.
    ``change`` returns the number of places that it changed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [_rewrite(path, Path(folder), change) for path in difference.paths]
        if paths == list(difference.paths):
            return False
        printed = _read_again(difference, paths, difference.options)
        return _is_same(difference._replace(printed=printed))


def _rewrite(path: Path, folder: Path, change: Callable[[Message], int]) -> Path:
    """Write the file as pprof reads it, changed. Returns the same path if nothing was changed."""
    packed = folder / f"{path.name}.pb.gz"
    run_pprof("-proto", f"-output={packed}", path)
    plain = folder / f"{path.name}.pb"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    try:
        message = Message.FromString(plain.read_bytes())
    except DecodeError:  # names that are not UTF-8
        return path
    n_changed = change(message)
    plain.write_bytes(message.SerializeToString())
    return plain if n_changed else path


def _join_folders(message: Message) -> int:
    """Move mapped files of one name to one folder. Returns how many were moved."""
    texts = message.string_table
    first: dict[str, int] = {}
    n_moved = 0
    for mapping in message.mapping:
        name = PurePosixPath(texts[mapping.filename]).name
        place = first.setdefault(name, mapping.filename)
        n_moved += place != mapping.filename
        mapping.filename = place
    return n_moved


def _leave_out_lone_columns(message: Message) -> int:
    lines = [line for each in message.location for line in each.line]
    lone = [line for line in lines if line.column and not line.line]
    for line in lone:
        line.column = 0
    return len(lone)


def _list_rows(report: Any) -> list[tuple[str, int, int]]:
    """List name, flat and cum of the rows of ``top``, ``tree`` or ``peek``."""
    rows = report[0] if isinstance(report, tuple) else report
    return [tuple(row[:3]) for row in rows]


def _sum_flat(rows: list[tuple[str, int, int]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for name, flat, _ in rows:
        sums[name] += flat
    return sums


def _leave_out_made_up(lines: list[str]) -> list[str]:
    """Drop the mapped file that pprof makes up for addresses in no mapped file."""
    at = lines.index("Mappings")
    made_up = [found[1] for line in lines[at:] if (found := _MADE_UP.fullmatch(line))]
    kept = lines[:at] + [line for line in lines[at:] if not _MADE_UP.fullmatch(line)]
    for number in made_up:
        kept = [re.sub(rf"(^ *\d+: 0x\w+) M={number}(?= |$)", r"\1", line) for line in kept]
    return kept


def _renumber(lines: list[str]) -> list[str]:
    of_locations = _list_numbers(lines, "Locations")
    of_mappings = _list_numbers(lines, "Mappings")
    renumbered = []
    section = ""
    for line in lines:
        if line in ("Samples:", "Locations", "Mappings"):
            section = line
        elif section == "Samples:" and (found := _SAMPLE.fullmatch(line)):
            ids = (of_locations.get(each, each) for each in found[2].split())
            line = found[1] + "".join(f" {each}" for each in ids)
        elif section == "Locations" and (found := _LOCATION.match(line)):
            file = found[2] and f" M={of_mappings.get(found[2], found[2])}"
            line = f"{of_locations[found[1]]:>6}: {line[found.end(1) + 2 :]}"
            line = line.replace(f" M={found[2]}", file or "", 1)
        elif section == "Mappings" and (found := _MAPPING.match(line)):
            line = f"{of_mappings[found[1]]}{line[found.end(1) :]}"
        renumbered.append(line)
    return renumbered


def _list_numbers(lines: list[str], section: str) -> dict[str, str]:
    """Map the numbers of a section's rows to their positions, from 1 on."""
    pattern = _LOCATION if section == "Locations" else _MAPPING
    rows = lines[lines.index(section) + 1 :]
    if section == "Locations":
        rows = rows[: rows.index("Mappings")]
    numbers = [found[1] for row in rows if (found := pattern.match(row))]
    return {number: str(place) for place, number in enumerate(numbers, 1)}


def _divide(sums: Any, counts: Any) -> Any:
    """Divide numbers by the counts in the same places, rounded towards 0 as in Go."""
    if isinstance(sums, dict):
        return {key: _divide(each, counts[key]) for key, each in sums.items()}
    if isinstance(sums, tuple):
        return tuple(map(_divide, sums, counts))
    return sums if counts == 0 else abs(sums) // abs(counts) * (1 if sums * counts > 0 else -1)


def _decode(value: Any) -> Any:
    """Decode texts that contain bytes (``surrogateescape``) as the readers do."""
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="replace")
    if isinstance(value, dict):
        return {_decode(key): _decode(each) for key, each in value.items()}
    if isinstance(value, tuple):
        fields = [_decode(each) for each in value]
        return type(value)(*fields) if hasattr(value, "_fields") else tuple(fields)
    return [_decode(each) for each in value] if isinstance(value, list) else value
