"""A booking service on asyncio: routes, a pool of two connections, a slow export, and two
bookkeepers who wait for each other."""

import asyncio
import contextvars
import hashlib
import json
import random
import threading

ROUTE = contextvars.ContextVar("route")
N_CONNECTIONS = 2
GUESTS = ("Amsel", "Birke", "Distel", "Eiche", "Falke", "Ginster")


def render_page(rooms):
    return "".join(f"<li>{room}: {hashlib.sha1(room.encode()).hexdigest()}" for room in rooms)


def quote_price(nights):
    total = 0
    for night in range(nights):
        for step in range(40):
            total += (night * step) % 7
    return total


async def show_rooms(chance, connections):
    async with connections:
        await asyncio.sleep(0.004)
    render_page([f"room {chance.randrange(100)}" for _ in range(120)])


async def book_room(chance, connections):
    price = sum(quote_price(chance.randrange(1, 14)) for _ in range(4))
    async with connections:
        await asyncio.sleep(0.008)
    json.dumps({"guest": chance.choice(GUESTS), "price": price})


async def export_bookings(chance, connections):
    rows = [{"guest": chance.choice(GUESTS), "nights": n % 14} for n in range(40_000)]
    async with connections:
        await asyncio.sleep(0.01)
    json.dumps(rows, indent=1)  # blocks the loop


async def serve_route(route, serve, pause_s, connections):
    ROUTE.set(route)
    chance = random.Random(route)
    while True:
        await serve(chance, connections)
        await asyncio.sleep(pause_s)


async def run_desk():
    connections = asyncio.Semaphore(N_CONNECTIONS)
    await asyncio.gather(
        serve_route("/export", export_bookings, 0.5, connections),
        *(serve_route("/rooms", show_rooms, 0.002, connections) for _ in range(3)),
        *(serve_route("/book", book_room, 0.004, connections) for _ in range(2)),
    )


def copy_pages(mine, other, both_hold):
    with mine:
        both_hold.wait()
        with other:
            raise AssertionError("two bookkeepers hold both ledgers")


def start_bookkeepers():
    income, spending, both_hold = threading.Lock(), threading.Lock(), threading.Barrier(2)
    for name, mine, other in (("income", income, spending), ("spending", spending, income)):
        threading.Thread(
            target=copy_pages,
            args=(mine, other, both_hold),
            name=f"bookkeeper, {name}",
            daemon=True,
        ).start()


if __name__ == "__main__":
    start_bookkeepers()
    asyncio.run(run_desk())
