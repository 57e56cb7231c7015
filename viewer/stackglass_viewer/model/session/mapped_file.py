"""A session file while it is read: its content, and its name in what goes wrong."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stackglass_viewer.model.errors import ProfileError


@contextmanager
def map_file(path: str | os.PathLike[str]) -> Iterator[memoryview]:
    """The content, which may outlive the block. Raises ProfileError for a file that cannot be read,
    and names the file in those of the block. Any thread."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        yield memoryview(mapped)
    except MemoryError:
        raise ProfileError(f"cannot open {name}: there is not enough memory to read it") from None
    except (OSError, ValueError) as error:  # ValueError: it is empty by now
        reason = getattr(error, "strerror", None) or str(error)
        raise ProfileError(f"cannot open {name}: {reason.lower()}") from error
    except ProfileError as error:
        raise ProfileError(f"cannot open {name}: {error.message}", error.remedy) from error
