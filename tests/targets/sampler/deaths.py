"""Numbers of thousands of code objects that are freed, many at one address."""

import gc
import os

from sampler import core, report

assert core.cpu_prepare() is None
given, expected, addresses = [], {}, set()
for i in range(3000):
    code = compile("x = 1\n\ny = 2", f"file{i}.py", "exec").replace(co_name=f"name\u00e9{i}")
    number = core.code_id(code)
    again = core.code_id(code)
    alive = core.code_alive(number) is code
    given.append(number)
    addresses.add(id(code))
    expected[number] = (f"name\u00e9{i}", f"file{i}.py")
    if not (number == again and alive):
        raise SystemExit(f"{number} is not the number of a living code")
    del code
gc.collect()
reported = {number: (info[0], info[2]) for number, info in core.code_tombstones()}
is_taken = core.code_tombstones() == []

# A freed code object, whose tombstone the parent has not read yet, at a fork.
late = compile("1", "late.py", "eval")
late_number = core.code_id(late)
del late
pid = os.fork()
if not pid:
    core.cpu_after_fork()
    os._exit(len(core.code_tombstones()))
n_in_child = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
report(
    n_in_child=n_in_child,
    is_parents=[number for number, _ in core.code_tombstones()] == [late_number],
    n_given=len(set(given)),
    n_addresses=len(addresses),
    is_reported=reported == expected,
    n_alive=sum(core.code_alive(number) is not None for number in given),
    is_taken=is_taken,
)
core.cpu_unprepare()
unnumbered = compile("1", "later.py", "eval")
del unnumbered
