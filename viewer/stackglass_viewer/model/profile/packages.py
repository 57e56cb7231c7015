"""Packages of functions, by their names and files."""

from __future__ import annotations

from stackglass_viewer.model.profile.native_frames import find_library


def package_of(name: str, file: str) -> str:
    """Return the package of a function: the first part of its name, else the folder of its file.

    >>> package_of("http.client.HTTPConnection.request", "/usr/lib/python3.11/http/client.py")
    'http'
    >>> package_of("github.com/me/app/db.(*Conn).Query", "")
    'github.com/me/app/db'
    """
    head, slash, last = name.rpartition("/")
    first = last.partition(".")[0] if "." in last else ""
    if slash:
        return f"{head}/{first or last}"
    return first or file.rpartition("/")[0]


def package_or_library(name: str, file: str) -> str:
    """Return the library of a function of machine code, else the function's package.

    >>> package_or_library("libz: inflate_fast", "/usr/lib/libz.so.1")
    'libz'
    """
    return find_library(name) or package_of(name, file)
