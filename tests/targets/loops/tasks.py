"""Tasks of asyncio, named after what wakes them, and without references; and some leaks."""

# ruff: noqa: RUF006 - tasks that nothing refers to are what this is about

import asyncio
import functools
import os
import signal
import socket
import weakref

from waiting import AWAKE, IS_ENDING, WAKERS, expect, start_thread


async def finish(name, awaitable):
    await awaitable
    AWAKE.add(name)


def start_task(name, awaitable):
    asyncio.get_running_loop().create_task(finish(expect(name), awaitable), name=name)


async def read_stream(descriptor):
    end = socket.socket(fileno=descriptor)
    reader, _writer = await asyncio.open_connection(sock=end)
    await reader.readline()


def wake_by_streams():
    """Wake by a stream; the program has the other end only as a number."""
    near, far = socket.socketpair()
    start_task("task by a stream", read_stream(near.detach()))
    descriptor = far.detach()
    WAKERS.append(lambda: os.write(descriptor, b"line\n"))


def wake_by_sockets():
    loop = asyncio.get_running_loop()
    near, far = socket.socketpair()
    near.setblocking(False)
    descriptor = far.detach()
    start_task("task by sock_recv", loop.sock_recv(near, 10))
    WAKERS.append(lambda: os.write(descriptor, b"x"))


def wake_by_reader():
    loop = asyncio.get_running_loop()
    near, far = os.pipe()
    event = asyncio.Event()
    loop.add_reader(near, lambda: os.read(near, 10) and event.set())
    start_task("task by add_reader", event.wait())
    WAKERS.append(lambda: os.write(far, b"x"))


def wake_by_loop_signal():
    event = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, event.set)
    start_task("task by a signal", event.wait())
    WAKERS.append(lambda: os.kill(os.getpid(), signal.SIGUSR1))


async def wait_for_pipe(descriptor):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    pipe = os.fdopen(descriptor, "rb", 0)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    await reader.readline()


def wake_by_read_pipe():
    near, far = os.pipe()
    start_task("task by a pipe", wait_for_pipe(near))
    WAKERS.append(lambda: os.write(far, b"line\n"))


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, event):
        self.event = event

    def datagram_received(self, data, address):
        self.event.set()


async def wake_by_datagrams():
    event = asyncio.Event()
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Datagrams(event), local_addr=("127.0.0.1", 0)
    )
    address = transport.get_extra_info("sockname")
    del transport
    start_task("task by a datagram", event.wait())

    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", address)

    WAKERS.append(send)


async def wait_for_child():
    child = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", "kill -STOP $$; exit 3", stdout=asyncio.subprocess.PIPE
    )
    WAKERS.append(functools.partial(os.kill, child.pid, signal.SIGCONT))
    await child.communicate()


async def serve_and_ask():
    asked = asyncio.Event()

    async def serve(reader, writer):
        asyncio.current_task().set_name(expect("task by a client"))
        await reader.readline()
        AWAKE.add("task by a client")
        writer.write(b"answer\n")
        writer.close()

    async def ask(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        descriptor = os.dup(writer.get_extra_info("socket").fileno())
        WAKERS.append(lambda: os.write(descriptor, b"question\n"))
        asked.set()
        await reader.readline()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    start_task("task by a server", ask(server.sockets[0].getsockname()[1]))
    await asked.wait()
    return server


def wake_by_executor():
    loop = asyncio.get_running_loop()
    near, far = os.pipe()
    start_task("task by an executor", loop.run_in_executor(None, os.read, near, 1))
    WAKERS.append(lambda: os.write(far, b"x"))


def wake_by_threadsafe_call():
    loop, event = asyncio.get_running_loop(), asyncio.Event()
    near, far = os.pipe()
    start_task("task by call_soon_threadsafe", event.wait())
    start_thread(
        "thread that calls", lambda: os.read(near, 1) and loop.call_soon_threadsafe(event.set)
    )
    WAKERS.append(lambda: os.write(far, b"x"))


def wake_by_foreign_future():
    """Let a thread wait for the result of a coroutine of the loop."""
    loop, (near, far) = asyncio.get_running_loop(), os.pipe()
    event = asyncio.Event()
    loop.add_reader(near, lambda: os.read(near, 10) and event.set())

    def wait():
        asyncio.run_coroutine_threadsafe(
            finish(expect("task of a thread"), event.wait()), loop
        ).result()

    start_thread("thread by a task", wait)
    WAKERS.append(lambda: os.write(far, b"x"))


async def iterate(event):
    async def generate():
        await event.wait()
        yield 1

    async for _ in generate():
        pass


def wake_by_other_tasks():
    """Start chains of tasks; something wakes only the first of each."""
    loop, (near, far) = asyncio.get_running_loop(), os.pipe()
    event = asyncio.Event()
    loop.add_reader(near, lambda: os.read(near, 10) and event.set())
    start_task("task by gather", asyncio.gather(event.wait(), event.wait()))
    start_task("task by shield", asyncio.shield(event.wait()))
    start_task("task by a generator", iterate(event))
    start_task("task by wait", asyncio.wait([loop.create_task(event.wait())]))
    WAKERS.append(lambda: os.write(far, b"x"))


def wake_by_timer():
    """Keep the event only in the loop's list of timers."""
    loop, event = asyncio.get_running_loop(), asyncio.Event()

    def tick():
        if IS_ENDING:
            event.set()
        else:
            loop.call_later(0.05, tick)

    tick()
    start_task("task by a timer", event.wait())


def wake_weakly():
    event = asyncio.Event()
    start_task("task by a weak reference", event.wait())
    reference = weakref.ref(event)
    WAKERS.append(lambda: reference().set())


def leak_tasks():
    loop = asyncio.get_running_loop()
    loop.create_task(asyncio.Event().wait(), name="leaked event task")
    loop.create_task(asyncio.Queue().get(), name="leaked queue task")


async def start_tasks():
    for start in (
        *(wake_by_streams, wake_by_sockets, wake_by_reader, wake_by_loop_signal, wake_by_read_pipe),
        *(wake_by_executor, wake_by_threadsafe_call, wake_by_foreign_future, wake_by_other_tasks),
        *(wake_weakly, wake_by_timer),
    ):
        start()
    await wake_by_datagrams()
    start_task("task by a child process", wait_for_child())
    return await serve_and_ask()
