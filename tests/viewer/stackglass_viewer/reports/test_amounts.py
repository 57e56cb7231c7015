"""Sums as options want them, in the text of each report; ``go tool pprof`` is the judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.profiles import encode_labels, encode_stacks
from harness.reports import read_report, run_command
from stackglass_viewer.model.errors import ContentError

# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)
STACKS = "main;load;parse 30\nmain;load 15\nidle 5"
_SHARE = re.compile(r"(?<=[\s(])[\d.]+(?=%)")
_ALL = ("-nodecount=0", "-nodefraction=0", "-edgefraction=0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    labels = [{"route": "/a"}, {"route": "/b"}, {}]
    path.write_bytes(encode_labels(encode_stacks(STACKS), labels))
    return path


def list_shares(text: str) -> list[float]:
    return [float(each) for each in _SHARE.findall(text)]


@pytest.mark.parametrize("divisor", ["1000", "7", "0.5"])
@pytest.mark.parametrize(
    ("command", "printed", "head"),
    [
        ("top_command", ["-top"], "cum%"),
        ("tree", ["-tree"], "calls%"),
        ("peek", ["-peek", "load"], "calls%"),
        ("tags", ["-tags"], "route"),
        ("listing", ["-list", "load"], "Total"),
    ],
)
def test_shares_are_of_what_is_not_divided(
    path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    printed: Sequence[str],
    head: str,
    divisor: str,
) -> None:
    """Divided values are cut to whole ones; shares of these would be made up."""
    words = [f"-divide_by={divisor}", *(_ALL if command in ("top_command", "tree") else ())]
    assert run_command(command, path, *printed[1:], *words) == 0
    shares = list_shares(capsys.readouterr().out.partition(head)[2])
    option = "=".join(printed)
    theirs = list_shares(run_pprof(option, *_ALL, *words[:1], path).partition(head)[2])
    assert shares == pytest.approx(theirs, abs=0.01)
    assert len(shares) > 2 or command == "listing"


def test_the_mean_of_a_difference_has_the_sign_of_its_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after, before = tmp_path / "after", tmp_path / "before"
    after.write_bytes(encode_stacks("main;a 30"))
    before.write_bytes(encode_stacks("main;a 10\nmain;b 10\nmain;c 10"))
    printed = run_pprof("-top", "-mean", "-unit=ns", f"-base={before}", after)
    assert "of -20ns total" in printed
    for command in ("top_command", "traces"):
        document = read_report(capsys, command, ["mean=true"], after, "--base", before)
        assert document["total"] == -20


def test_a_base_without_values_is_no_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """100 % is then the mean of all samples, not of the base's."""
    after, before = tmp_path / "after", tmp_path / "before"
    after.write_bytes(encode_stacks("main;a 30\nmain;b 30\nmain;c 30"))
    before.write_bytes(encode_stacks("main;a 0"))
    printed = run_pprof("-top", "-mean", "-unit=ns", f"-diff_base={before}", after)
    (total,) = re.findall(r"of (-?\d+)ns total", printed)
    for command in ("top_command", "tree"):
        document = read_report(capsys, command, ["mean=true"], after, "--diff-base", before)
        assert document["total"] == int(total) == 45


@pytest.mark.parametrize("command", ["top_command", "tree", "tags", "traces", "listing"])
def test_a_quotient_of_more_than_64_bits_is_an_error(path: Path, command: str) -> None:
    words = ["load"] if command == "listing" else []
    for form in ([], ["--json"]):
        with pytest.raises(ContentError, match="more than 64 bits"):
            run_command(command, path, *words, "--divide-by=1e-300", *form)
