"""The main thread is in a C function that has released the GIL nearly all the time."""

import hashlib

from rounds import run_rounds

DATA = b"stackglass" * 4_000_000


def hash_much():
    return hashlib.sha256(DATA).hexdigest()


run_rounds("c without the GIL", hash_much)
