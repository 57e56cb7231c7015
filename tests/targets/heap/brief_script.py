"""A script that ends milliseconds after its begin, while one of its threads continues."""

import threading
import time


def keep():
    return [bytearray(1500) for _ in range(200)]


kept = keep()
threading.Thread(target=time.sleep, args=(0.3,)).start()
