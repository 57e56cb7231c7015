"""The two views of the heap, and the effect of collections on them: SO."""

import gc

from heap import Heap, core, count_negative, report

SIZE = 5000


class Node:
    pass


def make_cycles():
    for _ in range(50):
        node = Node()
        node.itself = node
        node.block = bytes(SIZE)


def make_kept():
    kept.extend(bytes(SIZE) for _ in range(10))


def make_later():
    kept.extend(bytes(SIZE) for _ in range(7))


class Mortal:
    def __del__(self):
        born_and_freed()
        born_and_kept()


def born_and_freed():
    bytes(SIZE)


def born_and_kept():
    kept.append(bytes(SIZE))


def make_mortals():
    for _ in range(20):
        mortal = Mortal()
        mortal.itself = mortal


def views(name):
    return [heap.site(name, 4000, view).in_use[0] for view in ("live", "as_of_full")]


kept = []
heard = []
gc.collect()
gc.disable()
with Heap(1) as heap:
    make_kept()
    make_cycles()
    facts = {"before_any": views("<genexpr>"), "cycles_before": views("make_cycles")}
    gc.collect()
    facts["cycles_after"] = views("make_cycles")
    facts["kept_after"] = views("<genexpr>")
    make_later()
    facts["later_before"] = views("<genexpr>")
    kept.clear()  # references counted down to nothing, in the cycle after the collection
    facts["freed_before"] = views("<genexpr>")
    n_negative = count_negative(heap.read())
    gc.collect()
    facts["freed_after"] = views("<genexpr>")
    make_mortals()
    gc.collect()
    facts["in_finaliser"] = [views("born_and_freed"), views("born_and_kept")]
    n_negative += count_negative(heap.read())
    gc.collect()
    facts["in_finaliser_later"] = [views("born_and_freed"), views("born_and_kept")]
    kept.clear()
    for _ in range(6):  # every future slot is used again
        make_cycles()
        make_kept()
        kept.clear()
        n_negative += count_negative(heap.read())
        gc.collect()
        n_negative += count_negative(heap.read())
    facts["at_last"] = [views("make_cycles"), views("<genexpr>")]
    core.heap_collections()

    def hear(phase, info):
        heard.append((phase, info["generation"]))

    gc.callbacks.append(hear)
    make_cycles()
    gc.collect(0)
    gc.collect()
    gc.callbacks.remove(hear)
    gc.collect(1)
    collections = core.heap_collections()
    events = core.heap_events()
report(
    **facts,
    n_negative=n_negative,
    heard=heard,
    generations=[collection[2] for collection in collections],
    collected=[collection[4] for collection in collections],
    are_pauses_sane=all(0 < collection[1] < 10**10 for collection in collections),
    are_in_order=[c[0] for c in collections] == sorted(c[0] for c in collections),
    n_allocs_reported=sum(event[3] for event in events if not event[5]),
    n_frees_reported=sum(event[3] for event in events if event[5]),
)
