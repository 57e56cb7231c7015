"""Which processes honour the environment's request for profiles."""

from __future__ import annotations

import pytest

from stackglass.environment import is_own_command


@pytest.mark.parametrize(
    ("argv", "command_line", "is_own"),
    [
        (["/venv/bin/stackglass", "ps"], ["python", "/venv/bin/stackglass", "ps"], True),
        (["-m", "ps"], ["python", "-X", "dev", "-m", "stackglass", "ps"], True),
        (["-m", "x"], ["python", "-m", "app", "x"], False),
        (["-m", "-m", "stackglass"], ["python", "-m", "pytest", "-m", "stackglass"], False),
        (["app.py", "stackglass"], ["python", "app.py", "stackglass"], False),
        (["-c"], ["python", "-c", "import stackglass"], False),
        ([], ["embedding"], False),
    ],
)
def test_only_its_own_commands_are_left_out(
    argv: list[str], command_line: list[str], is_own: bool
) -> None:
    assert is_own_command(argv, command_line) == is_own
