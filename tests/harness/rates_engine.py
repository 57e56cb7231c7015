"""Fake engine that only records the rates that the program requests."""

from __future__ import annotations


class RatesEngine:
    """Records requests; refuses them if ``refusal`` is set."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.refusal = ""

    def connect(self) -> int:
        raise AssertionError("rates need no connection")

    def set_own_rate(self, name: str, value: int, /) -> None:
        self.asked.append((name, value))
        if self.refusal:
            raise RuntimeError(self.refusal)

    def set_stack_depth(self, depth: int, /) -> int:
        raise AssertionError("rates need no depth")

    def withdraw(self) -> None:
        self.asked.append("withdraw")
