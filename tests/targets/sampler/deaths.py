"""Numbers of code objects that die by the thousand, many at one address."""

import gc

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
reported = {number: (facts[0], facts[2]) for number, facts in core.code_tombstones()}
report(
    n_given=len(set(given)),
    n_addresses=len(addresses),
    is_reported=reported == expected,
    n_alive=sum(core.code_alive(number) is not None for number in given),
    is_taken=core.code_tombstones() == [],
)
core.cpu_unprepare()
unnumbered = compile("1", "later.py", "eval")
del unnumbered
