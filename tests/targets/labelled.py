"""Takes a CPU profile of itself, in which each function runs under labels with its name.

Writes to the path in its first argument; prints problems as a JSON list.
"""

import asyncio
import contextvars
import io
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

SECONDS = 0.02
PROBLEMS = []


def burn():
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        sum(range(50))


def under_none():
    burn()


def under_a():
    burn()


def under_a_and_b():
    burn()


def under_c():
    burn()


def under_x():
    burn()


def under_y():
    burn()


def run_in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


@stackglass.labels(route="a")
def decorated():
    under_a()


@stackglass.labels(route="a")
async def decorated_coroutine():
    await asyncio.sleep(0)
    under_a()


def nest():
    with stackglass.labels(route="a"):
        under_a()
        with stackglass.labels(stage="b"):
            under_a_and_b()
        under_a()
        try:
            with stackglass.labels(route="c"):
                under_c()
                raise KeyError
        except KeyError:
            under_a()
    under_none()
    stackglass.do({"route": "a"}, under_a)
    decorated()


def inherit():
    run_in_thread(under_none)
    with stackglass.labels(route="a"):
        run_in_thread(under_a)
        contextvars.copy_context().run(under_a)
        contextvars.Context().run(under_none)
        pool = ThreadPoolExecutor(1)
        pool.submit(under_a).result()
    pool.submit(under_none).result()
    with stackglass.labels(route="c"):
        pool.submit(under_c).result()
    pool.shutdown()

    def set_own():
        stackglass.set_labels(route="c")
        under_c()
        stackglass.set_labels()
        under_none()

    with stackglass.labels(route="a"):
        run_in_thread(set_own)
        under_a()


def flip():
    """Change labels all the time, in several threads."""

    def change(first, second):
        end = time.thread_time() + 2 * SECONDS
        while time.thread_time() < end:
            with stackglass.labels(flip="x"):
                first()
            with stackglass.labels(flip="y"):
                second()

    def flip_x():
        sum(range(1000))

    def flip_y():
        sum(range(1000))

    threads = [threading.Thread(target=change, args=(flip_x, flip_y)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def take_turns(function, name):
    with stackglass.labels(task=name):
        for _ in range(3):
            function()
            await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(
            None, contextvars.copy_context().run, function
        )


async def run_tasks():
    await asyncio.gather(take_turns(under_x, "x"), take_turns(under_y, "y"))
    with stackglass.labels(route="a"):
        task = asyncio.ensure_future(asyncio.sleep(0, result=None))
        await asyncio.gather(task, decorated_coroutine())
        child = asyncio.ensure_future(call(under_a))
    under_none()
    await child
    await decorated_coroutine()
    under_none()


async def call(function):
    await asyncio.sleep(0)
    function()


async def run_eager_tasks():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    await run_tasks()


def end_elsewhere():
    """End a block in another context than it began in."""

    def generate():
        with stackglass.labels(route="c"):
            yield

    generator = generate()
    contextvars.copy_context().run(next, generator)
    with stackglass.labels(route="a"):
        try:
            generator.close()
        except Exception as error:  # noqa: BLE001 - every exception is reported
            PROBLEMS.append(repr(error))
        under_a()
    under_none()


def use_interpreters():
    """Use pools of interpreters (3.14), whose items run elsewhere, without the labels."""
    from concurrent.futures import InterpreterPoolExecutor

    with InterpreterPoolExecutor(1) as pool, stackglass.labels(route="a"):
        if pool.submit(abs, -3).result() != 3:
            PROBLEMS.append("an item of another interpreter failed")


def run_all():
    nest()
    inherit()
    flip()
    asyncio.run(run_tasks())
    if sys.version_info >= (3, 12):
        asyncio.run(run_eager_tasks())
    end_elsewhere()
    if sys.version_info >= (3, 14):
        use_interpreters()


def check_snapshot():
    """Check that the program's own profile of its threads has labels, too."""
    text = io.BytesIO()
    with stackglass.labels(route="snapshot", n=1):
        stackglass.lookup("threads").write_to(text, debug=1)
    if '# labels: {"n":"1", "route":"snapshot"}' not in text.getvalue().decode():
        PROBLEMS.append(text.getvalue().decode())


with stackglass.cpu_profile(sys.argv[1], hz=2000):
    run_all()
check_snapshot()
print(json.dumps(PROBLEMS))
