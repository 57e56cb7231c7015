"""Filters of ``top``: the same rows and shares as ``go tool pprof``'s, for many combinations."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.inlined_profile import write_inlined, write_labelled
from harness.pprof_shell import print_reports
from stackglass_viewer import top_command
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
INLINED: tuple[list[str], ...] = (
    *([], ["focus=b"], ["focus=^b$"], ["focus=lib"], ["focus=none"], ["ignore=c"], ["ignore=none"]),
    *(["focus=a", "ignore=lib"], ["hide=b"], ["hide=lib"], ["hide=."], ["hide=[ab]"], ["show=a"]),
    *(["show=lib"], ["show=none"], ["show=a|c", "hide=c"], ["show_from=b"], ["show_from=lib"]),
    *(["show_from=none"], ["prune_from=b"], ["prune_from=[cx]"], ["prune_from=none"]),
    *(["noinlines=true"], ["noinlines=true", "focus=b"], ["hide=b", "noinlines=true"]),
    *(["show_from=b", "prune_from=c"], ["focus=a.py"], ["hide=b.py"], ["tagfocus=k=1"]),
    *(["tagfocus=k=1", "focus=c"], ["relative_percentages=true", "focus=c"], ["focus=[[:alpha:]]"]),
    *(["relative_percentages=true", "tagignore=k=1"], ["show_from=a", "hide=a", "ignore=x"]),
)
GRANULARITIES: tuple[list[str], ...] = (
    *([f"granularity={each}"] for each in ("filefunctions", "files", "lines", "addresses")),
    *(["granularity=lines", "noinlines=true"], ["granularity=addresses", "noinlines=true"]),
    *(["granularity=files", "focus=b"], ["granularity=lines", "trim_path=/src:/usr/"]),
    *(["granularity=files", "trim_path=/src/app"], ["nodefraction=0.1"], ["nodefraction=0.6"]),
    *(["nodefraction=0.3", "focus=b", "granularity=lines"], ["divide_by=3"], ["divide_by=0.5"]),
    *(["drop_negative=true"], ["drop_negative=true", "nodefraction=0.2"]),
    *(["nodecount=1"], ["nodecount=4"], ["nodecount=3", "sort=cum"], ["trim=false", "nodecount=1"]),
    *(["granularity=lines", "source_path=/my/app:/my/other"], ["nodecount=2", "nodefraction=0.2"]),
)
OF_GO: tuple[list[str], ...] = (
    *([], ["focus=json"], ["ignore=json"], ["hide=runtime"], ["show=main|bytes"]),
    *(["show_from=main"], ["prune_from=encoding"], ["noinlines=true"], ["focus=mem.*go"]),
    *(["relative_percentages=true", "focus=json"], ["tagfocus=bytes=1kb:", "focus=main"]),
    *(["show_from=json", "hide=reflect"], ["noinlines=true", "hide=json", "focus=main"]),
)
LABELS: tuple[list[str], ...] = (
    *(["tagroot=route"], ["tagleaf=route"], ["tagroot=route,k", "tagleaf=state,wait"]),
    *(["tagroot=bytes", "sort=cum"], ["tagleaf=wait", "unit=us", "sample_index=n"]),
    *(["tagroot=none"], ["tagroot=route", "focus=^/a$"], ["tagleaf=route", "hide=route"]),
    *(["tagroot=state", "granularity=filefunctions"], ["tagroot=k", "noinlines=true"]),
    *(["tagroot=route", "tagignore=route=a"], ["tagfocus=wait=:2s", "focus=lib"]),
    *(["tagfocus=wait=1s:", "ignore=a"], ["tagroot=route", "mean=true"], ["taghide=.", "focus=a"]),
    *(["tagroot=route", "show_from=/b"], ["tagroot=k,route", "prune_from=^b$"]),
)
_ROW = re.compile(r" *(-?\d+)\w*\s+\S+\s+\S+\s+(-?\d+)\w*\s+\S+%  (.*)")
_INLINE = re.compile(r" \((partial-)?inline\)$")
Rows = dict[str, tuple[int, int]]


def run_top(capsys: pytest.CaptureFixture[str], path: Path, options: Sequence[str]) -> Rows:
    parser = argparse.ArgumentParser()
    top_command.add_arguments(parser)
    words = [f"--{each}".removesuffix("=true") for each in options]
    words = ["--cum" if word == "--sort=cum" else word for word in words]
    assert top_command.run(parser.parse_args([str(path), "--json", *words])) == 0
    document = json.loads(capsys.readouterr().out)
    values = {row["name"]: (row["flat"], row["cum"]) for row in document["rows"]}
    rows = {name: pair for name, pair in values.items() if any(pair)}  # a mean may be 0
    return rows | {"total": (document["total"], 0)}


def read_report(text: str) -> Rows:
    """The rows; what has no value is left out, and the total is a row as well."""
    rows: Rows = {}
    for line in text.partition("cum%\n")[2].splitlines():
        found = _ROW.fullmatch(line)
        assert found, line
        if int(found[1]) or int(found[2]):
            rows[_INLINE.sub("", found[3])] = (int(found[1]), int(found[2]))
    total = re.search(r"Showing nodes accounting for .* of (\d+)\w* total", text)
    return rows | {"total": (int(total[1]) if total else 0, 0)}


def check(
    capsys: pytest.CaptureFixture[str],
    path: Path,
    table: Sequence[list[str]],
    *unit: str,
    base: Sequence[str] = (),
) -> None:
    """``base``: options of both commands that are no options of the shell."""
    theirs = print_reports("top", [[*unit, *options] for options in table], *base, path)
    base_words = [each.removeprefix("-") for each in base]
    wrong = []
    for options, text in zip(table, theirs, strict=True):
        found, want = run_top(capsys, path, [*base_words, *options]), read_report(text)
        if found != want and want != {"total": (0, 0)}:
            both = found.keys() | want.keys()
            differing = {name for name in both if found.get(name) != want.get(name)}
            wrong.append((options, [(each, found.get(each), want.get(each)) for each in differing]))
        if want == {"total": (0, 0)}:  # pprof prints no total where nothing is left
            assert set(found) == {"total"}, options
    assert wrong == []


def test_names_lines_and_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "inlined.pb"
    write_inlined(path)
    check(capsys, path, INLINED)


def test_rows_and_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "inlined.pb"
    write_inlined(path)
    check(capsys, path, GRANULARITIES)
    message = Message.FromString(path.read_bytes())
    for sample in message.sample[::3]:
        sample.value[0] *= -1
    path.write_bytes(message.SerializeToString())
    check(capsys, path, GRANULARITIES)


@pytest.mark.parametrize("words", ["base", "diff_base", "base normalize", "diff_base normalize"])
def test_differences(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str) -> None:
    path, before = tmp_path / "now.pb", tmp_path / "before.pb"
    write_inlined(path)
    message = Message.FromString(path.read_bytes())
    for number, sample in enumerate(message.sample):
        sample.value[0] = sample.value[0] * 3 // 2 + number % 2
    del message.sample[4::5]
    before.write_bytes(message.SerializeToString())
    option, *others = words.split()
    base = [f"-{option}={before}", *(f"-{other}" for other in others)]
    table: tuple[list[str], ...] = (
        [],
        ["focus=b"],
        ["drop_negative=true"],
        ["granularity=lines"],
        ["nodefraction=0.2"],
    )
    check(capsys, path, table, base=base)


@pytest.mark.parametrize("name", ["go.http.heap.gc.pb.gz", "go.fetch.block.pb.gz"])
def test_means_and_lines_of_go(capsys: pytest.CaptureFixture[str], name: str) -> None:
    unit = "unit=B" if "heap" in name else "unit=ns"
    table = (
        *(["mean=true"], ["mean=true", "focus=main"], ["mean=true", "nodefraction=0.01"]),
        *(["granularity=lines"], ["granularity=addresses"], ["granularity=lines", "mean=true"]),
        *(["granularity=filefunctions", "divide_by=1000"], ["granularity=lines", "hide=runtime"]),
    )
    check(capsys, CORPUS / name, table, unit)


def test_labels_as_calls(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    check(capsys, path, [["unit=B", *options] for options in LABELS])


def test_a_heap_of_go(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, CORPUS / "go.http.heap.gc.pb.gz", OF_GO, "unit=B")
