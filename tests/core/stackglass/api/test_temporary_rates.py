"""Rates of blocks that overlap."""

from __future__ import annotations

import pytest

from harness.rates_engine import RatesEngine
from stackglass.api.rates import ProgramRates
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.errors import EngineError


@pytest.fixture
def engine() -> RatesEngine:
    return RatesEngine()


@pytest.fixture
def rates(engine: RatesEngine) -> ProgramRates:
    return ProgramRates(engine)


@pytest.fixture
def temporary(rates: ProgramRates) -> TemporaryRates:
    return TemporaryRates(rates)


def test_a_block_by_itself_leaves_nothing(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    temporary.end("heap", temporary.begin("heap", 1))
    assert rates.list_names() == set()
    assert engine.asked == [("heap", 1), ("heap", 0), "withdraw"]


def test_the_old_rate_comes_back(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    rates.set("heap", 4096)
    temporary.end("heap", temporary.begin("heap", 1))
    assert rates.read("heap") == 4096
    assert "withdraw" not in engine.asked


def test_a_block_that_ends_leaves_the_other_its_engine(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    heap, block = temporary.begin("heap", 1), temporary.begin("block", 1)
    temporary.end("heap", heap)
    assert (rates.read("heap"), rates.read("block")) == (0, 1)
    assert "withdraw" not in engine.asked
    temporary.end("block", block)
    assert engine.asked[-1] == "withdraw"


def test_of_blocks_with_one_rate_the_last_one_decides(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    rates.set("heap", 4096)
    first, second = temporary.begin("heap", 100), temporary.begin("heap", 200)
    temporary.end("heap", first)
    assert rates.read("heap") == 200
    third = temporary.begin("heap", 300)
    temporary.end("heap", third)
    assert rates.read("heap") == 200
    temporary.end("heap", second)
    assert rates.read("heap") == 4096


def test_what_the_program_sets_in_a_block_stays(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    number = temporary.begin("heap", 1)
    rates.set("block", 1000)
    rates.set("heap", 4096)
    temporary.end("heap", number)
    assert (rates.read("heap"), rates.read("block")) == (4096, 1000)
    assert "withdraw" not in engine.asked


def test_what_the_program_turns_off_in_a_block_keeps_its_data(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    rates.set("heap", 4096)
    number = temporary.begin("heap", 1)
    rates.set("heap", 0)
    temporary.end("heap", number)
    assert (rates.read("heap"), rates.list_names()) == (0, {"heap"})
    assert "withdraw" not in engine.asked


def test_a_withdrawal_in_a_block_is_not_undone(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    rates.set("heap", 4096)
    number = temporary.begin("heap", 1)
    rates.withdraw()
    temporary.end("heap", number)
    assert engine.asked[-1] == "withdraw"
    assert rates.list_names() == set()


def test_a_refused_block_leaves_nothing(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    engine.refusal = "no"
    with pytest.raises(EngineError):
        temporary.begin("gil", 1)
    assert rates.list_names() == set()
    assert engine.asked[-1] == "withdraw"


def test_a_refused_block_leaves_the_others_theirs(
    temporary: TemporaryRates, rates: ProgramRates, engine: RatesEngine
) -> None:
    number = temporary.begin("heap", 1)
    engine.refusal = "no"
    with pytest.raises(EngineError):
        temporary.begin("gil", 1)
    engine.refusal = ""
    assert rates.read("heap") == 1
    temporary.end("heap", number)
    assert engine.asked[-1] == "withdraw"


def test_a_block_of_the_parent_is_none_of_a_child(
    temporary: TemporaryRates, engine: RatesEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = temporary.begin("heap", 1)
    monkeypatch.setattr("os.getpid", lambda: -1)
    temporary.reset_after_fork()
    temporary.end("heap", number)
    assert engine.asked == [("heap", 1)]


class InterruptedEngine(RatesEngine):
    """Ctrl+C comes as a rate is in force."""

    def set_own_rate(self, name: str, value: int, /) -> None:
        super().set_own_rate(name, value)
        if value == 1:
            raise KeyboardInterrupt


def test_a_block_that_is_interrupted_as_it_begins_leaves_nothing_on() -> None:
    engine = InterruptedEngine()
    rates = ProgramRates(engine)
    rates.set("block", 4096)
    with pytest.raises(KeyboardInterrupt):
        TemporaryRates(rates).begin("heap", 1)
    assert engine.asked == [("block", 4096), ("heap", 1), ("heap", 0)]
    assert (rates.read("heap"), rates.read("block")) == (0, 4096)
