"""Several files as one profile; tests/contract compares their sums with pprof's."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from harness.profile_server import PlayedProfiles
from harness.profiles import encode_stacks
from harness.reports import run_command
from stackglass.http.server import Server
from stackglass_viewer.model.errors import ContentError, RemoteError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.reports.selection import open_inputs, open_stacks

CORPUS = Path(__file__).resolve().parents[3] / "corpus"


def write(path: Path, text: str, period: int = 0, unit: str = "nanoseconds") -> str:
    message = Message.FromString(gzip.decompress(encode_stacks(text, unit)))
    message.period = period
    path.write_bytes(message.SerializeToString())
    return str(path)


def test_several_are_added_up(tmp_path: Path) -> None:
    files = [write(tmp_path / name, "main;load 5", 10) for name in ("a.pb", "b.pb")]
    profile, name = open_inputs(files)
    assert isinstance(profile, Profile)
    assert name == "a.pb + b.pb"
    assert profile.samples.values.tolist() == [[2], [10]]
    assert profile.duration_ns == 2_000_000_000
    assert profile.warnings == ()
    assert open_inputs(files * 2)[1] == "4 files"


def test_numbers_of_samples_at_other_rates_are_a_warning(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{period}.pb", "main 5", period) for period in (10, 1000)]
    profile, _ = open_inputs(files)
    assert profile.warnings == (
        "samples were taken every 10 and 1\u202f000: they count different amounts",
    )


def test_other_kinds_are_refused_with_what_they_are(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{unit}.pb", "main 5", 10, unit) for unit in ("bytes", "count")]
    with pytest.raises(ContentError, match="different kinds are not added up") as caught:
        open_inputs(files)
    assert "bytes" in caught.value.message
    table = str(CORPUS / "cprofile.workload.py3.12.prof")
    with pytest.raises(ContentError, match="without stacks to add up"):
        open_stacks([files[0], table], "peek")


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ContentError, match="only one profile can be standard input"):
        open_inputs(["-", "-"])
    content = io.BytesIO(gzip.decompress(encode_stacks("main 5")))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    with pytest.raises(ContentError, match="only one profile can be standard input"):
        run_command("traces", "-", "--base", "-")


def test_a_standard_input_that_is_closed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ContentError, match="standard input is closed"):
        open_inputs(["-"])


def test_a_servers_profile_is_fetched() -> None:
    with Server(PlayedProfiles(heap=encode_stacks("main;keep 10"))) as server:
        profile, name = open_stacks([f"{server.url}heap"], "top")
        assert profile.samples.values.tolist() == [[1], [10]]
        assert name == f"heap of {server.url.split('/')[2]}"
        with pytest.raises(RemoteError, match="404"):
            open_inputs([f"{server.url}nothing"])
        with pytest.raises(RemoteError, match="list of a server's profiles") as caught:
            open_inputs([server.url])
    assert f"{server.url}profile?seconds=5" in caught.value.remedy


def test_a_file_whose_name_looks_like_a_url_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "http:").mkdir()
    write(tmp_path / "http:" / "heap", "main 5")
    monkeypatch.chdir(tmp_path)
    assert open_inputs(["http://heap"])[1] == "heap"
