/* Register effects of x86-64's primary opcode map, as Intel's manual (volume 2, appendix A) lists
 * it. The unwinder follows only moves, sums, loads, stores, pushes, pops and jumps exactly;
 * any other instruction counts as writing unknown values to its target registers. */
#include "unwind/primary_effect.h"

enum {
    /* Caller-saved registers: a called function may change them. */
    SCRATCH = RAX | RCX | RDX | RSI | RDI | 0xf << SG_R8,
};

static struct sg_register_effect call(void) {
    struct sg_register_effect effect = sg_effect_parts_plain(SG_EFFECT_CALL);
    effect.written = SCRATCH;
    return effect;
}

/* Return whether the memory operand is one register plus a displacement. */
static bool is_simple(sg_effect_of *of) {
    return of->base != SG_NO_REGISTER && of->index == SG_NO_REGISTER && !of->has_67 &&
           !of->has_segment;
}

/* ---- Arithmetic and moves ---- */

/* Opcodes 0x00 to 0x3f: add, or, adc, sbb, and, sub, xor, cmp, each in six forms. */
static struct sg_register_effect arithmetic(sg_effect_of *of) {
    enum { COMPARE = 7 };
    if (of->opcode >> 3 == COMPARE)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    switch (of->opcode & 7) {
    case 0: /* byte operand, register */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(of));
    case 1: /* operand, register */
        return sg_effect_parts_writes(sg_effect_parts_operand(of));
    case 2: /* byte register, operand */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(of, of->reg));
    case 3: /* register, operand */
        return sg_effect_parts_writes(sg_effect_parts_bit(of->reg));
    default: /* al or rax, number */
        return sg_effect_parts_writes(RAX);
    }
}

/* Opcodes 0x80 to 0x83 (group 1): the same operations on an operand and an immediate. */
static struct sg_register_effect arithmetic_by_number(sg_effect_of *of) {
    enum { ADD = 0, SUBTRACT = 5, COMPARE = 7, OF_BYTE = 0x80 };
    uint8_t operation = of->reg & 7;
    if (operation == COMPARE)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    if (of->opcode == OF_BYTE)
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(of));
    bool is_simple_sum = of->mod == IN_REGISTER && of->is_wide && of->immediate != INT32_MIN;
    if (is_simple_sum && operation == ADD)
        return sg_effect_parts_make(SG_EFFECT_ADD, of->rm, of->rm, of->immediate);
    if (is_simple_sum && operation == SUBTRACT)
        return sg_effect_parts_make(SG_EFFECT_ADD, of->rm, of->rm, -of->immediate);
    return sg_effect_parts_writes(sg_effect_parts_operand(of));
}

static struct sg_register_effect store(sg_effect_of *of) {
    if (of->mod == IN_REGISTER)
        return of->is_wide ? sg_effect_parts_make(SG_EFFECT_MOVE, of->rm, of->reg, 0)
                           : sg_effect_parts_writes(sg_effect_parts_bit(of->rm));
    if (!is_simple(of))
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    return sg_effect_parts_make(SG_EFFECT_STORE, of->base, of->is_wide ? of->reg : SG_NO_REGISTER,
                                of->displacement);
}

static struct sg_register_effect load(sg_effect_of *of) {
    if (of->is_wide && of->mod == IN_REGISTER)
        return sg_effect_parts_make(SG_EFFECT_MOVE, of->reg, of->rm, 0);
    if (of->is_wide && is_simple(of))
        return sg_effect_parts_make(SG_EFFECT_LOAD, of->reg, of->base, of->displacement);
    return sg_effect_parts_writes(sg_effect_parts_bit(of->reg));
}

static struct sg_register_effect load_address(sg_effect_of *of) {
    if (of->is_wide && of->mod != IN_REGISTER && is_simple(of))
        return sg_effect_parts_make(SG_EFFECT_ADD, of->reg, of->base, of->displacement);
    return sg_effect_parts_writes(sg_effect_parts_bit(of->reg));
}

/* ---- Groups: the `reg` field of ModRM selects the operation ---- */

/* Group 3: test, not, neg, mul, imul, div, idiv. */
static struct sg_register_effect multiply_group(sg_effect_of *of) {
    enum { TEST = 1, NEGATE = 3 };
    uint8_t operation = of->reg & 7;
    bool is_byte = of->opcode == 0xf6;
    if (operation <= TEST)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    if (operation <= NEGATE)
        return sg_effect_parts_writes(is_byte ? sg_effect_parts_byte_operand(of)
                                              : sg_effect_parts_operand(of));
    return sg_effect_parts_writes(RAX | RDX);
}

/* Group 5. */
static struct sg_register_effect jump_group(sg_effect_of *of) {
    switch (of->reg & 7) {
    case 0: /* inc */
    case 1: /* dec */
        return sg_effect_parts_writes(sg_effect_parts_operand(of));
    case 2: /* call */
        return call();
    case 4: /* jmp */
        return sg_effect_parts_plain(SG_EFFECT_JUMP_ANYWHERE);
    case 6: /* push */
        if (of->has_66)
            return sg_effect_parts_plain(SG_EFFECT_END);
        return sg_effect_parts_make(SG_EFFECT_PUSH, SG_NO_REGISTER,
                                    of->mod == IN_REGISTER ? of->rm : SG_NO_REGISTER, 0);
    default: /* far call, far jmp, undefined */
        return sg_effect_parts_plain(SG_EFFECT_END);
    }
}

/* String instructions; a rep prefix counts rcx down. */
static struct sg_register_effect string(uint8_t opcode) {
    switch (opcode) {
    case 0x6c ... 0x6d: /* ins */
    case 0xaa ... 0xab: /* stos */
    case 0xae ... 0xaf: /* scas */
        return sg_effect_parts_writes(RDI | RCX);
    case 0x6e ... 0x6f: /* outs */
        return sg_effect_parts_writes(RSI | RCX);
    case 0xac ... 0xad: /* lods */
        return sg_effect_parts_writes(RAX | RSI | RCX);
    default: /* movs, cmps */
        return sg_effect_parts_writes(RSI | RDI | RCX);
    }
}

/* ---- The stack, jumps, and the whole map ---- */

static struct sg_register_effect primary_stack(sg_effect_of *of) {
    if (of->has_66) /* 16-bit form, which compilers do not emit */
        return sg_effect_parts_plain(SG_EFFECT_END);
    switch (of->opcode) {
    case 0x50 ... 0x57: /* push register */
        return sg_effect_parts_make(SG_EFFECT_PUSH, SG_NO_REGISTER, of->rm, 0);
    case 0x58 ... 0x5f: /* pop register */
        return sg_effect_parts_make(SG_EFFECT_POP, of->rm, SG_NO_REGISTER, 0);
    case 0x8f: /* pop operand */
        if (of->mod == IN_REGISTER)
            return sg_effect_parts_make(SG_EFFECT_POP, of->rm, SG_NO_REGISTER, 0);
        return sg_effect_parts_plain(SG_EFFECT_POP);
    case 0x9d: /* popf */
        return sg_effect_parts_plain(SG_EFFECT_POP);
    default: /* push number, pushf */
        return sg_effect_parts_plain(SG_EFFECT_PUSH);
    }
}

static struct sg_register_effect primary_flow(sg_effect_of *of) {
    switch (of->opcode) {
    case 0x70 ... 0x7f: /* jcc */
        return sg_effect_parts_make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER, SG_NO_REGISTER,
                                    of->immediate);
    case 0xe0 ... 0xe3: { /* loop, jrcxz */
        struct sg_register_effect effect =
            sg_effect_parts_make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER, SG_NO_REGISTER, of->immediate);
        effect.written = RCX;
        return effect;
    }
    case 0xe8: /* call; a call to the next instruction only pushes the return address */
        return of->immediate ? call() : sg_effect_parts_plain(SG_EFFECT_PUSH);
    case 0xe9: /* jmp */
    case 0xeb:
        return sg_effect_parts_make(SG_EFFECT_JUMP, SG_NO_REGISTER, SG_NO_REGISTER, of->immediate);
    case 0xc3: /* ret */
        return sg_effect_parts_plain(SG_EFFECT_RETURN);
    default: /* ret with a number, far ret, int, iret, enter, hlt */
        return sg_effect_parts_plain(SG_EFFECT_END);
    }
}

struct sg_register_effect sg_primary_effect_find(sg_effect_of *of) {
    uint8_t opcode = of->opcode;
    if (opcode < 0x40)
        return arithmetic(of);
    switch (opcode) {
    case 0x50 ... 0x5f:
    case 0x68:
    case 0x6a:
    case 0x8f:
    case 0x9c ... 0x9d:
        return primary_stack(of);
    case 0x6c ... 0x6f:
    case 0xa4 ... 0xa7:
    case 0xaa ... 0xaf:
        return string(opcode);
    case 0x63: /* movsxd */
    case 0x69: /* imul with a number */
    case 0x6b:
        return sg_effect_parts_writes(sg_effect_parts_bit(of->reg));
    case 0x70 ... 0x7f:
    case 0xc2 ... 0xc3:
    case 0xca ... 0xcd:
    case 0xcf:
    case 0xe0 ... 0xe3:
    case 0xe8 ... 0xe9:
    case 0xeb:
    case 0xf1:
    case 0xf4:
    case 0xc8:
        return primary_flow(of);
    case 0x80 ... 0x83:
        return arithmetic_by_number(of);
    case 0x86: /* xchg bytes */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(of) |
                                      sg_effect_parts_byte_bit(of, of->reg));
    case 0x87: /* xchg */
        return sg_effect_parts_writes(sg_effect_parts_operand(of) | sg_effect_parts_bit(of->reg));
    case 0x88: /* mov operand, byte register */
        return of->mod == IN_REGISTER ? sg_effect_parts_writes(sg_effect_parts_byte_operand(of))
                                      : store(of);
    case 0x89: /* mov operand, register */
        return store(of);
    case 0x8a: /* mov byte register, operand */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(of, of->reg));
    case 0x8b: /* mov register, operand */
        return load(of);
    case 0x8c: /* mov from a segment register */
    case 0xc1: /* shifts by a number, by 1, by cl */
    case 0xd1:
    case 0xd3:
        return sg_effect_parts_writes(sg_effect_parts_operand(of));
    case 0x8d: /* lea */
        return load_address(of);
    case 0x90 ... 0x97: /* nop, xchg with rax */
        return sg_effect_parts_writes(
            opcode == 0x90 && !of->rm ? 0 : RAX | sg_effect_parts_bit(of->rm));
    case 0x98:          /* cdqe */
    case 0x9f:          /* lahf */
    case 0xa0 ... 0xa1: /* mov from an absolute address */
    case 0xd7 ... 0xdf: /* xlat, and x87: its fnstsw writes ax */
    case 0xe4 ... 0xe5: /* in */
    case 0xec ... 0xed:
        return sg_effect_parts_writes(RAX);
    case 0x99: /* cqo */
        return sg_effect_parts_writes(RDX);
    case 0xb0 ... 0xb7: /* mov byte register, number */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(of, of->rm));
    case 0xb8 ... 0xbf: /* mov register, number */
        return sg_effect_parts_writes(sg_effect_parts_bit(of->rm));
    case 0xc0: /* shifts of a byte by a number */
    case 0xc6: /* mov byte operand, number */
    case 0xd0: /* shifts of a byte by 1, by cl */
    case 0xd2:
    case 0xfe: /* inc, dec of a byte */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(of));
    case 0xc7: /* mov operand, number */
        return of->mod == IN_REGISTER && of->reg & 7
                   ? sg_effect_parts_plain(SG_EFFECT_END) /* xbegin */
                   : sg_effect_parts_writes(sg_effect_parts_operand(of));
    case 0xc9: /* leave */
        return sg_effect_parts_plain(SG_EFFECT_LEAVE);
    case 0xf6 ... 0xf7:
        return multiply_group(of);
    case 0xff:
        return jump_group(of);
    default: /* test, flags, moves to segment registers, memory and ports */
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    }
}
