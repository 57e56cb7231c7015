"""Entry of the sanitized engine by the program itself."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOOTSTRAP = os.path.join(ROOT, "core", "stackglass", "bootstrap.py")


def load_core():
    scope = {"__name__": "stackglass.bootstrap", "__file__": BOOTSTRAP}
    with open(BOOTSTRAP, encoding="utf-8") as file:
        exec(compile(file.read(), BOOTSTRAP, "exec"), scope)
    return scope["load"](os.environ["SANITIZED"])


def list_arguments():
    """Return the arguments of the engine's entry."""
    fields = {"socket": os.environ["ENGINE_SOCKET"], "uid": os.getuid(), "hz": 100}
    return b"".join(f"{key}={value}".encode() + b"\0" for key, value in fields.items()) + b"\0"
