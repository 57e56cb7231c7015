"""Rows of the memory map of a process, ``/proc/PID/maps``, as words."""

from __future__ import annotations


def read_map(pid: int | str) -> list[list[str]]:
    """Return the rows of the map: addresses, permissions, offset, device, inode, and the name, if
    there is one. ``pid`` may be ``self``. Raises OSError.

    Names may have any bytes, and line ends other than the newline, which the kernel escapes.
    """
    with open(f"/proc/{pid}/maps", "rb") as file:
        text = file.read().decode("utf-8", "surrogateescape")
    return [row.split(None, 5) for row in text.split("\n") if row]
