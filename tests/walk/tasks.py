"""The ten most common tasks. Each begins with a window just opened, and ends when its user knows
or has what was wanted; each raises NotSeenError where that cannot be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from walk.user import User

HOT = "__main__.apply_discounts"
"""The demo's function that takes the most of its CPU time."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a task finds on the machine."""

    pid: int  # of the demo's program, which runs
    profile: Path  # of cProfile, with the function `json_roundtrip` and 581 others
    folder: Path  # for what the task writes


def read_a_file(user: User, place: Place) -> None:
    """What is slow, in a file from elsewhere: open it, look at the table."""
    user.choose("File", "Open…")
    _name_a_file(user, place.profile)
    user.click(r"Table of functions.*")
    user.click("Filter functions", "EditableText")
    user.write("roundtrip")
    user.read("1 of 582 functions|1 function")


def attach_to_a_process(user: User, place: Place) -> None:
    """By its number, which is searched for among all; its samples arrive."""
    _attach(user, place)
    user.read(HOT)


def find_what_is_slow(user: User, place: Place) -> None:
    """Within three clicks of a live tab: the summary names it and leads to its lines."""
    _attach(user, place)
    user.read(HOT)
    user.click("Summary.*", "CheckBox")
    user.click(HOT + r" takes [\d.]+% of the CPU time itself.* Show source")
    user.read(r"corner_shop\.py")


def zoom_and_come_back(user: User, place: Place) -> None:
    """Into a frame, by a click and Enter; out again by Esc, which first gives up the choice."""
    _attach(user, place)
    user.read(r"queue\.Queue\.put")
    user.click(" Pause", "CheckBox")
    user.click(r"__main__\.Shop\.price_order", "ListItem")
    user.press("Return")
    user.eyes.wait_for_none(r"queue\.Queue\.put")
    user.press("Escape", "Escape")
    user.read(r"queue\.Queue\.put")


def search_for_a_name(user: User, place: Place) -> None:
    """With how much it takes; the next match by Enter; Esc leads out of the
    field, gives up the match, and then the search."""
    _attach(user, place)
    user.read(HOT)
    user.press("ctrl+f")
    user.write("price")
    user.read(r"\d functions · [\d.]+%")
    user.press("Return")
    user.read(r"1 of \d+")
    user.press("Escape", "Escape", "Escape")
    user.eyes.wait_for_none(r"1 of \d+")


def see_one_part_only(user: User, place: Place) -> None:
    """What one function calls, as a filter from the menu of a frame; undone by Ctrl+Z."""
    _attach(user, place)
    user.read(HOT)
    user.click(r"__main__\.Shop\.price_order", "ListItem", button=3)
    user.choose("Filter", "Focus.*|Only.*")
    user.eyes.wait_for_none(r"take_orders")
    user.press("ctrl+z")
    user.read(r"take_orders")


def turn_the_rate_up(user: User, place: Place) -> None:
    """While the program runs; the status line says the new rate."""
    _attach(user, place)
    user.click("100 Hz|CPU.*", "ComboBox")
    user.click("1\\W?000 Hz", "ListItem")
    user.read(r"/ 1\W?000 Hz")


def see_what_allocates(user: User, place: Place) -> None:
    """The heap's sites, by line."""
    _attach(user, place)
    user.click("cpu|Sample type.*", "ComboBox")
    user.click("heap", "ListItem")
    user.click("Sites.*", "CheckBox")
    user.read(r"corner_shop\.py")


def see_what_waits_for_a_lock(user: User, place: Place) -> None:
    """Turned on live; the lock has its name."""
    _attach(user, place)
    user.click("Contention rates", "ButtonMenu")
    user.click("On\t.*", "MenuItem")
    user.click("cpu|Sample type.*", "ComboBox")
    user.click("contention", "ListItem")
    user.click("Sites.*|Waits.*", "CheckBox")
    user.read(r"PriceCache|threading\.|_thread\.lock")


def keep_a_session(user: User, place: Place) -> None:
    """Save all of it, leave the process, and open the file again."""
    path = place.folder / "kept.sgm"
    path.unlink(missing_ok=True)
    _attach(user, place)
    user.read(HOT)
    user.press("ctrl+s")
    user.click("The whole session", "RadioButton")
    user.click("Save…", "Button")
    _name_a_file(user, path)
    user.eyes.wait_for(path.exists, f"the file {path.name}")
    user.click(" Detach", "Button")
    user.eyes.wait_for_none("● Live")
    user.press("ctrl+w")
    user.click("Close.*", "Button")  # what came after the file was written is not in it
    user.press("ctrl+o")
    _name_a_file(user, path)
    user.read(HOT)


def _attach(user: User, place: Place) -> None:
    user.click(" Attach to a process…", "Button")
    user.click("", "EditableText")
    user.write(str(place.pid))
    user.read(rf"^\t{place.pid}$")  # now the list has this process only
    user.click("Attach", "Button")
    user.read("● Live")


def _name_a_file(user: User, path: Path) -> None:
    """In the dialog that has just been opened."""
    user.eyes.find("File name:|&?File &?name:", "StaticText")
    user.write(str(path))
    user.press("Return")


TASKS: dict[str, Callable[[User, Place], None]] = {
    task.__name__: task
    for task in (
        read_a_file,
        attach_to_a_process,
        find_what_is_slow,
        zoom_and_come_back,
        search_for_a_name,
        see_one_part_only,
        turn_the_rate_up,
        see_what_allocates,
        see_what_waits_for_a_lock,
        keep_a_session,
    )
}
