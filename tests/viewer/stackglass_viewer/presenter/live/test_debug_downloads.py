"""Downloads of debug information from the window: progress, cancel, what is said at the end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from stackglass.symbols import debuginfod
from stackglass.symbols.debuginfod import DownloadError, Progress
from stackglass.symbols.process_libraries import Library
from stackglass_viewer.presenter.live import debug_downloads
from stackglass_viewer.presenter.live.debug_downloads import DebugDownloads, has_server
from stackglass_viewer.presenter.settings.view_state import LoadProgress, Notice

LIBRARIES = [
    Library("/lib/liba.so", "aa11", False),
    Library("/lib/libb.so", "bb22", False),
    Library("/lib/libhas.so", "cc33", True),
    Library("/lib/libno.so", "", False),
]

Download = Callable[[str, list[str], Progress], int]
WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9")
    monkeypatch.setattr(debug_downloads, "list_libraries", lambda pid: LIBRARIES)


def run(
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    download: Download,
    act: Callable[[DebugDownloads], None] = lambda _: None,
) -> tuple[Notice, list[LoadProgress | None], int]:
    """What is said, what was shown, and how often new files were used."""
    monkeypatch.setattr(debuginfod, "download", download)
    shown: list[LoadProgress | None] = []
    said: list[Notice] = []
    used: list[int] = []
    downloads = DebugDownloads(7, lambda: used.append(1))
    downloads.progressed.connect(shown.append)
    downloads.ended.connect(said.append)
    downloads.start()
    downloads.start()  # one at a time
    act(downloads)
    wait_until(lambda: bool(said) and shown[-1] is None)
    downloads.leave()
    downloads.wait()
    return said[0], shown, len(used)


def test_only_libraries_without_lines_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    asked: list[str] = []

    def download(build_id: str, servers: list[str], progress: Progress) -> int:
        asked.append(build_id)
        progress(5_000_000, 10_000_000)
        return 10_000_000 if build_id == "aa11" else 0

    notice, shown, n_used = run(monkeypatch, wait_until, download)
    assert (asked, n_used) == (["aa11", "bb22"], 1)
    assert notice == Notice("info", "Debug information was found for 1 of 2 libraries.")
    texts = [each.name for each in shown if each is not None]
    assert "liba.so (1 of 2), 5.0 MB" in texts
    assert shown[-1] is None


def test_cancel_ends_the_download_under_way(
    monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    is_begun, is_cancelled = threading.Event(), threading.Event()

    def download(build_id: str, servers: list[str], progress: Progress) -> int:
        is_begun.set()
        assert is_cancelled.wait(60)
        progress(1, 2)  # raises
        raise AssertionError

    def cancel(downloads: DebugDownloads) -> None:
        assert is_begun.wait(60)
        downloads.cancel()
        is_cancelled.set()

    notice, _, n_used = run(monkeypatch, wait_until, download, cancel)
    assert notice.text == "The download was cancelled. Debug files downloaded before: 0."
    assert n_used == 0


def test_a_server_that_fails_is_said(
    monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    def download(build_id: str, servers: list[str], progress: Progress) -> int:
        raise DownloadError("http://127.0.0.1:9 cannot be read: refused")

    notice, _, n_used = run(monkeypatch, wait_until, download)
    assert notice == Notice("error", "http://127.0.0.1:9 cannot be read: refused")
    assert n_used == 0


def test_without_a_server_nothing_can_be_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_server()
    monkeypatch.delenv("DEBUGINFOD_URLS")
    assert not has_server()


def test_a_fault_of_its_own_ends_the_download_too(
    monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    printed: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: printed.append(kind))

    def download(_build_id: str, _servers: list[str], _progress: Progress) -> int:
        raise KeyError("place")

    notice, shown, _ = run(monkeypatch, wait_until, download)
    assert notice == Notice("error", "Stackglass failed: KeyError: 'place'")
    assert (shown[-1], printed) == (None, [KeyError])
