"""Two threads, each hot in a function of its own; the main thread waits for them."""

import threading

from rounds import run_rounds


def burn_left():
    return sum(i * i for i in range(2000))


def burn_right():
    return sum(i * 3 for i in range(2000))


def burn(function):
    while not done.is_set():
        function()


done = threading.Event()
threads = [threading.Thread(target=burn, args=(f,)) for f in (burn_left, burn_right)]
for thread in threads:
    thread.start()
run_rounds("two hot threads", lambda: done.wait(0.1))
done.set()
for thread in threads:
    thread.join()
