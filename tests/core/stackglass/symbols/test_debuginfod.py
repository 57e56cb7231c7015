"""Debug files from a server: what is stored, what is refused, and that nothing is left behind."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from harness.compiled import FOLDER
from stackglass import cli
from stackglass.errors import OutputError
from stackglass.symbols import debuginfod
from stackglass.symbols.debuginfod import DownloadError, download, find_cached, list_servers
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.open_file import OpenFile

SOURCE = FOLDER / "native_names" / "inlined.c"


class Server(HTTPServer):
    """Answers by path: a status, a body, and how many bytes it announces beyond that."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, bytes, int]] = {}
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.asked.append(self.path)
        status, body, extra = server.answers.get(self.path, (404, b"", 0))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + extra))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEBUGINFOD_CACHE_PATH", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "libinlined.so"
    command = ["cc", "-g", "-shared", "-fPIC", "-Wl,--build-id", "-o", str(path), str(SOURCE)]
    subprocess.run(command, check=True)
    return path


def read_build_id(path: Path) -> str:
    return ElfFile(OpenFile(str(path)).read).build_id


def list_files(cache: Path) -> list[str]:
    return [name for _, _, names in os.walk(cache) for name in names]


def test_a_file_goes_where_all_clients_look(server: Server, library: Path) -> None:
    build_id, content = read_build_id(library), library.read_bytes()
    server.answers[f"/buildid/{build_id}/debuginfo"] = (200, content, 0)
    seen: list[tuple[int, int]] = []
    none = f"{server.url}/none"
    n_bytes = download(build_id, [none, server.url], lambda *done: seen.append(done))
    assert n_bytes == len(content)
    assert Path(find_cached(build_id)).read_bytes() == content
    assert seen[-1] == (len(content), len(content))
    assert server.asked == [f"/none/buildid/{build_id}/debuginfo", f"/buildid/{build_id}/debuginfo"]


def test_what_no_server_has_is_no_error(server: Server, cache: Path) -> None:
    assert download("ab12", [server.url], lambda *_: None) == 0
    assert list_files(cache) == []


@pytest.mark.parametrize(
    ("status", "body", "extra", "reason"),
    [
        (500, b"", 0, "500"),
        (200, b"<html>", 0, "is not the debug file of this build"),
        (200, b"", 0, "is not the debug file of this build"),
        (200, b"\x7fELF", 100, "cut off"),
    ],
)
def test_a_bad_answer_is_one_sentence_and_leaves_nothing(
    server: Server, cache: Path, status: int, body: bytes, extra: int, reason: str
) -> None:
    server.answers["/buildid/ab12/debuginfo"] = (status, body, extra)
    with pytest.raises(DownloadError, match=reason) as caught:
        download("ab12", [server.url], lambda *_: None)
    assert "\n" not in str(caught.value)
    assert list_files(cache) == []


def test_the_file_of_another_build_is_refused(server: Server, library: Path, cache: Path) -> None:
    server.answers["/buildid/ab12/debuginfo"] = (200, library.read_bytes(), 0)
    with pytest.raises(DownloadError, match="of this build"):
        download("ab12", [server.url], lambda *_: None)
    assert list_files(cache) == []


def test_a_download_that_is_cancelled_leaves_nothing(
    server: Server, library: Path, cache: Path
) -> None:
    build_id = read_build_id(library)
    server.answers[f"/buildid/{build_id}/debuginfo"] = (200, library.read_bytes(), 0)

    def cancel(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(build_id, [server.url], cancel)
    assert list_files(cache) == []


def test_a_cache_that_cannot_be_written_is_not_called_a_servers_fault(
    server: Server, library: Path, cache: Path
) -> None:
    build_id = read_build_id(library)
    server.answers[f"/buildid/{build_id}/debuginfo"] = (200, library.read_bytes(), 0)
    Path(find_cached(build_id)).mkdir(parents=True)
    with pytest.raises(OutputError, match=r"cannot write .*: Is a directory"):
        download(build_id, [server.url], lambda *_: None)
    assert list_files(cache) == []


def test_a_disk_that_is_full_at_the_last_bytes(server: Server, cache: Path) -> None:
    server.answers["/buildid/ab12/debuginfo"] = (200, bytes(200), 0)
    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OutputError, match=r"cannot write .*: File too large"):
            download("ab12", [server.url], lambda *_: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list_files(cache) == []


def test_a_build_id_is_no_path() -> None:
    with pytest.raises(DownloadError):
        download("../../etc", ["http://127.0.0.1:1"], lambda *_: None)


def test_only_http_servers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGINFOD_URLS", "file:///etc https://a.example/ http://b.example")
    assert list_servers() == ["https://a.example", "http://b.example"]
    monkeypatch.delenv("DEBUGINFOD_URLS")
    assert list_servers() == []


def test_the_cache_is_that_of_other_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEBUGINFOD_CACHE_PATH")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert debuginfod.find_cache() == str(tmp_path / ".cache/debuginfod_client")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert debuginfod.find_cache() == "/x/debuginfod_client"
    (tmp_path / ".debuginfod_client_cache").mkdir()
    assert debuginfod.find_cache() == str(tmp_path / ".debuginfod_client_cache")


def run_command(*words: str) -> int:
    return cli.main(["debuginfo", str(os.getpid()), "--library", "libc.so", *words])


def test_nothing_is_downloaded_unless_it_is_asked_for(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEBUGINFOD_URLS", server.url)
    assert run_command() == 0
    assert "libc.so.6: " in capsys.readouterr().out
    assert server.asked == []


def test_a_download_needs_a_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DEBUGINFOD_URLS", raising=False)
    assert run_command("--download") == 2
    assert "DEBUGINFOD_URLS names no server" in capsys.readouterr().err


def test_a_process_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["debuginfo", str(1 << 30)]) == 1
    assert "there is no process" in capsys.readouterr().err


def test_the_command_downloads_what_a_process_lacks(
    server: Server,
    library: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A library of this very process, stripped after it was built."""
    build_id, content = read_build_id(library), library.read_bytes()
    subprocess.run(["strip", "--strip-debug", str(library)], check=True)
    server.answers[f"/buildid/{build_id}/debuginfo"] = (200, content, 0)
    monkeypatch.setenv("DEBUGINFOD_URLS", server.url)
    ctypes.CDLL(str(library))
    words = ["debuginfo", str(os.getpid()), "--library", str(library)]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == f"{library}: no lines\n"
    assert cli.main([*words, "--download"]) == 0
    assert capsys.readouterr().out.startswith(f"{library}: downloaded, ")
    assert cli.main(words) == 0
    assert capsys.readouterr().out == f"{library}: has lines\n"
