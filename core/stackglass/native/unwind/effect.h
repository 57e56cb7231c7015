/* Kinds of effects that an instruction has on the general registers.
 *
 * Registers have the numbers of the instruction encoding. */
#ifndef STACKGLASS_UNWIND_EFFECT_H
#define STACKGLASS_UNWIND_EFFECT_H

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
    SG_EFFECT_NONE,  /* nothing besides the registers in `written` */
    SG_EFFECT_MOVE,  /* to = from */
    SG_EFFECT_ADD,   /* to = from + amount */
    SG_EFFECT_LOAD,  /* to = the word at from + amount */
    SG_EFFECT_STORE, /* the `width` bytes at to + amount = from, or unknown */
    SG_EFFECT_PUSH,  /* push `from`, or an unknown value */
    SG_EFFECT_POP,   /* pop into `to`, or discard the word */
    SG_EFFECT_LEAVE,
    SG_EFFECT_CALL,
    SG_EFFECT_JUMP,          /* by `amount` from the next instruction */
    SG_EFFECT_JUMP_IF,       /* the same, or continue at the next instruction */
    SG_EFFECT_JUMP_ANYWHERE, /* to an address in a register or in memory */
    SG_EFFECT_RETURN,
    SG_EFFECT_END, /* execution does not continue, or not at a known address */
};

struct sg_register_effect {
    uint8_t kind;     /* enum sg_effect_kind */
    uint8_t to, from; /* registers, or SG_NO_REGISTER */
    uint8_t width;    /* of a store: 1, 2, 4 or 8 bytes */
    int32_t amount;
    uint16_t written; /* a bit for each register that gets an unknown value */
};

#endif
