"""Line tables of the standard library's code objects, by the engine and by Python."""

import dis
import pathlib
import sys
import types
import warnings

from sampler import core, report

MODULES = (
    *("argparse", "ast", "asyncio/base_events", "dataclasses", "datetime", "email/message"),
    *("http/client", "inspect", "json/decoder", "logging", "pickle", "re", "subprocess", "tarfile"),
    *("threading", "turtle", "typing", "unittest/mock", "zipfile"),
)


def walk(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from walk(constant)


def expected_lines(code, size):
    """Return the line of each instruction; 0 = it has none."""
    lines = [0] * size
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for at in range(start, min(end, 2 * size), 2):
                lines[at // 2] = line or 0
        return lines
    starts = list(dis.findlinestarts(code))
    for i, (start, line) in enumerate(starts):
        end = starts[i + 1][0] if i + 1 < len(starts) else 2 * size
        for at in range(start, end, 2):
            lines[at // 2] = line
    return lines


def main():
    folder = pathlib.Path(dis.__file__).parent
    n_codes, wrong = 0, []
    for module in MODULES:
        path = folder / (module + ".py")
        if not path.exists():
            path = folder / module / "__init__.py"
        if not path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = compile(path.read_bytes(), str(path), "exec")
        for code in walk(top):
            size = len(code.co_code) // 2
            found = core.code_lines(code, 2, 2 * size)
            n_codes += 1
            if found != expected_lines(code, size):
                wrong.append((code.co_name, code.co_firstlineno))
            name, qualname, filename, first_line, _table = core.code_info(code)
            if (name, qualname, filename, first_line) != (
                code.co_name,
                getattr(code, "co_qualname", code.co_name),
                code.co_filename,
                code.co_firstlineno,
            ):
                wrong.append((code.co_name, "info"))
    names = {}
    for name in ("caf\u00e9", "\u03b1\u03b2\u03b3", "\U0001d4d0\U0001d4d1", "plain"):
        namespace = {}
        exec(compile(f"def {name}(): pass", name + ".py", "exec"), namespace)
        code = next(value for key, value in namespace.items() if key != "__builtins__").__code__
        info = core.code_info(code)
        names[name] = info[0] == code.co_name and info[2] == code.co_filename
    report(n_codes=n_codes, wrong=wrong[:5], names=names)


sys.setrecursionlimit(10000)
assert core.cpu_prepare() is None
main()
core.cpu_unprepare()
