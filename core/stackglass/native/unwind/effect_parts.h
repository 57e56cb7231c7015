/* Parts of register effects: register sets and constructors that several opcode maps use. */
#ifndef STACKGLASS_UNWIND_EFFECT_PARTS_H
#define STACKGLASS_UNWIND_EFFECT_PARTS_H

#include <stdbool.h>

#include "unwind/effect.h"

enum {
    RAX = 1 << SG_RAX,
    RCX = 1 << SG_RCX,
    RDX = 1 << SG_RDX,
    RBX = 1 << SG_RBX,
    RSI = 1 << SG_RSI,
    RDI = 1 << SG_RDI,
    R11 = 1 << 11,
    IN_REGISTER = 3, /* value of mod: the operand is a register, not memory */
};

static inline uint16_t sg_effect_parts_bit(unsigned number) { return (uint16_t)(1u << number); }

/* Return the bit of a byte register. Without a REX prefix, the numbers of rsp to rdi mean ah to
 * bh. */
static inline uint16_t sg_effect_parts_byte_bit(const struct sg_instruction *insn, uint8_t number) {
    return sg_effect_parts_bit(!insn->has_rex && number >= SG_RSP && number < SG_R8 ? number - 4u
                                                                                    : number);
}

/* Return the bit of the operand `rm` if it is a register, 0 if it is memory. */
static inline uint16_t sg_effect_parts_operand(const struct sg_instruction *insn) {
    return insn->mod == IN_REGISTER ? sg_effect_parts_bit(insn->rm) : 0;
}

static inline uint16_t sg_effect_parts_byte_operand(const struct sg_instruction *insn) {
    return insn->mod == IN_REGISTER ? sg_effect_parts_byte_bit(insn, insn->rm) : 0;
}

static inline struct sg_register_effect sg_effect_parts_make(enum sg_effect_kind kind, uint8_t to,
                                                             uint8_t from, int32_t amount) {
    return (struct sg_register_effect){
        .kind = (uint8_t)kind, .to = to, .from = from, .amount = amount};
}

static inline struct sg_register_effect sg_effect_parts_plain(enum sg_effect_kind kind) {
    return sg_effect_parts_make(kind, SG_NO_REGISTER, SG_NO_REGISTER, 0);
}

static inline struct sg_register_effect sg_effect_parts_writes(unsigned registers) {
    struct sg_register_effect effect = sg_effect_parts_plain(SG_EFFECT_NONE);
    effect.written = (uint16_t)registers;
    return effect;
}

#endif
