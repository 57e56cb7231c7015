"""Austin's text: modes, frames, threads, and what is damaged."""

from __future__ import annotations

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.austin_text import read_austin_text
from stackglass_viewer.model.readers.opener import open_content

ROW = "P7;T0:9;<frozen x>:main:12;c:/a b.py:Job.work:7"
WALL = f"""# austin: 3.7.0
# mode: wall

{ROW} 520
P7;T0:9;a.py:main:5;:INVALID: 30
{ROW} 5
P8;T0:9 1
# duration: 1500
"""


def read(text: str) -> Profile:
    return read_austin_text(text.encode())


def test_rows_of_a_stack_are_added_up() -> None:
    profile = read(WALL)
    assert list_stacks(profile) == [
        (["Job.work", "main"], [2, 525_000]),
        (["<invalid>", "main"], [1, 30_000]),
        ([], [1, 1_000]),
    ]
    assert [each.name for each in profile.sample_types] == ["samples", "wall"]
    assert [profile.strings[text] for text in profile.labels.text] == ["7", "0:9"] * 2 + [
        "8",
        "0:9",
    ]
    files = {profile.strings[file] for file in profile.functions.filename}
    assert files == {"<frozen x>", "c:/a b.py", "a.py", ""}
    assert sorted(profile.locations.line_number.tolist()) == [0, 5, 7, 12]
    assert profile.duration_ns == 1_500_000
    assert profile.comments == ("austin: 3.7.0",)
    assert not profile.warnings


def test_modes() -> None:
    cpu = read(f"# mode: cpu\n{ROW} 5\n")
    assert [each.name for each in cpu.sample_types] == ["samples", "cpu"]
    assert list_stacks(cpu)[0][1] == [1, 5_000]
    memory = read(f"# mode: memory\n{ROW} -4096\n{ROW} 1024\n")
    assert (memory.sample_types[1].unit, list_stacks(memory)[0][1]) == ("bytes", [2, -3072])
    full = read(f"# mode: full\n{ROW} 5,0,-10\n{ROW} 9,1,30\n")
    assert [each.name for each in full.sample_types] == ["samples", "memory", "cpu", "wall"]
    assert list_stacks(full)[0][1] == [2, 20, 5_000, 14_000]
    of_mojo2austin = read(f"# mode: full\n{ROW} 5\n{ROW} 9\n")
    assert [each.name for each in of_mojo2austin.sample_types] == ["samples", "wall"]
    assert list_stacks(of_mojo2austin)[0][1] == [2, 14_000]
    assert [each.name for each in read(f"{ROW} 5\n").sample_types] == ["samples", "wall"]


def test_a_last_line_without_end_is_said() -> None:
    assert read(f"{ROW} 5").warnings == ("its last line has no end: is it whole?",)


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(WALL.encode(), "x"), Profile)
    assert isinstance(open_content(f"{ROW} 5\n".encode(), "x"), Profile)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{WALL}{ROW}\n", "line 9 is not a sample of Austin: 'P7;"),
        (f"{ROW} 5,0,1\n", "line 1 is not a sample of Austin"),
        (f"# mode: full\n{ROW} 5,0,1\n{ROW} 5\n", "line 3 is not a sample of Austin"),
        (f"# mode: new\n{ROW} 5\n", "Austin's format, of an unknown mode 'new'"),
        (f"{ROW} {10**17}\n", "line 1 has more than can be held"),
    ],
    ids=range(5),
)
def test_what_is_damaged_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read(text)
    assert message in caught.value.message
