"""What is generated is what the ``.proto`` files would generate now, and stays out of the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from google.protobuf import descriptor_pool

from stackglass_viewer.model.proto import profile_pb2, wire_pb2

ROOT = Path(__file__).resolve().parents[2]


def test_generating_again_changes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging/gen_proto.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_messages_are_in_a_pool_of_their_own() -> None:
    """Another package of the same process may register its copy of pprof's schema."""
    own = profile_pb2.Profile.DESCRIPTOR.file.pool
    assert own is not descriptor_pool.Default()
    assert wire_pb2.Batch.DESCRIPTOR.file.pool is not own


def test_bytes_go_round() -> None:
    message = profile_pb2.Profile(string_table=["", "x"], comment=[1])
    assert profile_pb2.Profile.FromString(message.SerializeToString()) == message
