"""A program in a frozen cgroup: the refusal says so, and the program is as before once thawed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.matrix import NEWEST, some_pythons
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import start_in_state
from stackglass.attach.entry import attach
from stackglass.attach.errors import ConnectionLostError, StoppedError
from stackglass.attach.standstill import find_frozen

pytestmark = pytest.mark.attach


class Group:
    """A cgroup of the test's own."""

    def __init__(self, folder: Path, files: tuple[str, str, str]) -> None:
        self._folder = folder
        self._file, self._freeze, self._thaw = files

    def freeze(self, pid: int) -> None:
        (self._folder / "cgroup.procs").write_text(f"{pid}\n")
        (self._folder / self._file).write_text(self._freeze)
        deadline = time.monotonic() + PATIENCE_S
        while find_frozen(pid) is None:
            assert time.monotonic() < deadline, "not frozen"
            time.sleep(0.01)

    def thaw(self) -> None:
        (self._folder / self._file).write_text(self._thaw)


@pytest.fixture(params=["v2", "v1"])
def group(request: pytest.FixtureRequest) -> Iterator[Group]:
    """Skipped where cgroups cannot be made."""
    is_version_2 = request.param == "v2"
    files = ("cgroup.freeze", "1", "0") if is_version_2 else ("freezer.state", "FROZEN", "THAWED")
    places = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
    for place in places if is_version_2 else ["/sys/fs/cgroup/freezer"]:
        folder = Path(place, f"stackglass-test-{os.getpid()}")
        try:
            folder.mkdir()
        except OSError:
            continue
        if (folder / files[0]).exists():
            break
        folder.rmdir()
    else:
        pytest.skip("no cgroup can be made here")
    made = Group(folder, files)
    yield made
    made.thaw()
    deadline = time.monotonic() + PATIENCE_S
    while (folder / "cgroup.procs").read_text():
        assert time.monotonic() < deadline, "the target stays"
        time.sleep(0.01)
    folder.rmdir()


@some_pythons
def test_a_frozen_program_is_refused(python: Python, group: Group) -> None:
    with start_in_state(python, "sleep") as target:
        group.freeze(target.pid)
        try:
            with pytest.raises(StoppedError, match="is frozen: its cgroup /stackglass-test-"):
                attach(target.pid)
        finally:
            group.thaw()
        with Session(target.pid) as session:
            session.detach()
        target.finish()


def test_an_engine_in_a_frozen_program(group: Group) -> None:
    with start_in_state(NEWEST, "sleep") as target:
        with Session(target.pid) as session:
            group.freeze(target.pid)
            try:
                with pytest.raises(ConnectionLostError, match="is frozen: its cgroup"):
                    attach(target.pid, timeout_s=0.1)
            finally:
                group.thaw()
            session.detach()
        target.finish()
