"""Which processes honour the environment's request for profiles."""

from __future__ import annotations

import pytest

from stackglass.environment import is_program


@pytest.mark.parametrize(
    ("argv", "command_line", "is_profiled"),
    [
        (["/venv/bin/stackglass", "ps"], ["python", "/venv/bin/stackglass", "ps"], False),
        (["-m", "ps"], ["python", "-X", "dev", "-m", "stackglass", "ps"], False),
        (["-m", "x"], ["python", "-m", "app", "x"], True),
        (["-m", "-m", "stackglass"], ["python", "-m", "pytest", "-m", "stackglass"], True),
        (["app.py", "stackglass"], ["python", "app.py", "stackglass"], True),
        (["-c"], ["python", "-c", "import stackglass"], True),
        ([], ["embedding"], True),
        (
            ["-c"],
            ["python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main()"],
            True,
        ),
        (
            ["-c"],
            ["python", "-B", "-c", "from multiprocessing.resource_tracker import main;main(5)"],
            False,
        ),
    ],
)
def test_only_its_own_commands_and_the_resource_tracker_are_left_out(
    argv: list[str], command_line: list[str], is_profiled: bool
) -> None:
    assert is_program(argv, command_line) == is_profiled
