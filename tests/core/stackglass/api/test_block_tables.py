"""Which profiles of a block of code are named."""

from __future__ import annotations

import pytest

from harness.rates_engine import RatesEngine
from stackglass.api import block_tables, program
from stackglass.api.block_tables import BlockProfiles, read_names
from stackglass.api.rates import ProgramRates
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.errors import UsageError
from stackglass.wire.rates import DEFAULT
from stackglass.wire.recording import Recording


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


def test_a_profile_that_the_block_withdraws_is_not_subtracted(
    rates: ProgramRates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its data went with the engine, even if the block has set the same rate again."""
    monkeypatch.setattr(block_tables, "_build", lambda _: Recording(0).build())
    profiles = BlockProfiles(("mutex",))
    profiles.open()
    profiles.begin()
    value = rates.read("mutex")
    rates.withdraw()
    rates.set("mutex", value)
    ended = profiles.end()
    assert ended.tables == {}
    assert "ended the profile mutex itself" in ended.problem
    profiles.close()
