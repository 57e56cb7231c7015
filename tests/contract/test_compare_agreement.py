"""Comparisons in the window have the rows and the whole of ``go tool pprof -diff_base`` and
``-base``."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.pprof_tables import FlatCum, read_go_top
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.comparison import ComparedSource, Side
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
FILES = ("go.http.cpu2s.pb.gz", "go.http.heap.gc.pb.gz", "go.fetch.mutex.pb.gz")
UNITS = {"nanoseconds": "ns", "bytes": "B"}
pytestmark = pytest.mark.timeout(600)  # the first call of a machine builds pprof


@pytest.fixture
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of the corpus with other values: some stacks are new, some gone, most are as they
    were."""
    message = Message.FromString(gzip.decompress((CORPUS / request.param).read_bytes()))
    for number, sample in enumerate(message.sample):
        factor = (1, 1, 3, 0, 2)[number % 5]
        sample.value[:] = [each * factor for each in sample.value]
    path = tmp_path / "other.pb.gz"
    path.write_bytes(gzip.compress(message.SerializeToString()))
    return path


def read(path: Path) -> Side:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return Side(path.name, profile)


def build(base: Path, path: Path, type_index: int, choice: CompareChoice) -> Built:
    source = ComparedSource(read(base), read(path), choice)
    palette = choose_palette("module", False)
    return source.build(BuildRequest(TypeId(type_index), "cost", palette, Arrangement()))


def list_rows(built: Built) -> FlatCum:
    top = built.top
    rows = zip(top.name, top.flat.tolist(), top.cum.tolist(), strict=True)
    return {name: (flat, cum) for name, flat, cum in rows if flat or cum}


def read_go_whole(path: Path, type_index: int, unit: str, *words: str) -> int:
    """What 100 % is."""
    options = (f"-sample_index={type_index}", f"-unit={UNITS.get(unit, 'minimum')}")
    text = run_pprof("-top", "-nodefraction=0", *options, *words, path)
    found = re.search(r"% of (\d+)\D* total", text)
    assert found, text
    return int(found[1])


@pytest.mark.parametrize("is_scaled", [False, True], ids=["amounts", "scaled"])
@pytest.mark.parametrize(
    ("option", "shown"), [("-diff_base", "all"), ("-base", "changes")], ids=["diff_base", "base"]
)
@pytest.mark.parametrize("other", FILES, indirect=True)
def test_rows_and_whole_are_pprofs(
    other: Path, option: str, shown: str, is_scaled: bool, request: pytest.FixtureRequest
) -> None:
    base = CORPUS / request.node.callspec.params["other"]
    choice = CompareChoice("all" if shown == "all" else "changes", is_scaled)
    words = (f"{option}={base}", *(("-normalize",) if is_scaled else ()))
    n_rows = 0
    for index, sample_type in enumerate(read(other).profile.sample_types):
        built = build(base, other, index, choice)
        assert list_rows(built) == read_go_top(other, index, sample_type.unit, *words)
        assert built.top.total == read_go_whole(other, index, sample_type.unit, *words)
        n_rows += len(list_rows(built))
    assert n_rows > 20
