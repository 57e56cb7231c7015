/* Register effect: what an instruction does to the general registers, as far as a stack is followed
 * by it, and where it goes on.
 *
 * Registers have the numbers that instructions use. What is not known exactly counts as a write of
 * an unknown value. */
#ifndef STACKGLASS_UNWIND_REGISTER_EFFECT_H
#define STACKGLASS_UNWIND_REGISTER_EFFECT_H

#include <stdint.h>

#include "unwind/instruction.h"

enum {
    SG_RAX,
    SG_RCX,
    SG_RDX,
    SG_RBX,
    SG_RSP,
    SG_RBP,
    SG_RSI,
    SG_RDI,
    SG_R8,
    SG_N_GENERAL_REGISTERS = 16,
};

enum sg_effect_kind {
    SG_EFFECT_NONE,  /* besides the registers in `written` */
    SG_EFFECT_MOVE,  /* to = from */
    SG_EFFECT_ADD,   /* to = from + amount */
    SG_EFFECT_LOAD,  /* to = the word at from + amount */
    SG_EFFECT_STORE, /* the word at to + amount = from, or unknown */
    SG_EFFECT_PUSH,  /* from, or unknown */
    SG_EFFECT_POP,   /* to, or nothing */
    SG_EFFECT_LEAVE,
    SG_EFFECT_CALL,
    SG_EFFECT_JUMP,          /* by `amount` from the next instruction */
    SG_EFFECT_JUMP_IF,       /* the same, or on to the next one */
    SG_EFFECT_JUMP_ANYWHERE, /* by a register or a word of memory */
    SG_EFFECT_RETURN,
    SG_EFFECT_END, /* goes nowhere, or it is not known where */
};

struct sg_register_effect {
    uint8_t kind;     /* enum sg_effect_kind */
    uint8_t to, from; /* registers, or SG_NO_REGISTER */
    int32_t amount;
    uint16_t written; /* a bit for each register that gets a value that is not known */
};

struct sg_register_effect sg_register_effect_find(const struct sg_instruction *instruction);

#endif
