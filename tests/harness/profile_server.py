"""Server of profiles whose content tests change while it runs."""

from __future__ import annotations

import threading

from stackglass.http.messages import Built, Listed, Wait


class PlayedProfiles:
    """The server's source of profiles. The CPU profile is ready at once, unless ``holds``."""

    def __init__(self, **contents: bytes) -> None:
        self.contents = contents
        self.cpu = b""
        self.holds = False  # True: the CPU profile takes the requested time
        self.asked: list[str] = []
        self.was_left = threading.Event()  # a client hung up before its CPU profile

    def list_profiles(self) -> list[Listed]:
        return [Listed(name, f"About {name} & more", 3) for name in self.contents]

    def has_profile(self, name: str) -> bool:
        return name in self.contents

    def has_delta(self, name: str) -> bool:
        return False

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        self.asked.append(name)
        return self.contents[name]

    def build(self, name: str) -> Built:
        raise AssertionError("differences are not supported")

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
