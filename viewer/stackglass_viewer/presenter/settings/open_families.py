"""Families among the tabs of the last run: a followed process, the tab of all, its children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.presenter.settings.command_texts import name_family
from stackglass_viewer.presenter.settings.open_tabs import TabRecord


@dataclass(frozen=True, slots=True)
class OpenFamily:
    """A process of the last run, and the other tabs of its family."""

    first: TabRecord  # the followed process; of a process without a family, its only tab
    others: tuple[TabRecord, ...] = ()  # the tab of all before the children

    @property
    def title(self) -> str:
        """``server.py 4711 and 3 children``; without children as the process's tab."""
        n_children = sum(not record.is_group for record in self.others)
        return name_family(self.first.title, n_children) if n_children else self.first.title


def gather_families(records: Sequence[TabRecord]) -> list[OpenFamily]:
    """Return the processes of ``records``, each with its family, in the order of the first tabs.

    A child whose followed process is not among them is a process by itself, and the tab of all of
    such a family is left out.
    """
    followed = {
        record.pid for record in records if record.family == record.pid and not record.is_group
    }
    others: dict[int, list[TabRecord]] = {pid: [] for pid in followed}
    firsts = []
    for record in records:
        is_first = record.family == record.pid and not record.is_group
        if record.family in followed and not is_first:
            others[record.family].append(record)
        elif not record.is_group:
            firsts.append(record)
    return [
        OpenFamily(
            record,
            tuple(sorted(others.get(record.pid, ()), key=lambda other: not other.is_group)),
        )
        for record in firsts
    ]
