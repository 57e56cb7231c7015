"""Which profiles of a block of code are named."""

from __future__ import annotations

import pytest

from harness.rates_engine import RatesEngine
from stackglass.api import program
from stackglass.api.block_tables import BlockProfiles, read_names
from stackglass.api.rates import ProgramRates
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.errors import UsageError
from stackglass.wire.rates import DEFAULT


def test_profiles_are_named_once() -> None:
    assert read_names("cpu,heap,cpu", "-p") == ("cpu", "heap")
    assert read_names("", "-p") == ("cpu",)
    with pytest.raises(UsageError, match="exclude each other"):
        read_names("wall,cpu", "-p")
    with pytest.raises(UsageError, match="-p: there is no profile 'tasks'"):
        read_names("tasks", "-p")


@pytest.fixture
def engine() -> RatesEngine:
    return RatesEngine()


@pytest.fixture
def rates(engine: RatesEngine, monkeypatch: pytest.MonkeyPatch) -> ProgramRates:
    """The program's, of the fake engine."""
    made = ProgramRates(engine)
    temporary = TemporaryRates(made)
    monkeypatch.setattr(program, "find_rates", lambda: made)
    monkeypatch.setattr(program, "find_temporary_rates", lambda: temporary)
    return made


def test_profiles_of_one_rate_set_it_once(rates: ProgramRates, engine: RatesEngine) -> None:
    profiles = BlockProfiles(("heap", "allocs"))
    profiles.open()
    assert profiles.is_open
    profiles.close()
    assert engine.asked == [("heap", DEFAULT.heap_rate), ("heap", 0), "withdraw"]
    assert not profiles.is_open


def test_another_rate_of_the_program_stays(rates: ProgramRates, engine: RatesEngine) -> None:
    rates.set("mutex", 10)
    profiles = BlockProfiles(("heap",))
    profiles.open()
    profiles.close()
    assert rates.read("mutex") == 10
    assert "withdraw" not in engine.asked
