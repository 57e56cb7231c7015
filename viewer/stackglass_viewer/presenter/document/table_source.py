"""Source of a file that has functions and calls but no stacks; and the choice of a source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.top import build_function_top
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.settings.sample_choice import arrange
from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.presenter.tables.top_model import order_rows


def make_source(content: Profile | FunctionTable, title: str) -> ProfileSource | TableSource:
    """Return the source for the content of a file."""
    if isinstance(content, Profile):
        return ProfileSource(content, title)
    return TableSource(content, title)


class TableSource:
    """The source of a file with functions and no stacks, as of cProfile or callgrind."""

    def __init__(self, table: FunctionTable, title: str) -> None:
        self._table = table
        self._title = title

    @property
    def first_type(self) -> int:
        return self._table.default_type

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return self._table.sample_types

    def build(self, request: BuildRequest) -> Built:
        table = self._table
        top = build_function_top(table, TypeId(request.type_index))
        n_calls = int(np.maximum(table.n_calls, 0).sum())
        parts = [f"Total {format_value(top.total, top.unit)}"]
        if table.has_calls and request.type_index < len(table.own):
            parts.append(f"{format_value(n_calls, 'count')} calls")
        info = DocumentInfo(
            title=self._title,
            description="  ·  ".join(parts),
            choice=arrange(table.sample_types, request.type_index),
            has_stacks=False,
            has_calls=len(table.edge_caller) > 0,
            is_live=False,
        )
        rows = order_rows(top, request.arrangement)
        return Built(
            scene=None,
            top=top,
            rows=rows,
            arrangement=request.arrangement,
            info=info,
            warnings=table.warnings,
            calls=table,
        )
