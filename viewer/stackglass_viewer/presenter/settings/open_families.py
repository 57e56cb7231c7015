"""Families among the tabs of the last run: a followed process, its children, their common tab."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stackglass_viewer.presenter.settings.command_texts import name_children, name_family
from stackglass_viewer.presenter.settings.open_tabs import TabRecord


@dataclass(frozen=True, slots=True)
class OpenFamily:
    """A process of the last run, and the other tabs of its family."""

    # Tab of the followed process, or of a process without a family; None = the followed process has
    # ended, and the first of ``others`` is the tab of its children.
    first: TabRecord | None
    others: tuple[TabRecord, ...] = ()  # the tab of all processes, then those of the children

    @property
    def title(self) -> str:
        """``server.py 4711 and 3 children``; without children as the process's tab; without the
        process ``3 children of server.py 4711``."""
        n_children = sum(not record.is_group for record in self.others)
        if self.first is None:
            return name_children(self.others[0].family_name, n_children)
        return name_family(self.first.title, n_children) if n_children else self.first.title


def keep_running(
    records: Sequence[TabRecord], read_beginning: Callable[[int], str]
) -> tuple[TabRecord, ...]:
    """Return the tabs of processes that still run, and of their families. ``read_beginning``: see
    ``target_process``."""
    return keep_families(
        record
        for record in records
        if record.is_group or (record.began and read_beginning(record.pid) == record.began)
    )


def keep_families(records: Iterable[TabRecord]) -> tuple[TabRecord, ...]:
    """Return the tabs without those of families that have no other tab among them."""
    kept = tuple(records)
    families = {record.family for record in kept if not record.is_group}
    return tuple(record for record in kept if not record.is_group or record.family in families)


def gather_families(records: Sequence[TabRecord]) -> list[OpenFamily]:
    """Return the processes of ``records``, each with its family, in the order of their first tabs.

    If neither the followed process of a family nor the tab of all its processes is among them, each
    child is a process by itself.
    """
    firsts = {record.pid: record for record in records if _is_first(record)}
    whole = {*firsts, *(record.family for record in records if record.is_group)}
    others: dict[int, list[TabRecord]] = {pid: [] for pid in whole}
    for record in records:
        if record.family in whole and not _is_first(record):
            others[record.family].append(record)
    families = []
    for record in records:
        if record.family not in whole:
            families.append(OpenFamily(record))
        elif record.family in others:  # this is the first tab of the family
            members = sorted(others.pop(record.family), key=lambda each: not each.is_group)
            families.append(OpenFamily(firsts.get(record.family), tuple(members)))
    return families


def _is_first(record: TabRecord) -> bool:
    return record.family == record.pid > 0 and not record.is_group
