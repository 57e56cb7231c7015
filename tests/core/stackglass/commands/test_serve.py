"""Options of ``stackglass serve``; a server is tried in integration/."""

from __future__ import annotations

import pytest

from stackglass import cli


@pytest.mark.parametrize("rate", ["-1", str(10**30)])
def test_rates_have_limits(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A negative one would be a very large one, and one of 65 bits cannot be sent."""
    assert cli.main(["serve", "1", "--heap-rate", rate]) == cli.WRONG_USAGE
    assert f"{rate} is not between 0 and 1099511627776" in capsys.readouterr().err
