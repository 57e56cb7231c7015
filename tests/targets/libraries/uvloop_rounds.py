"""An asyncio program on uvloop: a server and its clients, tasks, executors, child processes."""

import asyncio
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, run_rounds

try:
    import uvloop
except ImportError:
    announce(ready="uvloop", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)


async def serve(reader, writer):
    line = await reader.readline()
    writer.write(line.upper())
    await writer.drain()
    writer.close()


async def ask(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"question %d\n" % number)
    answer = await reader.read()
    writer.close()
    return answer


async def wait_in_turn(lock, number):
    async with lock:
        await asyncio.sleep(0.0005)
        return number


async def start_child():
    child = await asyncio.create_subprocess_exec(
        "/bin/echo", "child", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await child.communicate()
    return output, child.returncode


async def work():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    lock, loop = asyncio.Lock(), asyncio.get_running_loop()
    answers = await asyncio.gather(*(ask(port, number) for number in range(20)))
    turns = await asyncio.gather(*(wait_in_turn(lock, number) for number in range(20)))
    sums = await asyncio.gather(*(loop.run_in_executor(None, sum, range(5000)) for _ in range(5)))
    child = await start_child()
    server.close()
    await server.wait_closed()
    return answers, turns, sums, child


loop = uvloop.new_event_loop()
asyncio.set_event_loop(loop)
run_rounds("uvloop", lambda: loop.run_until_complete(work()))
loop.run_until_complete(loop.shutdown_default_executor())
loop.close()
