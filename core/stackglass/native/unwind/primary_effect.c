/* Register effects of x86-64's primary opcode map, as Intel's manual (volume 2, appendix A) lists
 * it. The unwinder follows moves, sums, loads, pushes, pops and jumps. Other instructions make
 * their destination registers unknown. Memory is updated only by push and by mov of a register to
 * base + displacement: compilers leave the word of a saved register as it is until they restore it.
 */
#include "unwind/primary_effect.h"

enum {
    /* Caller-saved registers: a called function may change them. A function may have a convention
     * with more of them (preserve_none, as in the interpreter of CPython 3.14), but its callers
     * know that, and keep nothing in these. */
    SCRATCH = RAX | RCX | RDX | RSI | RDI | 0xf << SG_R8,
};

static struct sg_register_effect call(void) {
    struct sg_register_effect effect = sg_effect_parts_plain(SG_EFFECT_CALL);
    effect.written = SCRATCH;
    return effect;
}

/* Return whether the memory operand is one register plus a displacement. */
static bool is_simple(const struct sg_instruction *insn) {
    return insn->base != SG_NO_REGISTER && insn->index == SG_NO_REGISTER && !insn->has_67 &&
           !insn->has_segment;
}

/* ---- Arithmetic and moves ---- */

/* Opcodes 0x00 to 0x3f: add, or, adc, sbb, and, sub, xor, cmp, each in six forms. */
static struct sg_register_effect arithmetic(const struct sg_instruction *insn) {
    enum { COMPARE = 7 };
    if (insn->opcode >> 3 == COMPARE)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    switch (insn->opcode & 7) {
    case 0: /* byte operand, register */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn));
    case 1: /* operand, register */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn));
    case 2: /* byte register, operand */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(insn, insn->reg));
    case 3: /* register, operand */
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
    default: /* al or rax, immediate */
        return sg_effect_parts_writes(RAX);
    }
}

/* Opcodes 0x80 to 0x83 (group 1): the same operations on an operand and an immediate. */
static struct sg_register_effect arithmetic_immediate(const struct sg_instruction *insn) {
    enum { ADD = 0, SUBTRACT = 5, COMPARE = 7, OF_BYTE = 0x80 };
    uint8_t operation = insn->reg & 7;
    if (operation == COMPARE)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    if (insn->opcode == OF_BYTE)
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn));
    bool is_simple_sum = insn->mod == IN_REGISTER && insn->is_wide && insn->immediate != INT32_MIN;
    if (is_simple_sum && operation == ADD)
        return sg_effect_parts_make(SG_EFFECT_ADD, insn->rm, insn->rm, insn->immediate);
    if (is_simple_sum && operation == SUBTRACT)
        return sg_effect_parts_make(SG_EFFECT_ADD, insn->rm, insn->rm, -insn->immediate);
    return sg_effect_parts_writes(sg_effect_parts_operand(insn));
}

static struct sg_register_effect store(const struct sg_instruction *insn) {
    enum { OF_BYTE = 0x88, WORD_BYTES = 8 }; /* REX.W changes nothing about a byte */
    uint8_t width = insn->opcode == OF_BYTE ? 1 : insn->is_wide ? WORD_BYTES : insn->has_66 ? 2 : 4;
    if (insn->mod == IN_REGISTER)
        return insn->is_wide ? sg_effect_parts_make(SG_EFFECT_MOVE, insn->rm, insn->reg, 0)
                             : sg_effect_parts_writes(sg_effect_parts_bit(insn->rm));
    if (!is_simple(insn))
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    struct sg_register_effect effect =
        sg_effect_parts_make(SG_EFFECT_STORE, insn->base,
                             width == WORD_BYTES ? insn->reg : SG_NO_REGISTER, insn->displacement);
    effect.width = width;
    return effect;
}

static struct sg_register_effect load(const struct sg_instruction *insn) {
    if (insn->is_wide && insn->mod == IN_REGISTER)
        return sg_effect_parts_make(SG_EFFECT_MOVE, insn->reg, insn->rm, 0);
    if (insn->is_wide && is_simple(insn))
        return sg_effect_parts_make(SG_EFFECT_LOAD, insn->reg, insn->base, insn->displacement);
    return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
}

static struct sg_register_effect load_address(const struct sg_instruction *insn) {
    if (insn->is_wide && insn->mod != IN_REGISTER && is_simple(insn))
        return sg_effect_parts_make(SG_EFFECT_ADD, insn->reg, insn->base, insn->displacement);
    return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
}

/* ---- Groups: the `reg` field of ModRM selects the operation ---- */

/* Group 3: test, not, neg, mul, imul, div, idiv. */
static struct sg_register_effect multiply_group(const struct sg_instruction *insn) {
    enum { TEST = 1, NEGATE = 3 };
    uint8_t operation = insn->reg & 7;
    bool is_byte = insn->opcode == 0xf6;
    if (operation <= TEST)
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    if (operation <= NEGATE)
        return sg_effect_parts_writes(is_byte ? sg_effect_parts_byte_operand(insn)
                                              : sg_effect_parts_operand(insn));
    return sg_effect_parts_writes(RAX | RDX);
}

/* Group 5. */
static struct sg_register_effect jump_group(const struct sg_instruction *insn) {
    switch (insn->reg & 7) {
    case 0: /* inc */
    case 1: /* dec */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn));
    case 2: /* call */
        return call();
    case 4: /* jmp */
        return sg_effect_parts_plain(SG_EFFECT_JUMP_ANYWHERE);
    case 6: /* push */
        if (insn->has_66)
            return sg_effect_parts_plain(SG_EFFECT_END);
        return sg_effect_parts_make(SG_EFFECT_PUSH, SG_NO_REGISTER,
                                    insn->mod == IN_REGISTER ? insn->rm : SG_NO_REGISTER, 0);
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

static struct sg_register_effect primary_stack(const struct sg_instruction *insn) {
    if (insn->has_66) /* 16-bit form, which compilers do not emit */
        return sg_effect_parts_plain(SG_EFFECT_END);
    switch (insn->opcode) {
    case 0x50 ... 0x57: /* push register */
        return sg_effect_parts_make(SG_EFFECT_PUSH, SG_NO_REGISTER, insn->rm, 0);
    case 0x58 ... 0x5f: /* pop register */
        return sg_effect_parts_make(SG_EFFECT_POP, insn->rm, SG_NO_REGISTER, 0);
    case 0x8f: /* pop operand */
        if (insn->mod == IN_REGISTER)
            return sg_effect_parts_make(SG_EFFECT_POP, insn->rm, SG_NO_REGISTER, 0);
        return sg_effect_parts_plain(SG_EFFECT_POP);
    case 0x9d: /* popf */
        return sg_effect_parts_plain(SG_EFFECT_POP);
    default: /* push immediate, pushf */
        return sg_effect_parts_plain(SG_EFFECT_PUSH);
    }
}

static struct sg_register_effect primary_flow(const struct sg_instruction *insn) {
    switch (insn->opcode) {
    case 0x70 ... 0x7f: /* jcc */
        return sg_effect_parts_make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER, SG_NO_REGISTER,
                                    insn->immediate);
    case 0xe0 ... 0xe3: { /* loop, jrcxz */
        struct sg_register_effect effect = sg_effect_parts_make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER,
                                                                SG_NO_REGISTER, insn->immediate);
        effect.written = RCX;
        return effect;
    }
    case 0xe8: /* call; a call to the next instruction only pushes the return address */
        return insn->immediate ? call() : sg_effect_parts_plain(SG_EFFECT_PUSH);
    case 0xe9: /* jmp */
    case 0xeb:
        return sg_effect_parts_make(SG_EFFECT_JUMP, SG_NO_REGISTER, SG_NO_REGISTER,
                                    insn->immediate);
    case 0xc3: /* ret */
        return sg_effect_parts_plain(SG_EFFECT_RETURN);
    default: /* ret with an immediate, far ret, int, iret, enter, hlt */
        return sg_effect_parts_plain(SG_EFFECT_END);
    }
}

struct sg_register_effect sg_primary_effect_find(const struct sg_instruction *insn) {
    uint8_t opcode = insn->opcode;
    if (opcode < 0x40)
        return arithmetic(insn);
    switch (opcode) {
    case 0x50 ... 0x5f:
    case 0x68:
    case 0x6a:
    case 0x8f:
    case 0x9c ... 0x9d:
        return primary_stack(insn);
    case 0x6c ... 0x6f:
    case 0xa4 ... 0xa7:
    case 0xaa ... 0xaf:
        return string(opcode);
    case 0x63: /* movsxd */
    case 0x69: /* imul with an immediate */
    case 0x6b:
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
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
        return primary_flow(insn);
    case 0x80 ... 0x83:
        return arithmetic_immediate(insn);
    case 0x86: /* xchg bytes */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn) |
                                      sg_effect_parts_byte_bit(insn, insn->reg));
    case 0x87: /* xchg */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn) |
                                      sg_effect_parts_bit(insn->reg));
    case 0x88: /* mov operand, byte register */
        return insn->mod == IN_REGISTER ? sg_effect_parts_writes(sg_effect_parts_byte_operand(insn))
                                        : store(insn);
    case 0x89: /* mov operand, register */
        return store(insn);
    case 0x8a: /* mov byte register, operand */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(insn, insn->reg));
    case 0x8b: /* mov register, operand */
        return load(insn);
    case 0x8c: /* mov from a segment register */
    case 0xc1: /* shifts by an immediate, by 1, by cl */
    case 0xd1:
    case 0xd3:
        return sg_effect_parts_writes(sg_effect_parts_operand(insn));
    case 0x8d: /* lea */
        return load_address(insn);
    case 0x90 ... 0x97: /* nop, xchg with rax */
        return sg_effect_parts_writes(
            opcode == 0x90 && !insn->rm ? 0 : RAX | sg_effect_parts_bit(insn->rm));
    case 0x98:          /* cdqe */
    case 0x9f:          /* lahf */
    case 0xa0 ... 0xa1: /* mov from an absolute address */
    case 0xd7 ... 0xdf: /* xlat, and x87: its fnstsw writes ax */
    case 0xe4 ... 0xe5: /* in */
    case 0xec ... 0xed:
        return sg_effect_parts_writes(RAX);
    case 0x99: /* cqo */
        return sg_effect_parts_writes(RDX);
    case 0xb0 ... 0xb7: /* mov byte register, immediate */
        return sg_effect_parts_writes(sg_effect_parts_byte_bit(insn, insn->rm));
    case 0xb8 ... 0xbf: /* mov register, immediate */
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->rm));
    case 0xc0: /* shifts of a byte by an immediate */
    case 0xc6: /* mov byte operand, immediate */
    case 0xd0: /* shifts of a byte by 1, by cl */
    case 0xd2:
    case 0xfe: /* inc, dec of a byte */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn));
    case 0xc7: /* mov operand, immediate */
        return insn->mod == IN_REGISTER && insn->reg & 7
                   ? sg_effect_parts_plain(SG_EFFECT_END) /* xbegin */
                   : sg_effect_parts_writes(sg_effect_parts_operand(insn));
    case 0xc9: /* leave */
        return sg_effect_parts_plain(SG_EFFECT_LEAVE);
    case 0xf6 ... 0xf7:
        return multiply_group(insn);
    case 0xff:
        return jump_group(insn);
    default: /* test, flags, moves to segment registers, memory and ports */
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    }
}
