"""An asyncio loop with a hundred tasks that all sleep."""

import asyncio

from rounds import run_rounds

loop = asyncio.new_event_loop()


async def rest(number):
    await asyncio.sleep(0.5)
    return number


async def rest_together():
    return await asyncio.gather(*(rest(number) for number in range(100)))


run_rounds("asyncio", lambda: loop.run_until_complete(rest_together()))
loop.close()
