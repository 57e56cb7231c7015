"""Processes that stand still, of a made-up ``/proc``."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.standstill import find_standstill

MOUNTS = """\
22 1 0:20 / /proc rw - proc proc rw
31 24 0:27 /part {place}/part rw - cgroup2 cgroup2 rw
32 24 0:27 / {place}/v2 rw shared:9 - cgroup2 cgroup2 rw
33 24 0:28 / {place}/cpu\\040time rw - cgroup cgroup rw,cpu
34 24 0:29 / {place}/the\\040freezer rw - cgroup cgroup rw,freezer
"""


@pytest.fixture
def fake(tmp_path: Path) -> FakeProc:
    made = FakeProc(tmp_path / "proc")
    made.add(7)
    own = tmp_path / "proc" / "self"
    own.mkdir()
    (own / "mountinfo").write_text(MOUNTS.format(place=tmp_path))
    return made


def put(fake: FakeProc, groups: str) -> None:
    (fake.root / "7" / "cgroup").write_text(groups)


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text + "\n")


def test_a_process_that_runs(fake: FakeProc, tmp_path: Path) -> None:
    assert find_standstill(7, fake.proc) is None, "a kernel without cgroups"
    put(fake, "3:freezer:/a\n0::/a:b\n")
    assert find_standstill(7, fake.proc) is None, "files that cannot be read"
    write(tmp_path / "v2" / "a:b", cgroup_events="populated 1\nfrozen 0", cgroup_freeze="0")
    write(tmp_path / "the freezer" / "a", freezer_state="THAWED")
    assert find_standstill(7, fake.proc) is None


def test_a_frozen_cgroup_above(fake: FakeProc, tmp_path: Path) -> None:
    put(fake, "4:cpu:/a\n0::/pod/one\n")
    write(tmp_path / "v2/pod/one", cgroup_events="populated 1\nfrozen 1", cgroup_freeze="0")
    write(tmp_path / "v2/pod", cgroup_events="populated 1\nfrozen 1", cgroup_freeze="1")
    assert str(find_standstill(7, fake.proc)) == (
        "process 7 is frozen: its cgroup /pod is: thaw it (docker unpause, systemctl thaw, or as "
        f"root: echo 0 > {tmp_path}/v2/pod/cgroup.freeze)"
    )


def test_a_frozen_cgroup_of_version_1(fake: FakeProc, tmp_path: Path) -> None:
    put(fake, "4:cpu:/a\n3:devices,freezer:/a\n0::/\n")
    write(tmp_path / "the freezer/a", freezer_state="FROZEN", freezer_self_freezing="1")
    assert f"echo THAWED > {tmp_path}/the freezer/a/freezer.state)" in str(
        find_standstill(7, fake.proc)
    )


def test_a_stopped_process(fake: FakeProc) -> None:
    fake.add(8, state="T")
    assert "process 8 is stopped" in str(find_standstill(8, fake.proc))


def test_one_that_has_ended(fake: FakeProc) -> None:
    with pytest.raises(NoSuchProcessError):
        find_standstill(9, fake.proc)


def test_a_cgroup_may_have_any_name(fake: FakeProc, tmp_path: Path) -> None:
    put(fake, "0::/a\x0cb\n")
    write(tmp_path / "v2/a\x0cb", cgroup_events="populated 1\nfrozen 1", cgroup_freeze="1")
    assert "its cgroup /a" in str(find_standstill(7, fake.proc))
