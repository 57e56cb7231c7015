"""Command lines, the program first."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.command_texts import (
    name_command,
    name_process,
    name_tab,
    shorten_command,
)


@pytest.mark.parametrize(
    ("command", "short"),
    [
        ("/usr/bin/python3.11 -X dev /srv/app/web.py 8801", "web.py 8801"),
        ("python3 -m http.server 8000", "http.server 8000"),
        ("/opt/venv/bin/python3 /opt/venv/bin/celery worker -A shop", "celery worker -A shop"),
        ("gunicorn: worker [app]", "gunicorn: worker [app]"),
        ("python3 -c print(1) two", "python -c print(1) two"),
        ("python3 -i", "python3"),
        ("", ""),
    ],
)
def test_the_program_and_its_arguments(command: str, short: str) -> None:
    assert shorten_command(command) == short


def test_services_of_multiprocessing_have_names() -> None:
    assert name_command("python3 app.py [multiprocessing child]") == "app.py"
    assert name_command("python3 app.py [multiprocessing fork server]") == "fork server"
    assert name_tab("resource tracker 8", "app.py 7") == "└ resource tracker 8"


def test_a_childs_tab_says_what_differs() -> None:
    assert name_tab("web.py 7") == "web.py 7"
    assert name_tab("web.py 8", "web.py 7") == "└ 8"
    assert name_tab("convert.py 8", "web.py 7") == "└ convert.py 8"


def test_a_fork_is_named_after_its_program() -> None:
    assert name_process("", "python3 web.py 8801", 7) == "fork of web.py"
    assert name_process("", "python3 web.py 8801", 0) == "web.py"
    assert name_process("Process-1", "python3 web.py", 7) == "Process-1"
    assert name_tab("fork of web.py 8", "web.py 7") == "└ fork 8"
    assert name_tab("fork of web.py 8", "master.py 7") == "└ fork of web.py 8"


def test_a_shortened_command_has_no_unsafe_letters() -> None:
    assert shorten_command("python3 web.py \u202etxt") == "web.py \ufffdtxt"
