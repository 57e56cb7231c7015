"""A small shop's back office, busy enough to be worth looking into.

It knows nothing of Stackglass: an ordinary program of a few threads, which parse orders, price
them, keep a cache and a stock list, compress an archive, and write a report now and then.

    python corner_shop.py [--seconds S]

Where its CPU time should go, roughly: pricing most, then parsing, the archive, and the report.
Python 3.9 or newer; standard library only.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import queue
import random
import re
import threading
import time
import zlib
from typing import Any

ORDER_LINE = re.compile(r"(?P<customer>\w+)@(?P<town>[A-Z]\w+) wants (?P<items>(?:\d+×\w+,? ?)+)")
ITEM = re.compile(r"(\d+)×(\w+)")
GOODS = ("bread", "milk", "tea", "honey", "soap", "string", "candles", "nails", "paper", "ink")
TOWNS = ("Ashford", "Brookhaven", "Cole", "Dunmore", "Elsing", "Farrow")
N_CLERKS = 3
REPORT_EVERY_S = 1.0
PAUSE_BETWEEN_ORDERS_S = 0.002


class PriceCache:
    """A cache of prices; the least recently used is dropped first."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._prices: collections.OrderedDict[tuple[str, int], int] = collections.OrderedDict()
        self.hits = self.misses = 0

    def look_up(self, good: str, amount: int) -> int:
        """Return the price in pence."""
        with self._lock:
            price = self._prices.get((good, amount))
            if price is not None:
                self.hits += 1
                self._prices.move_to_end((good, amount))
                return price
            self.misses += 1
        price = work_out_price(good, amount)
        with self._lock:
            self._prices[good, amount] = price
            if len(self._prices) > self._capacity:
                self._prices.popitem(last=False)
        return price


def work_out_price(good: str, amount: int) -> int:
    """Return the price of an amount, whose discounts are computed slowly on purpose."""
    base = 20 + int(hashlib.sha1(good.encode()).hexdigest()[:4], 16) % 400
    total = 0
    for piece in range(amount):
        total += apply_discounts(base, piece)
    return total


def apply_discounts(pence: int, piece: int) -> int:
    for step in range(1, 12):
        if piece > step * step:
            pence -= pence // (40 + step)
    return pence


class Shop:
    """Everything the threads share."""

    def __init__(self) -> None:
        self.orders: queue.Queue[str | None] = queue.Queue(maxsize=500)
        self.cache = PriceCache(capacity=400)
        self.stock: collections.Counter[str] = collections.Counter()
        self.stock_lock = threading.Lock()
        self.ledger: collections.deque[dict[str, Any]] = collections.deque(maxlen=2000)
        self.archive_bytes = 0
        self.closing = threading.Event()

    def parse_order(self, line: str) -> dict[str, Any]:
        found = ORDER_LINE.match(line)
        if found is None:
            raise ValueError(f"no order: {line!r}")
        items = [(int(amount), good) for amount, good in ITEM.findall(found["items"])]
        return {"customer": found["customer"], "town": found["town"], "items": items}

    def price_order(self, order: dict[str, Any]) -> None:
        order["pence"] = sum(self.cache.look_up(good, n) for n, good in order["items"])

    def take_from_stock(self, order: dict[str, Any]) -> None:
        with self.stock_lock:
            for amount, good in order["items"]:
                self.stock[good] -= amount
                if self.stock[good] < 0:
                    self.stock[good] += 5000

    def archive_order(self, order: dict[str, Any]) -> None:
        text = json.dumps(order, ensure_ascii=False, sort_keys=True)
        copies = "\n".join(text for _ in range(16))
        self.archive_bytes += len(zlib.compress(copies.encode(), 6))
        self.ledger.append(json.loads(text))

    def serve_orders(self) -> None:
        """Serve orders until closing time; each clerk runs this."""
        while True:
            line = self.orders.get()
            if line is None:
                return
            order = self.parse_order(line)
            self.price_order(order)
            self.take_from_stock(order)
            self.archive_order(order)

    def write_reports(self) -> None:
        while not self.closing.wait(REPORT_EVERY_S):
            print(self.summarise(), flush=True)

    def summarise(self) -> str:
        by_town: dict[str, list[int]] = collections.defaultdict(list)
        for order in list(self.ledger):
            by_town[order["town"]].append(order["pence"])
        best = sorted(by_town.items(), key=lambda pair: (-sum(pair[1]), pair[0]))
        towns = ", ".join(f"{town} £{sum(sums) / 100:,.0f}" for town, sums in best[:3])
        return f"{len(self.ledger)} orders; {towns}; cache {self.cache.hits}/{self.cache.misses}"

    def take_orders(self, seconds: float) -> None:
        """Invent orders until closing time."""
        chance = random.Random(1)
        closing_time = time.monotonic() + seconds
        while time.monotonic() < closing_time:
            for _ in range(6):
                self.orders.put(invent_order(chance))
            time.sleep(PAUSE_BETWEEN_ORDERS_S)


def invent_order(chance: random.Random) -> str:
    items = ", ".join(
        f"{chance.randrange(1, 120)}×{chance.choice(GOODS)}" for _ in range(chance.randrange(1, 9))
    )
    return f"c{chance.randrange(1000)}@{chance.choice(TOWNS)} wants {items}"


def run_shop(seconds: float) -> None:
    shop = Shop()
    clerks = [
        threading.Thread(target=shop.serve_orders, name=f"clerk {number}")
        for number in range(1, N_CLERKS + 1)
    ]
    reporter = threading.Thread(target=shop.write_reports, name="reporter")
    for thread in (*clerks, reporter):
        thread.start()
    try:
        shop.take_orders(seconds)
    except KeyboardInterrupt:
        pass
    finally:
        shop.closing.set()
        for _ in clerks:
            shop.orders.put(None)
        for thread in (*clerks, reporter):
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description="A small shop's back office.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long it stays open")
    run_shop(parser.parse_args().seconds)


if __name__ == "__main__":
    main()
