"""Profiles made from stacks, with their findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.outstanding_facts import find_outstanding
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top

EVEN = "\n".join(f"main;serve{n};step{n} 10" for n in range(40))


class Case:
    """A profile of stacks, and its findings by kind."""

    def __init__(self, text: str, folder: Path, n_samples: int | None = None, **about: Any) -> None:
        profile = read_stacks(text, folder)
        self.tree = build_call_tree(profile)
        self.values = sum_type(self.tree, profile, TypeId(1))
        self.top = build_top(self.tree, self.values)
        self.found = find_outstanding(
            self.tree, self.values, self.top, n_samples, Background(**about)
        )

    @property
    def kinds(self) -> set[FindingKind]:
        return {finding.kind for finding in self.found}

    def only(self, kind: FindingKind) -> Finding:
        (finding,) = (each for each in self.found if each.kind is kind)
        return finding

    def name(self, function: int) -> str:
        return self.top.name[function]
