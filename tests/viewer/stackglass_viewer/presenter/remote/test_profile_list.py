"""The list of a server's profiles: a page that Python cannot read ends in a message."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.remote import request
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.presenter.remote.profile_list import ProfileList

WaitUntil = Callable[[Callable[[], bool]], None]


def test_an_unexpected_error_is_said(
    qt: QApplication, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dialog does not wait for ever."""

    def fail(*_: object) -> tuple[Address, bytes]:
        raise ValueError("a fault of Stackglass")

    monkeypatch.setattr(request, "fetch_from", fail)
    profiles = ProfileList()
    failed: list[str] = []
    profiles.failed.connect(failed.append)
    profiles.request("http://127.0.0.1:1/debug/pprof/")
    wait_until(lambda: bool(failed))
    assert failed[0].startswith("Stackglass failed: ValueError")
