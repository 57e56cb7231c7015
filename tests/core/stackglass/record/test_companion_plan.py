"""Plan of a companion, out of the words of its command line."""

from __future__ import annotations

import pytest

from stackglass.errors import UsageError
from stackglass.record.companion_plan import read_plan
from stackglass.record.flight_plan import Trigger
from stackglass.wire.rates import DEFAULT, MOST, OFF

WORDS = ["12", "/tmp/crash-{pid}.sgm", "5000000000", "1048576"]


def test_a_plan_has_the_rates_of_its_profiles_and_triggers() -> None:
    pid, plan = read_plan([*WORDS, "cpu,stalls", "killed", "deadlock", "wait>20ms"])
    assert pid == 12
    assert plan.memory is not None
    assert plan.memory.path == "/tmp/crash-12.sgm"
    assert plan.window is not None
    assert plan.window[:2] == (5_000_000_000, 1 << 20)
    assert plan.window.triggers == (
        Trigger("killed"),
        Trigger("deadlock"),
        Trigger("wait", 20_000_000),
    )
    assert plan.request.has_memory
    assert plan.request.rates == OFF._replace(
        cpu_hz=DEFAULT.cpu_hz,
        stall_ns=DEFAULT.stall_ns,
        block_rate_ns=20_000_000,
        mutex_fraction=MOST.mutex_fraction,  # locks are watched, and hardly sampled
    )


def test_a_plan_without_profiles_has_allocations_alone() -> None:
    _, plan = read_plan([*WORDS, "", "killed"])
    assert plan.request.has_memory
    assert plan.request.rates == OFF


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*WORDS, "cpu,heap"], "keeps no profile 'heap'"),
        ([*WORDS, "dogs"], "keeps no profile 'dogs'"),
        ([*WORDS, "", "rss>much"], "'rss>much' is no trigger"),
        (["12", "", "1", "1", "", "killed"], "triggers write files"),
    ],
)
def test_what_a_program_cannot_ask_for(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_plan(words)
