"""The ten most common tasks of a user.

Each begins with a new window, and ends when the user has the wanted result. Each raises
NotSeenError if a step is impossible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from walk.user import User

HOT = "__main__.apply_discounts"
"""The demo's function with the most CPU time."""


@dataclass(frozen=True, slots=True)
class Place:
    """Process and files that a task uses."""

    pid: int  # of the running demo program
    profile: Path  # of cProfile, with the function `json_roundtrip` and 581 others
    folder: Path  # for files that the task writes


def read_a_file(user: User, place: Place) -> None:
    """Find what is slow in another tool's file: open it, read the table."""
    user.choose("File", "Open…")
    _name_a_file(user, place.profile)
    user.click(r"Table of functions.*")
    user.click("Filter functions", "EditableText")
    user.write("roundtrip")
    user.read("1 of 582 functions|1 function")


def attach_to_a_process(user: User, place: Place) -> None:
    """Find a process by its PID in the list, attach, and wait for its samples."""
    _attach(user, place)
    user.read(HOT)


def find_what_is_slow(user: User, place: Place) -> None:
    """Find the slow function in a live tab by three clicks: the summary leads to its lines."""
    _attach(user, place)
    user.read(HOT)
    user.click("Summary.*", "CheckBox")
    user.click(HOT + r" takes [\d.]+% of the CPU time itself.* Show source")
    user.read(r"corner_shop\.py")


def zoom_and_come_back(user: User, place: Place) -> None:
    """Zoom into a frame by a click and Enter, and out by Esc, which first drops the selection."""
    _attach(user, place)
    user.read(r"queue\.Queue\.put")
    user.click(" Pause", "CheckBox")
    user.click(r"__main__\.Shop\.price_order", "ListItem")
    user.press("Return")
    user.eyes.wait_for_none(r"queue\.Queue\.put")
    user.press("Escape", "Escape")
    user.read(r"queue\.Queue\.put")


def search_for_a_name(user: User, place: Place) -> None:
    """Search for a function, read its share, go to the next match by Enter. Esc leaves the field,
    drops the match, and then the search."""
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
    """Show only the callees of a function, by a frame's menu; undo it by Ctrl+Z."""
    _attach(user, place)
    user.read(HOT)
    user.click(r"__main__\.Shop\.price_order", "ListItem", button=3)
    user.choose("Filter", "Focus.*|Only.*")
    user.eyes.wait_for_none(r"take_orders")
    user.press("ctrl+z")
    user.read(r"take_orders")


def turn_the_rate_up(user: User, place: Place) -> None:
    """Raise the rate while the program runs; the status line shows it."""
    _attach(user, place)
    user.click("100 Hz|CPU.*", "ComboBox")
    user.click("1\\W?000 Hz", "ListItem")
    user.read(r"/ 1\W?000 Hz")


def see_what_allocates(user: User, place: Place) -> None:
    """Show the heap's allocation sites by line."""
    _attach(user, place)
    user.click("cpu|Sample type.*", "ComboBox")
    user.click("heap", "ListItem")
    user.click("Sites.*", "CheckBox")
    user.read(r"corner_shop\.py")


def see_what_waits_for_a_lock(user: User, place: Place) -> None:
    """Turn lock profiles on in a live tab, and find the lock by name."""
    _attach(user, place)
    user.click("Contention rates", "ButtonMenu")
    user.click("On\t.*", "MenuItem")
    user.click("cpu|Sample type.*", "ComboBox")
    user.click("contention", "ListItem")
    user.click("Sites.*|Waits.*", "CheckBox")
    user.read(r"PriceCache|threading\.|_thread\.lock")


def keep_a_session(user: User, place: Place) -> None:
    """Save a session, detach from the process, and open the file."""
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
    user.click("Close.*", "Button")  # later data are not in the file
    user.press("ctrl+o")
    _name_a_file(user, path)
    user.read(HOT)


def _attach(user: User, place: Place) -> None:
    user.click(" Attach to a process…", "Button")
    user.click("Search processes", "EditableText")
    user.write(str(place.pid))
    user.read(rf"PID {place.pid},")  # now the list has only this process
    user.click("Attach", "Button")
    user.read("● Live")


def _name_a_file(user: User, path: Path) -> None:
    """Enter a path in the file dialog that has just opened."""
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
