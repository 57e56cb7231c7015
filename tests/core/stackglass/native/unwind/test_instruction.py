"""Machine code of x86-64: lengths of instructions, and what they do to the registers.

Each instruction's bytes are those that binutils' assembler makes of the text beside them.
"""

from __future__ import annotations

import platform
import random

import pytest

from native import _core_testing

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64")

REGISTERS = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11"]
REGISTERS += ["r12", "r13", "r14", "r15", ""]
SCRATCH = "rax rcx rdx rsi rdi r8 r9 r10 r11"

# Bytes, text, effect (registers to, from, amount), registers that get an unknown value.
INSTRUCTIONS = [
    ("90", "nop", "none", ""),
    ("53", "push %rbx", "push rbx", ""),
    ("4154", "push %r12", "push r12", ""),
    ("6a01", "push $1", "push", ""),
    ("6845230100", "push $0x12345", "push", ""),
    ("ff30", "push (%rax)", "push", ""),
    ("5d", "pop %rbp", "pop rbp", ""),
    ("415f", "pop %r15", "pop r15", ""),
    ("8f442408", "pop 8(%rsp)", "pop", ""),
    ("9c", "pushf", "push", ""),
    ("9d", "popf", "pop", ""),
    ("4883ec30", "sub $48, %rsp", "add rsp rsp -48", ""),
    ("4881ec00100000", "sub $0x1000, %rsp", "add rsp rsp -4096", ""),
    ("4883c430", "add $48, %rsp", "add rsp rsp 48", ""),
    ("4801c4", "add %rax, %rsp", "none", "rsp"),
    ("4883e4c0", "and $-64, %rsp", "none", "rsp"),
    ("488d65d8", "lea -40(%rbp), %rsp", "add rsp rbp -40", ""),
    ("4c8d542408", "lea 8(%rsp), %r10", "add r10 rsp 8", ""),
    ("488d24c4", "lea (%rsp,%rax,8), %rsp", "none", "rsp"),
    ("4889e5", "mov %rsp, %rbp", "move rbp rsp", ""),
    ("4889ec", "mov %rbp, %rsp", "move rsp rbp", ""),
    ("488b6c2408", "mov 8(%rsp), %rbp", "load rbp rsp 8", ""),
    ("48896c2410", "mov %rbp, 16(%rsp)", "store rsp rbp 16", ""),
    ("896c2410", "mov %ebp, 16(%rsp)", "store rsp 16", ""),
    ("48886c2410", "rex.W mov %bpl, 16(%rsp)", "store rsp 16", ""),
    ("89c5", "mov %eax, %ebp", "none", "rbp"),
    ("64488b042528000000", "mov %fs:0x28, %rax", "none", "rax"),
    ("48b8f0debc9a78563412", "movabs $0x123456789abcdef0, %rax", "none", "rax"),
    ("a0f0debc9a78563412", "movabs 0x123456789abcdef0, %al", "none", "rax"),
    ("66b80100", "mov $1, %ax", "none", "rax"),
    ("66c740083412", "movw $0x1234, 8(%rax)", "none", ""),
    ("c784887856341201000000", "movl $1, 0x12345678(%rax,%rcx,4)", "none", ""),
    ("88e3", "mov %ah, %bl", "none", "rbx"),
    ("88c4", "mov %al, %ah", "none", "rax"),
    ("4895", "xchg %rbp, %rax", "none", "rax rbp"),
    ("f6c101", "test $1, %cl", "none", ""),
    ("f7c178563412", "test $0x12345678, %ecx", "none", ""),
    ("48f7dd", "neg %rbp", "none", "rbp"),
    ("48f7e5", "mul %rbp", "none", "rax rdx"),
    ("486be803", "imul $3, %rax, %rbp", "none", "rbp"),
    ("4869e82c010000", "imul $300, %rax, %rbp", "none", "rbp"),
    ("4883fd05", "cmp $5, %rbp", "none", ""),
    ("4839e8", "cmp %rbp, %rax", "none", ""),
    ("48c1e503", "shl $3, %rbp", "none", "rbp"),
    ("480fa4c503", "shld $3, %rax, %rbp", "none", "rbp"),
    ("480f45e8", "cmovne %rax, %rbp", "none", "rbp"),
    ("400f94c5", "sete %bpl", "none", "rbp"),
    ("0f94c5", "sete %ch", "none", "rcx"),
    ("480fcd", "bswap %rbp", "none", "rbp"),
    ("480fbce8", "bsf %rax, %rbp", "none", "rbp"),
    ("f3480fb8e8", "popcnt %rax, %rbp", "none", "rbp"),
    ("0fb6e8", "movzbl %al, %ebp", "none", "rbp"),
    ("4863e8", "movslq %eax, %rbp", "none", "rbp"),
    ("0fa2", "cpuid", "none", "rax rcx rdx rbx"),
    ("0f31", "rdtsc", "none", "rax rdx"),
    ("0f01d0", "xgetbv", "none", "rax rcx rdx rbx"),
    ("0f05", "syscall", "none", "rax rcx r11"),
    ("480fb12f", "cmpxchg %rbp, (%rdi)", "none", "rax"),
    ("480fc70f", "cmpxchg16b (%rdi)", "none", "rax rdx"),
    ("480fc12f", "xadd %rbp, (%rdi)", "none", "rbp"),
    ("f0ff07", "lock incl (%rdi)", "none", ""),
    ("f3aa", "rep stosb", "none", "rcx rdi"),
    ("f348a5", "rep movsq", "none", "rcx rsi rdi"),
    ("ae", "scasb", "none", "rcx rdi"),
    ("c9", "leave", "leave", ""),
    ("c8100000", "enter $16, $0", "end", ""),
    ("c3", "ret", "return", ""),
    ("c20800", "ret $8", "end", ""),
    ("f3c3", "repz ret", "return", ""),
    ("0f0b", "ud2", "end", ""),
    ("f4", "hlt", "end", ""),
    ("cc", "int3", "end", ""),
    ("cd80", "int $0x80", "end", ""),
    ("eb00", "jmp .+2", "jump", ""),
    ("e9e3030000", "jmp .+1000", "jump 995", ""),
    ("7512", "jne .+20", "jump if 18", ""),
    ("0f85e2030000", "jne .+1000", "jump if 994", ""),
    ("e312", "jrcxz .+20", "jump if 18", "rcx"),
    ("e212", "loop .+20", "jump if 18", "rcx"),
    ("ffe0", "jmp *%rax", "jump anywhere", ""),
    ("ff2508000000", "jmp *8(%rip)", "jump anywhere", ""),
    ("3effe0", "notrack jmp *%rax", "jump anywhere", ""),
    ("e8e3030000", "call .+1000", "call", SCRATCH),
    ("e800000000", "call .+5", "push", ""),
    ("ffd0", "call *%rax", "call", SCRATCH),
    ("41ffd4", "call *%r12", "call", SCRATCH),
    ("ff5308", "call *8(%rbx)", "call", SCRATCH),
    ("ff1500100000", "call *0x1000(%rip)", "call", SCRATCH),
    ("ff14c8", "call *(%rax,%rcx,8)", "call", SCRATCH),
    ("f30f1efa", "endbr64", "none", ""),
    ("660f1f0400", "nopw 0(%rax,%rax,1)", "none", ""),
    ("db6c2408", "fldt 8(%rsp)", "none", "rax"),
    ("dfe0", "fnstsw %ax", "none", "rax"),
    ("0f77", "emms", "none", ""),
    ("0f28e5", "movaps %xmm5, %xmm4", "none", ""),
    ("0f116c2410", "movups %xmm5, 16(%rsp)", "none", ""),
    ("66480f7eed", "movq %xmm5, %rbp", "none", "rbp"),
    ("66480f6eed", "movq %rbp, %xmm5", "none", ""),
    ("660f7eed", "movd %xmm5, %ebp", "none", "rbp"),
    ("f2480f2ce8", "cvttsd2si %xmm0, %rbp", "none", "rbp"),
    ("f2480f2ac5", "cvtsi2sd %rbp, %xmm0", "none", ""),
    ("0f50e8", "movmskps %xmm0, %ebp", "none", "rbp"),
    ("660fd7e8", "pmovmskb %xmm0, %ebp", "none", "rbp"),
    ("660fc5e801", "pextrw $1, %xmm0, %ebp", "none", "rbp"),
    ("66480f3a16c501", "pextrq $1, %xmm0, %rbp", "none", "rbp"),
    ("660f70e501", "pshufd $1, %xmm5, %xmm4", "none", ""),
    ("660f3a63c801", "pcmpistri $1, %xmm0, %xmm1", "none", "rcx"),
    ("f2480f38f1e8", "crc32 %rax, %rbp", "none", "rbp"),
    ("480f38f028", "movbe (%rax), %rbp", "none", "rbp"),
    ("66480f38f6e8", "adcx %rax, %rbp", "none", "rbp"),
    ("c5f877", "vzeroupper", "none", ""),
    ("c5dc58dd", "vaddps %ymm5, %ymm4, %ymm3", "none", ""),
    ("c51c586c8820", "vaddps 32(%rax,%rcx,4), %ymm12, %ymm13", "none", ""),
    ("c4e255b8241f", "vfmadd231ps (%rdi,%rbx), %ymm5, %ymm4", "none", ""),
    ("c4e27d186c2404", "vbroadcastss 4(%rsp), %ymm5", "none", ""),
    ("c4e37d04e501", "vpermilps $1, %ymm5, %ymm4", "none", ""),
    ("c5f97eed", "vmovd %xmm5, %ebp", "none", "rbp"),
    ("c4e37916ed01", "vpextrd $1, %xmm5, %ebp", "none", "rbp"),
    ("c5fc50ed", "vmovmskps %ymm5, %ebp", "none", "rbp"),
    ("c5fdd7ed", "vpmovmskb %ymm5, %ebp", "none", "rbp"),
    ("c4e1fa2ced", "vcvttss2si %xmm5, %rbp", "none", "rbp"),
    ("c4e275921c90", "vgatherdps %ymm1, (%rax,%ymm2,4), %ymm3", "none", ""),
    ("c4e3654ae210", "vblendvps %ymm1, %ymm2, %ymm3, %ymm4", "none", ""),
    ("c5f892c8", "kmovw %eax, %k1", "none", ""),
    ("c5f893e9", "kmovw %k1, %ebp", "none", "rbp"),
    ("c4e2e0f2e8", "andn %rax, %rbx, %rbp", "none", "rbx rbp"),
    ("c4e2e3f6e8", "mulx %rax, %rbx, %rbp", "none", "rbx rbp"),
    ("c4e3fbf0e803", "rorx $3, %rax, %rbp", "none", "rbp"),
    ("c4e2d0f3c8", "blsr %rax, %rbp", "none", "rcx rbp"),
    ("c4e2e3f5e8", "pdep %rax, %rbx, %rbp", "none", "rbx rbp"),
    ("c4e2f9f7eb", "shlx %rax, %rbx, %rbp", "none", "rax rbp"),
    ("62f15c4858dd", "vaddps %zmm5, %zmm4, %zmm3", "none", ""),
    ("62e15cc1586801", "vaddps 64(%rax), %zmm20, %zmm21{%k1}{z}", "none", ""),
    ("62e15c50586801", "vaddps 4(%rax){1to16}, %zmm20, %zmm21", "none", ""),
    ("62a15c4058acf845230100", "vaddps 0x12345(%rax,%r15,8), %zmm20, %zmm21", "none", ""),
    ("62f25548b8245f", "vfmadd231ps (%rdi,%rbx,2), %zmm5, %zmm4", "none", ""),
    ("62f36d4825d996", "vpternlogd $0x96, %zmm1, %zmm2, %zmm3", "none", ""),
    ("62f37d4819ec01", "vextractf32x4 $1, %zmm5, %xmm4", "none", ""),
    ("62f36d481ec901", "vpcmpud $1, %zmm1, %zmm2, %k1", "none", ""),
    ("62f27d487ced", "vpbroadcastd %ebp, %zmm5", "none", ""),
    ("62f1fe0878ed", "vcvttss2usi %xmm5, %rbp", "none", "rbp"),
    ("62e37d0816ed01", "vpextrd $1, %xmm21, %ebp", "none", "rbp"),
    ("62e1fd087eed", "vmovq %xmm21, %rbp", "none", "rbp"),
    ("62f26d4850d9", "vpdpbusd %zmm1, %zmm2, %zmm3", "none", ""),
    ("62f26e4852d9", "vdpbf16ps %zmm1, %zmm2, %zmm3", "none", ""),
    ("62f56c4858d9", "vaddph %zmm1, %zmm2, %zmm3", "none", ""),
    ("62f5fe082ce9", "vcvttsh2si %xmm1, %rbp", "none", "rbp"),
    ("62f57d087ecd", "vmovw %xmm1, %ebp", "none", "rbp"),
    ("62f66d48b8d9", "vfmadd231ph %zmm1, %zmm2, %zmm3", "none", ""),
    ("c4e27b49c8", "tilezero %tmm1", "none", ""),
    ("c4e2715eda", "tdpbusd %tmm1, %tmm2, %tmm3", "none", ""),
    ("62f26d48dcd9", "vaesenc %zmm1, %zmm2, %zmm3", "none", ""),
    ("62f27d49a00c90", "vpscatterdd %zmm1, (%rax,%zmm2,4){%k1}", "none", ""),
]


def describe(content: bytes) -> tuple[int, str, str] | None:
    decoded = _core_testing.unwind_decode(content)
    if decoded is None:
        return None
    length, kind, to, origin, amount, written = decoded
    words = [kind, REGISTERS[to], REGISTERS[origin], str(amount or "")]
    names = [name for bit, name in enumerate(REGISTERS) if written >> bit & 1]
    return length, " ".join(filter(None, words)), " ".join(names)


@pytest.mark.parametrize(
    ("content", "effect", "written"),
    [pytest.param(bytes.fromhex(row[0]), *row[2:], id=row[1]) for row in INSTRUCTIONS],
)
def test_an_instruction_has_its_length_and_effect(
    content: bytes, effect: str, written: str
) -> None:
    expected = (len(content), effect, written)
    assert describe(content) == expected
    assert describe(content + b"\xff" * 15) == expected  # what comes behind counts for nothing


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=[row[1] for row in INSTRUCTIONS])
def test_a_part_of_an_instruction_is_unknown(row: tuple[str, str, str, str]) -> None:
    content = bytes.fromhex(row[0])
    assert describe(content[: len(content) - 1]) is None or row[1] in ("repz ret",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "06",  # push %es, of 32 bits
        "d5 00 90",  # REX2
        "62 f4 7c 08 01 c0",  # EVEX's map 4
        "8f e8 78 c0 c0 01",  # XOP
        "66" * 15,  # prefixes alone
        "66" * 13 + "0f 1f 00",  # more than 15 bytes
        "48 66 90",  # a prefix behind REX
    ],
)
def test_what_is_not_known_is_refused(text: str) -> None:
    assert describe(bytes.fromhex(text)) is None


def test_any_bytes_have_a_length_within_them() -> None:
    numbers = random.Random(1)
    for _ in range(20_000):
        content = numbers.randbytes(numbers.randrange(20))
        found = describe(content)
        assert found is None or 1 <= found[0] <= min(len(content), 15)
