"""A server of profiles that tests change while it runs."""

from __future__ import annotations

import threading

from stackglass.http.messages import Listed, Wait
from stackglass.wire.pprof import ProfileTables


class PlayedProfiles:
    """What Server asks for; the CPU profile comes at once, unless ``holds`` it back."""

    def __init__(self, **contents: bytes) -> None:
        self.contents = contents
        self.cpu = b""
        self.holds = False  # the CPU profile takes as long as it is asked to
        self.asked: list[str] = []
        self.was_left = threading.Event()  # a client that waited for the CPU profile has gone

    def list_profiles(self) -> list[Listed]:
        return [Listed(name, f"About {name} & more", 3) for name in self.contents]

    def has_profile(self, name: str) -> bool:
        return name in self.contents

    def has_delta(self, name: str) -> bool:
        return False

    def encode(self, name: str, debug: int, has_collection: bool) -> bytes:
        self.asked.append(name)
        return self.contents[name]

    def build(self, name: str) -> ProfileTables:
        raise AssertionError("no difference is asked for")

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        self.asked.append(f"profile {seconds}")
        if self.holds and not wait(seconds):
            self.was_left.set()
        return self.cpu

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        self.asked.append(f"wall {seconds}")
        wait(seconds)
        return self.cpu

    def list_arguments(self) -> list[str]:
        return ["app.py"]
