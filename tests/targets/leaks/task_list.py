"""Leak by a list: an asyncio service that reads meters. It keeps its tasks, so that they are not
collected early, as the manual recommends, but never drops finished tasks."""

import argparse
import asyncio
import json
import random
import time

_tasks = []


async def read_meter(number, chance):
    """One meter's day: a reading each quarter of an hour."""
    readings = [round(chance.gauss(230, 3), 2) for _ in range(96)]
    await asyncio.sleep(0.02)
    return {"meter": number, "volts": readings}


async def summarise(number, chance):
    """Make texts that are soon freed, which is no leak."""
    report = await read_meter(number, chance)
    text = json.dumps(report) * 20
    return report if len(text) > 100 else None


def schedule(number, chance):
    task = asyncio.get_running_loop().create_task(summarise(number, chance))
    _tasks.append(task)


async def poll_meters(seconds, per_second):
    chance = random.Random(1)
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        for _ in range(10):
            schedule(number % 500, chance)
            number += 1
        await asyncio.sleep(10 / per_second)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--per-second", type=float, default=300)
    arguments = parser.parse_args()
    print("polling", flush=True)
    asyncio.run(poll_meters(arguments.seconds, arguments.per_second))
    print(f"{len(_tasks)} tasks kept")


if __name__ == "__main__":
    main()
