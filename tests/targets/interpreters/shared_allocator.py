"""A thread that makes interpreters with their own GIL and the main interpreter's allocator.

At a line of its input it stays inside such an interpreter until the next line. Then it sleeps for
REST_S seconds, without a GIL.
"""

import os
import select
import sys
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest

if sys.version_info >= (3, 13):
    import _interpreters
else:
    import _testcapi

N_OBJECTS = 3000
REST_S = float(os.environ.get("REST_S", "0"))

ALLOCATE = f"""
import os
kept = [str(i) * 5 for i in range({N_OBJECTS})]
if sum(map(len, kept)) != {sum(5 * len(str(i)) for i in range(N_OBJECTS))}:
    os.write(2, b"an object has changed")
"""
STAY = """
import os
os.write(1, b'{"is_inside": true}\\n')
os.read(0, 100)
"""


def run(code):
    """Run code in a new interpreter, which is then deleted."""
    if sys.version_info >= (3, 13):
        config = _interpreters.new_config("isolated", use_main_obmalloc=True)
        interpreter = _interpreters.create(config)
        failure = _interpreters.exec(interpreter, code)
        _interpreters.destroy(interpreter)
        if failure is not None:
            raise RuntimeError(failure.formatted)
        return
    config = {
        "use_main_obmalloc": True,
        "allow_fork": False,
        "allow_exec": False,
        "allow_threads": True,
        "allow_daemon_threads": False,
        "check_multi_interp_extensions": True,
        "gil": 2,  # a GIL of its own
    }
    if _testcapi.run_in_subinterp_with_config(code, **config):
        raise RuntimeError("it failed in an interpreter")


def make_code(number):
    """Make new code each time, which needs a name."""
    names = {}
    exec(f"def made_{number}(): return sum(range(20000))", names)
    return names[f"made_{number}"]()


def main():
    announce(ready="interpreters that share an allocator", pid=os.getpid())
    n_rounds = n_wrong = 0
    while not os.path.exists(sys.argv[1]):
        if select.select([0], [], [], 0)[0] and os.read(0, 100):
            run(STAY)
            announce(is_inside=False, mono_ns=time.monotonic_ns())
            time.sleep(REST_S)
        run(ALLOCATE)
        n_rounds += 1
        n_wrong += make_code(n_rounds) != sum(range(20000))
    announce(result=digest(0), rounds=n_rounds, wrong=n_wrong)


main()
