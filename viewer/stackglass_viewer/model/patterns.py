r"""Patterns: regular expressions of RE2, the syntax and the meaning that they have in pprof.

RE2 takes linear time whatever the pattern, so patterns that come out of files are safe as well.
Python's ``re`` refuses some of them (``\pL``, ``\z``, ``\Q…\E``, ``(?U)``) and finds something else
with others (``[[:alpha:]]``, ``$`` before a last newline).
"""

from __future__ import annotations

from collections.abc import Callable

from stackglass_viewer.model.errors import PatternError

try:
    import re2
except ImportError:  # no wheel for this Python or machine: files open all the same
    re2 = None

Test = Callable[[str], bool]


def compile_pattern(pattern: str, *, is_case_sensitive: bool = True) -> Test:
    """A test whether a pattern is found anywhere in a text. Any thread.

    Raises PatternError if it is not a regular expression, or google-re2 is not installed.
    """
    if re2 is None:
        raise PatternError("patterns need google-re2", "pip install google-re2")
    options = re2.Options()
    options.log_errors = False  # they would go to standard error
    options.case_sensitive = is_case_sensitive
    options.never_capture = True
    try:
        # Bytes: of texts, the module would work out places in characters, which nothing asks for.
        search = re2.compile(_encode(pattern), options).search
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
        raise PatternError(f"{pattern!r} is not a regular expression", reason) from None
    return lambda text: search(_encode(text)) is not None


def compile_whole(pattern: str) -> Test:
    """The same, but the pattern has to match a whole text, as ``drop_frames`` does in pprof."""
    try:
        return compile_pattern(f"^({pattern})$")
    except PatternError as error:
        if re2 is None:
            raise
        raise PatternError(f"{pattern!r} is not a regular expression", error.remedy) from None


def _encode(text: str) -> bytes:
    return text.encode(errors="replace")  # names of live programs may hold half a pair
