"""Pictures of every view in both themes, for docs/views.md.

    make pictures                                   all of them; some minutes
    make pictures PICTURES="--only waits --into DIR"  some, somewhere else

Needs Xvfb, a window manager and ImageMagick; for the lists of processes, a PID namespace. The
programs are run by the system's own Python where it can be attached to: its paths are those of most
readers.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness.pythons import CHECKOUT, pythons_with_gil
from pictures.sights import SCREEN, SUBJECTS, THEMES
from walk.display import has_programs, open_display

PROGRAMS = {
    "shop": CHECKOUT / "resources/stackglass_resources/demo/corner_shop.py",
    "desk": Path(__file__).parent / "programs/front_desk.py",
}
MEMORY = CHECKOUT / "resources/stackglass_resources/demo/photo_album.sgm"
KEPT = CHECKOUT / "docs/pictures/views"
N_COLOURS = 200
RECORDED_S = 4
NEEDED = {
    **{"Xvfb": "xvfb", "openbox": "openbox", "import": "imagemagick", "mogrify": "imagemagick"},
    "unshare": "util-linux",
}
"""Needed programs, with the Debian packages that contain them."""


def main() -> int:
    options = read_options()
    if not has_programs(NEEDED):
        return 2
    n_failed = 0
    for subject, sights in SUBJECTS.items():
        if any(options.only in sight.name for sight in sights):
            with (
                tempfile.TemporaryDirectory(prefix=f"{subject}-") as home,
                open_display(SCREEN) as display,
                open_subject(subject, home) as place,
            ):
                environment = {
                    **{key: value for key, value in os.environ.items() if "DISPLAY" not in key},
                    **{"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
                    **{"HOME": home, "XDG_CONFIG_HOME": home},
                }
                command = list_command(subject, place, options, home)
                n_failed += subprocess.run(command, env=environment, check=False).returncode != 0
    for theme in THEMES:
        kept = (options.into / theme).glob("*.png")
        taken = [path for path in kept if options.only in path.name]
        subprocess.run(["mogrify", "+dither", "-colors", str(N_COLOURS), *taken], check=True)
    return 1 if n_failed else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="part of a picture's name: only these")
    parser.add_argument("--into", type=Path, default=KEPT, help="the folder to write them in")
    return parser.parse_args()


@contextlib.contextmanager
def open_subject(subject: str, home: str) -> Iterator[str]:
    """Start or record what is to be seen. Returns its place, see ``studio``."""
    if subject in PROGRAMS:
        with run_program(subject, home) as pid:
            yield str(pid)
    elif subject == "comparison":
        with run_program("shop", home) as pid:
            yield ",".join(record(pid, f"{home}/{day}.pb.gz") for day in ("monday", "tuesday"))
    elif subject == "states":
        with run_program("shop", home) as pid:
            yield record(pid, f"{home}/corner_shop.sgm", "--profile", "memory")
    else:
        yield shutil.copy(MEMORY, home)


@contextlib.contextmanager
def run_program(name: str, home: str) -> Iterator[int]:
    """Run a program in a folder whose name may be shown. Returns its PID."""
    with subprocess.Popen(list_program(name, home), cwd=home, stdout=subprocess.DEVNULL) as process:
        try:
            time.sleep(1)
            yield process.pid
        finally:
            process.kill()


def list_program(name: str, home: str) -> list[str]:
    system = [one for one in pythons_with_gil() if one.source == "path"]
    python = system[0].executable if system else os.path.realpath(sys.executable)
    program = Path(shutil.copy(PROGRAMS[name], home)).name
    return [python, program, *(["--seconds", "3600"] if name == "shop" else [])]


def record(pid: int, path: str, *options: str) -> str:
    command = ["-m", "stackglass", "record", *options, "--duration", str(RECORDED_S)]
    subprocess.run([sys.executable, *command, "-o", path, str(pid)], check=True)
    return path


def list_command(subject: str, place: str, options: argparse.Namespace, home: str) -> list[str]:
    """Return the command that takes the pictures of a subject."""
    studio = [sys.executable, "-m", "pictures.studio", subject, place, options.into, options.only]
    if subject != "start":
        return studio
    # In a PID namespace of their own, the list of processes has these programs alone.
    running = "".join(
        f"(cd {shlex.quote(home)} && exec {shlex.join(list_program(name, home))} >/dev/null) &\n"
        for name in PROGRAMS
    )
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return [
        *("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", *as_root, "sh", "-c"),
        *(f'{running}exec "$@"', "sh", *map(str, studio)),
    ]


if __name__ == "__main__":
    sys.exit(main())
