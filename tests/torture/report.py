"""Report of a torture run: a line for each run when it ends, and a summary."""

from __future__ import annotations

import sys

from torture.refusals import find_reason


class Report:
    """Collects results, and prints them at once."""

    def __init__(self) -> None:
        self._n_well = 0
        self._skipped: list[str] = []
        self._problems: list[str] = []

    def add(self, name: str, problems: list[str], note: str, details: str = "") -> None:
        """Add a run, which succeeded if there are no problems. ``details``: shown if it failed."""
        say(f"{'WRONG' if problems else 'ok   '} {name}: {'; '.join(problems) or note}")
        self._n_well += not problems
        self._problems += [f"{name}: {problem}" for problem in problems]
        if problems and details:
            say("\n".join(f"      {line}" for line in details.splitlines()))

    def skip(self, name: str, reason: str) -> None:
        """Add a run that was impossible because something is missing on this machine."""
        say(f"skip  {name}: {reason}")
        self._skipped.append(f"{name}: {reason}")

    def refuse(self, name: str, refusal: str) -> None:
        """Add a run that the engine refused: a failure, unless `refusals` expects it."""
        why = find_reason(name, refusal)
        if why:
            self.skip(name, f"{why}: {refusal}")
        else:
            self.add(name, [f"refused: {refusal}"], "")

    def finish(self) -> int:
        """Print the summary. Returns the exit status: 1 if a run failed, or none was run."""
        counts = f"{self._n_well} well, {len(self._skipped)} skipped, {len(self._problems)} wrong"
        say(f"\n{counts}")
        for problem in self._problems:
            say(f"WRONG {problem}")
        return 1 if self._problems or not self._n_well else 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
