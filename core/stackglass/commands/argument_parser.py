"""Parser of a command's arguments: argparse, with errors in one line."""

from __future__ import annotations

import argparse

from stackglass.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class ArgumentParser(argparse.ArgumentParser):
    """Raises UsageError where argparse prints its usage and exits."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}", f"see {self.prog} --help")
