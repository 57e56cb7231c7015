"""numpy in several threads: products of matrices, sorts, small and large arrays, callbacks."""

import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, run_rounds

try:
    import numpy
except ImportError:
    announce(ready="numpy", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)


def compute(seed):
    draw = numpy.random.RandomState(seed)
    matrix = draw.randint(0, 9, (120, 120))
    product = matrix.astype(float) @ matrix.astype(float)
    order = numpy.sort(draw.randint(0, 1 << 30, 30000))
    small = [numpy.arange(i) * 2 for i in range(300)]
    large = numpy.zeros(1 << 20, dtype=numpy.uint8)
    large[:: 1 << 12] = 1
    called = numpy.vectorize(lambda value: value + 1)(order[:300])
    return (
        float(product.sum()),
        int(order[::100].sum()),
        sum(int(array.sum()) for array in small),
        int(large.sum()),
        int(called.sum()),
    )


def do_round():
    results = [None] * 3

    def work(number):
        results[number] = compute(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(results))]
    for thread in threads:
        thread.start()
    main = compute(9)
    for thread in threads:
        thread.join()
    return main, results


run_rounds("numpy", do_round)
