"""A script whose last line comes milliseconds after its first, while a thread of it goes on."""

import threading
import time


def keep():
    return [bytearray(1500) for _ in range(200)]


kept = keep()
threading.Thread(target=time.sleep, args=(0.3,)).start()
