"""Rules of code without rows, in this process: of a library, and of code made at run time."""

from __future__ import annotations

import ctypes
import mmap
import platform
from collections.abc import Iterator

import pytest

from harness.compiled import compile_library
from native import _core_testing

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64")

UNKNOWN = ("unknown", 0, 0, 0, "same", 0)
ENTRY = ("sp", 0, 8, 0, "same", 0)
LEAF = bytes.fromhex("53bb0300000083eb017ffb5bc3")  # push %rbx; mov; 1: sub; jg 1b; pop %rbx; ret
FRAMED = bytes.fromhex("4883ec1883eb017ffb4883c418c3")  # sub $24, %rsp; 1: sub; jg 1b; add; ret
CALLING = bytes.fromhex("4883ec08ffd04883c408c3")  # sub $8, %rsp; call *%rax; add $8, %rsp; ret


@pytest.fixture(autouse=True)
def _tables() -> Iterator[None]:
    _core_testing.unwind_build()
    yield
    _core_testing.unwind_forward_close()
    assert _core_testing.unwind_close()


class Code:
    """Executable memory, or memory that is not."""

    def __init__(self, content: bytes, protection: int = mmap.PROT_EXEC) -> None:
        access = mmap.PROT_READ | mmap.PROT_WRITE | protection
        self.memory = mmap.mmap(-1, mmap.PAGESIZE, prot=access)
        self.memory.write(content)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))


def find(address: int, later_s: float = 0) -> tuple[object, object, bool]:
    found = _core_testing.unwind_forward_find(address, later_s)
    assert found is not None
    return found


def test_code_of_a_library_has_a_rule_once_it_was_missed() -> None:
    library = ctypes.CDLL(compile_library("native_stacks/work.c"))
    _core_testing.unwind_build()
    address = ctypes.cast(library.spin_without_rows, ctypes.c_void_p).value
    assert address is not None
    assert find(address) == (UNKNOWN, ENTRY, False)
    assert find(address)[0] == ENTRY
    assert find(address + 6)[0] == ("sp", 0, 16, 0, "same", 0)  # of the same walk
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    assert close(library._handle) == 0
    _core_testing.unwind_build()
    assert find(address)[1] == UNKNOWN


def test_code_made_at_run_time_has_a_rule_while_it_is_the_same() -> None:
    code = Code(LEAF)
    both = code.address + 9  # an instruction begins there in either code
    assert find(code.address + 6) == (UNKNOWN, ("sp", 0, 16, 0, "same", 0), False)
    assert find(both, 2)[0] == ("sp", 0, 16, 0, "same", 0)
    code.memory.seek(0)
    code.memory.write(FRAMED)
    assert find(both, 4)[:2] == (("sp", 0, 16, 0, "same", 0), UNKNOWN)
    assert find(both, 6)[1] == ("sp", 0, 32, 0, "same", 0)


def test_code_that_changes_while_it_is_decoded_is_not_watched() -> None:
    code = Code(LEAF)
    bounds = (code.address, code.address + len(LEAF))
    seen = _core_testing.unwind_hash_made_code(*bounds)
    assert seen is not None
    assert _core_testing.unwind_watch_made_code(*bounds, seen)
    code.memory.seek(0)
    code.memory.write(FRAMED)
    assert not _core_testing.unwind_watch_made_code(*bounds, seen)
    assert _core_testing.unwind_hash_made_code(bounds[0], bounds[0]) is None
    assert _core_testing.unwind_hash_made_code(bounds[1], bounds[0]) is None


def test_the_last_instruction_is_watched_to_its_end() -> None:
    code = Code(bytes.fromhex("eb01c3ebfd"))  # jmp 2f; 1: ret; 2: jmp 1b
    find(code.address)
    assert find(code.address, 2)[0] == ENTRY
    code.memory.seek(4)
    code.memory.write(b"\xfb")  # 2: jmp to the beginning
    assert find(code.address, 4)[1] == UNKNOWN


def test_addresses_in_one_function_share_a_place() -> None:
    n = 1200
    code = Code(b"\x90" * n + b"\xc3")  # nop …; ret
    for at in reversed(range(n)):  # each walk goes over all that were walked before
        assert find(code.address + at)[1] == ENTRY


def test_when_there_is_no_room_to_watch_code_all_is_learned_anew() -> None:
    code = Code(b"\xc3" * mmap.PAGESIZE)  # functions of one instruction
    n = 1024
    assert [find(code.address + at)[1] for at in range(n)] == [ENTRY] * n
    assert find(code.address + n)[1] == UNKNOWN
    find(code.address + n, 2)
    assert find(code.address + n)[1] == ENTRY
    assert find(code.address) == (UNKNOWN, ENTRY, False)


def test_a_return_address_in_it_is_behind_a_call() -> None:
    code = Code(CALLING)
    assert find(code.address)[2] is False
    assert find(code.address + 6) == (
        ("sp", 0, 16, 0, "same", 0),
        ("sp", 0, 16, 0, "same", 0),
        True,
    )


def test_memory_that_is_not_executable_is_no_code() -> None:
    assert find(Code(LEAF, 0).address) == (UNKNOWN, UNKNOWN, False)


def test_memory_that_is_gone_is_no_code() -> None:
    code = Code(LEAF)
    address = code.address
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert libc.mprotect(address, mmap.PAGESIZE, 0) == 0
    assert find(address) == (UNKNOWN, UNKNOWN, False)


@pytest.mark.parametrize("address", [0, 1, 4096, 2**47 - 1, 2**47, 2**64 - 1])
def test_other_addresses_have_no_rule(address: int) -> None:
    assert find(address) == (UNKNOWN, UNKNOWN, False)


def test_a_function_returns_behind_a_call_alone() -> None:
    """In code with rows, too: of the addresses in a function few are such."""
    libc = ctypes.CDLL(None)
    address = ctypes.cast(libc.qsort, ctypes.c_void_p).value
    assert address is not None
    behind = [place for place in range(address, address + 256) if find(place)[2]]
    assert len(behind) < 32
