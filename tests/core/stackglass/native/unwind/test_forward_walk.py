"""Walk forward through machine code without rows: how each instruction's frame is left."""

from __future__ import annotations

import platform

import pytest

from native import _core_testing

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64")

ADDRESS = 0x7F0000001000
ENTRY = ("sp", 0, 8, 0, "same", 0)  # as the caller leaves it


def saved(cfa: int, offset: int = -16) -> tuple[str, int, int, int, str, int]:
    """The frame pointer lies below the return address."""
    return ("sp", 0, cfa, 0, "at cfa", offset)


def kept(cfa: int) -> tuple[str, int, int, int, str, int]:
    return ("sp", 0, cfa, 0, "same", 0)


# Code, where the walk begins, and the rule at some of the instructions.
KNOWN = {
    # push %rbx; mov $3, %ebx; 1: sub $1, %ebx; jg 1b; pop %rbx; ret
    "a loop": (
        "53bb0300000083eb017ffb5bc3",
        6,
        {6: kept(16), 9: kept(16), 11: kept(16), 12: ENTRY},
    ),
    "a function from its entry": (
        "53bb0300000083eb017ffb5bc3",
        0,
        {0: ENTRY, 1: kept(16), 6: kept(16), 12: ENTRY},
    ),
    # push %rbp; mov %rsp, %rbp; sub $64, %rsp; call *%rax; mov %rax, -8(%rbp); leave; ret
    "a frame pointer from the entry": (
        "554889e54883ec40ffd0488945f8c9c3",
        0,
        {0: ENTRY, 1: kept(16), 4: saved(16), 8: saved(80), 10: saved(80), 15: ENTRY},
    ),
    "a frame pointer from the middle": (
        "554889e54883ec40ffd0488945f8c9c3",
        8,
        {8: ("fp", 0, 16, 0, "at cfa", -16), 14: ("fp", 0, 16, 0, "at cfa", -16), 15: ENTRY},
    ),
    # push %rbp; mov $9, %ebp; 1: sub $1, %rbp; jne 1b; pop %rbp; ret
    "a frame pointer that counts": (
        "55bd090000004883ed0175fa5dc3",
        10,
        {6: saved(16), 10: saved(16), 12: saved(16), 13: ENTRY},
    ),
    # sub $8, %rsp; 1: sub $1, %rbp; jne 1b; add $8, %rsp; ret
    "a frame pointer that is not restored": (
        "4883ec084883ed0175fa4883c408c3",
        4,
        {4: ("sp", 0, 16, 0, "lost", 0), 14: ("sp", 0, 8, 0, "lost", 0)},
    ),
    # mov %rbp, -8(%rsp); mov $1, %ebp; mov -8(%rsp), %rbp; ret
    "a frame pointer below the stack": (
        "48896c24f8bd01000000488b6c24f8c3",
        0,
        {0: ENTRY, 5: ENTRY, 10: saved(8), 15: ENTRY},
    ),
    # mov %rbp, -24(%rsp); mov %eax, -28(%rsp); mov %ax, -26(%rsp); mov %al, -25(%rsp)
    # mov $1, %ebp; mov -24(%rsp), %rbp; ret
    "a frame pointer beside narrower stores": (
        "48896c24e8894424e466894424e6884424e7bd01000000488b6c24e8c3",
        0,
        {0: ENTRY, 18: ENTRY, 23: saved(8, -32), 28: ENTRY},
    ),
    # mov %eax, -28(%rsp); mov %al, -17(%rsp); mov %rbp, -24(%rsp); …
    "a frame pointer over narrower stores": (
        "894424e4884424ef48896c24e8bd01000000488b6c24e8c3",
        0,
        {0: ENTRY, 13: ENTRY, 18: saved(8, -32), 23: ENTRY},
    ),
    # mov %rsp, %rax; push %rbp; and $-64, %rsp; sub $128, %rsp; mov %rax, 8(%rsp); xor %ebp, %ebp
    # mov 8(%rsp), %rsi; mov -8(%rsi), %rbp; mov %rsi, %rsp; ret
    "an aligned stack": (
        "4889e0554883e4c04881ec80000000488944240831ed488b742408488b6ef84889f4c3",
        20,
        {20: ("at sp", 0, 8, 8, "at cfa", -16), 22: ("at sp", 0, 8, 8, "at cfa", -16), 34: ENTRY},
    ),
    # mov %rsp, %r11; and $-64, %rsp; sub $64, %rsp; mov %r11, %rsp; ret
    "a stack pointer in another register": (
        "4989e34883e4c04883ec404c89dcc3",
        7,
        {7: ("register", 11, 8, 0, "same", 0), 14: ENTRY},
    ),
    # sub $24, %rsp; je 1f; ud2; 1: jmp 2f; .byte 6; 2: add $24, %rsp; ret
    "a path that ends, and one that goes on": (
        "4883ec1874020f0beb01064883c418c3",
        0,
        {0: ENTRY, 4: kept(32), 8: kept(32), 11: kept(32), 15: ENTRY},
    ),
    # call 1f; 1: pop %rax; ret
    "a push of the own address": ("e80000000058c3", 0, {0: ENTRY, 5: kept(16), 6: ENTRY}),
    # sub $8, %rsp; call *%rax; add $8, %rsp; ret
    "a call": ("4883ec08ffd04883c408c3", 0, {4: kept(16), 6: kept(16), 10: ENTRY}),
    # jmp *8(%rip)
    "a jump to another library": ("ff2508000000", 0, {0: ENTRY}),
}

UNKNOWN = {
    # je 1f; push %rax; 1: add $8, %rsp; ret
    "paths that meet with different stacks": "7401504883c408c3",
    # je 1f; ret; 1: add $8, %rsp; ret
    "returns with different stacks": "7401c34883c408c3",
    # push %rax; ret
    "a return to what was pushed": "50c3",
    # sub $8, %rsp; add $8, %rsp; jmp *%rax
    "a jump by a register": "4883ec084883c408ffe0",
    # sub $8, %rsp; call *%rax; nop; add $8, %rsp; ret
    "a call that does not return": "4883ec08ffd0904883c408c3",
    # mov %rsp, %rax; and $-64, %rsp; ret
    "a stack of unknown size": "4889e04883e4c0c3",
    # jmp .
    "a loop without an end": "ebfe",
    "code that ends": "4883ec08",
    "code of unknown instructions": "06",
    "more code than is decoded": "90" * 10_000 + "c3",
}


@pytest.mark.parametrize("name", KNOWN)
def test_every_instruction_of_a_walk_has_a_rule(name: str) -> None:
    code, start, expected = KNOWN[name]
    walked = _core_testing.unwind_forward(bytes.fromhex(code), ADDRESS, ADDRESS + start)
    assert walked is not None
    found = {address - ADDRESS: rule for address, rule, _ in walked}
    assert found.items() >= expected.items()


# mov %eax, -27(%rsp); mov %ax, -25(%rsp); mov %al, -17(%rsp); mov %rax, -31(%rsp)
@pytest.mark.parametrize("store", ["894424e5", "66894424e7", "884424ef", "48894424e1"])
def test_a_word_that_is_overwritten_in_part_is_lost(store: str) -> None:
    # mov %rbp, -24(%rsp); the store; mov $1, %ebp; mov -24(%rsp), %rbp; ret
    code = bytes.fromhex(f"48896c24e8{store}bd01000000488b6c24e8c3")
    walked = _core_testing.unwind_forward(code, ADDRESS, ADDRESS)
    assert walked is not None
    assert walked[0] == (ADDRESS, ("sp", 0, 8, 0, "lost", 0), False)


@pytest.mark.parametrize("name", UNKNOWN)
def test_nothing_is_said_of_what_cannot_be_known(name: str) -> None:
    assert _core_testing.unwind_forward(bytes.fromhex(UNKNOWN[name]), ADDRESS, ADDRESS) is None


def test_a_jump_to_code_with_a_row_leaves_as_the_row_says() -> None:
    # sub $8, %rsp; add $8, %rsp; jmp 1f; ud2; 1: nop
    code = bytes.fromhex("4883ec084883c408eb020f0b90")
    assert _core_testing.unwind_forward(code, ADDRESS, ADDRESS) is None
    row = ADDRESS + len(code) - 1
    walked = _core_testing.unwind_forward(code, ADDRESS, ADDRESS, False, row, row + 1)
    assert walked is not None
    found = {address - ADDRESS: rule for address, rule, _ in walked}
    assert found == {0: ENTRY, 4: kept(16), 8: ENTRY}


def test_code_that_lies_behind_a_call_may_be_another_function() -> None:
    # sub $8, %rsp; call *%rax; add $8, %rsp, which has a row; ret
    code = bytes.fromhex("4883ec08ffd04883c408c3")
    walked = _core_testing.unwind_forward(code, ADDRESS, ADDRESS)
    assert walked is not None  # nothing shows it
    row = ADDRESS + 6
    assert _core_testing.unwind_forward(code, ADDRESS, ADDRESS, False, row, row + 5) is None


def test_a_return_address_is_behind_a_call() -> None:
    # sub $8, %rsp; call *%rax; add $8, %rsp; ret
    code = bytes.fromhex("4883ec08ffd04883c408c3")
    walked = _core_testing.unwind_forward(code, ADDRESS, ADDRESS)
    assert walked is not None
    assert [address - ADDRESS for address, _, is_behind in walked if is_behind] == [6]


def test_many_branches_have_a_bound() -> None:
    """Each of them is remembered until the path before it has ended."""
    code = b"\x74\x7f" * 4000 + b"\xc3" * 200  # je, each to another place
    walked = _core_testing.unwind_forward(code, ADDRESS, ADDRESS)
    assert walked is not None
    assert {rule for _, rule, _ in walked} == {ENTRY}
