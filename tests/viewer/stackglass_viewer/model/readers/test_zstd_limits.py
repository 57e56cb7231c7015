"""Decompression of zstd: frames, what is behind them, what is damaged, and without a library."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers import zstd_limits
from stackglass_viewer.model.readers.opener import open_content, open_profile
from stackglass_viewer.model.readers.zstd_limits import unpack_zstd

PLAIN = gzip.decompress(encode_stacks("main;work 5\nmain 1"))


def pack(content: bytes) -> bytes:
    library: Any = pytest.importorskip("zstandard")
    packed: bytes = library.ZstdCompressor().compress(content)
    return packed


def unpack(packed: bytes) -> tuple[bytes, tuple[str, ...]]:
    unpacked = unpack_zstd(packed, lambda: False, lambda _share: None)
    return bytes(unpacked.content), unpacked.warnings


def test_a_profile_in_zstd_opens(tmp_path: Path) -> None:
    (tmp_path / "x.pprof").write_bytes(pack(PLAIN))
    profile = open_profile(tmp_path / "x.pprof")
    assert isinstance(profile, Profile)
    assert profile.n_samples == 2


def test_frames_and_what_is_behind_them() -> None:
    text = b"main;work 5\n" * 9
    assert unpack(pack(text) + pack(b"other;work 6\n")) == (text + b"other;work 6\n", ())
    assert unpack(pack(text) + b"xyz") == (text, ("3 bytes behind its zstd data are ignored",))


def test_what_is_damaged_is_said() -> None:
    packed = pack(b"".join(b"main;work%d 5\n" % k for k in range(9_999)))
    with pytest.raises(ContentError, match="truncated: its zstd compression ends too early"):
        unpack(packed[:-5])
    with pytest.raises(ContentError, match="its zstd compression is damaged"):
        unpack(packed[:8] + bytes(100) + packed[108:])
    with pytest.raises(ContentError, match="unpacked, it is a text file, not a profile"):
        unpack(pack(b"no profile\n"))


def test_a_bomb_is_refused_before_it_has_gone_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd_limits, "MAX_UNPACKED_BYTES", 1 << 20)
    with pytest.raises(ContentError, match="it unpacks to more than 1 MiB"):
        unpack(pack(b"main;work 5\n" * 200_000))


def test_it_can_be_cancelled() -> None:
    with pytest.raises(CancelledError):
        unpack_zstd(pack(PLAIN), lambda: True, lambda _share: None)


def test_without_a_library_what_helps_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd_limits, "_LIBRARIES", ("there_is_no_such_module",))
    with pytest.raises(ContentError, match="compressed with zstd, which this Python") as caught:
        open_content(b"\x28\xb5\x2f\xfd" + bytes(20), "x")
    assert "pip install zstandard" in caught.value.remedy
