"""Common parts of targets with several interpreters: make an interpreter, and run code in it.

Up to 3.11 subinterpreters share one GIL; from 3.12 on each of these has a GIL of its own.
"""

import sys
import threading

if sys.version_info >= (3, 13):
    import _interpreters
else:
    import _xxsubinterpreters as _interpreters


def make():
    if sys.version_info < (3, 12):  # isolated ones can start no threads
        return _interpreters.create(isolated=False)
    return _interpreters.create()


def run(interpreter, code):
    """Run code to its end. Raises RuntimeError if it failed."""
    if sys.version_info < (3, 13):
        _interpreters.run_string(interpreter, code)
        return
    failure = _interpreters.exec(interpreter, code)
    if failure is not None:
        raise RuntimeError(failure.formatted)


def destroy(interpreter):
    _interpreters.destroy(interpreter)


def run_in_threads(codes):
    """Run each code in an interpreter and a thread of its own. Returns the failures."""
    failures = []

    def work(code):
        interpreter = make()
        try:
            run(interpreter, code)
        except RuntimeError as error:  # RunFailedError, up to 3.12
            failures.append(str(error))
        destroy(interpreter)

    threads = [threading.Thread(target=work, args=(code,)) for code in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures
