"""Commands found by a few letters."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.command_search import Command, rank_commands

COMMANDS = (
    Command(("File", "Open…"), "Ctrl+O"),
    Command(("File", "Open recent", "/tmp/cpu.pb.gz")),
    Command(("View", "Flame graph"), "1"),
    Command(("View", "Table"), "3"),
    Command(("View", "Theme", "Dark")),
    Command(("View", "Theme", "Light")),
    Command(("Capture", "Lock profiles…"), "F8"),
)


def find(text: str) -> list[str]:
    return [COMMANDS[place].title for place in rank_commands(COMMANDS, text)]


def test_the_menu_of_the_menu_bar_is_no_part_of_a_title() -> None:
    assert COMMANDS[4].title == "Theme ▸ Dark"


def test_no_text_finds_all_in_the_order_of_the_menus() -> None:
    assert find("  ") == [command.title for command in COMMANDS]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dark", ["Theme ▸ Dark"]),
        ("light the", ["Theme ▸ Light"]),  # words in any order
        ("tab", ["Table"]),
        ("f8", ["Lock profiles…"]),  # by its key
        ("fg", ["Flame graph"]),  # by letters
        ("capture", ["Lock profiles…"]),  # by its menu
        ("zz", []),
    ],
)
def test_every_word_must_be_found(text: str, found: list[str]) -> None:
    assert find(text) == found


def test_the_beginning_of_a_title_comes_before_that_of_a_word_and_that_before_its_middle() -> None:
    commands = (
        Command(("View", "Unopened")),
        Command(("View", "Not open")),
        Command(("View", "Open")),
        Command(("View", "Orange pen")),  # scattered letters
    )
    assert rank_commands(commands, "open") == [2, 1, 0, 3]


def test_title_with_the_words_side_by_side_comes_before_one_with_other_words_between() -> None:
    commands = (
        Command(("Edit", "Filter by pattern, label, thread, time…")),
        Command(("View", "Graph", "Order of frames", "By time (first seen)")),
    )
    assert rank_commands(commands, "by time") == [1, 0]
    assert rank_commands(commands, "time by") == [0, 1]


@pytest.mark.parametrize("text", ["attach to a process", "Attach to the", "attach a"])
def test_little_words_may_be_left_out(text: str) -> None:
    commands = [Command(("File", "Open…")), Command(("File", "Attach…"))]
    assert rank_commands(commands, text) == [1]


def test_little_words_count_where_a_command_has_them() -> None:
    commands = [Command(("Edit", "Marker B here")), Command(("Edit", "Marker A here"))]
    assert rank_commands(commands, "marker a")[0] == 1
    assert rank_commands(commands, "to the") == []
