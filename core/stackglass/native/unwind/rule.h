/* Unwind rule: how to find the caller's registers from those of a frame.
 *
 *     CFA = base + offset, or the word at base + offset, plus addend
 *     return address at CFA - 8; caller's stack pointer = CFA
 *     caller's frame pointer: unchanged, or at CFA, frame or stack pointer + offset
 *
 * CFA is DWARF's canonical frame address: the stack pointer of the caller before the call. Rules
 * have numbers, since a program with a million rows has a thousand different rules. */
#ifndef STACKGLASS_UNWIND_RULE_H
#define STACKGLASS_UNWIND_RULE_H

#include <stdint.h>

typedef uint16_t sg_unwind_rule_id;

enum sg_unwind_cfa {
    SG_CFA_UNKNOWN,   /* there is no row, or it has an unknown form */
    SG_CFA_OUTERMOST, /* the frame has no caller */
    /* the kernel's signal frame: the interrupted registers lie at the stack pointer */
    SG_CFA_SIGNAL_FRAME,
    SG_CFA_OF_STACK_POINTER,
    SG_CFA_OF_FRAME_POINTER,
    SG_CFA_OF_REGISTER,      /* any other register, which is known only in the innermost frame */
    SG_CFA_AT_STACK_POINTER, /* the word at stack pointer + offset, plus the addend */
    SG_CFA_AT_FRAME_POINTER,
    /* A PLT stub that pushes one word midway: stack pointer + offset, and 8 more from byte `addend`
     * of its 16 bytes on. */
    SG_CFA_OF_STUB,
};

enum sg_unwind_saved {
    SG_SAVED_NOT, /* the register still has the caller's value */
    SG_SAVED_AT_CFA,
    SG_SAVED_AT_FRAME_POINTER,
    SG_SAVED_AT_STACK_POINTER,
    SG_SAVED_LOST,
};

struct sg_unwind_rule {
    uint8_t cfa;           /* enum sg_unwind_cfa */
    uint8_t cfa_register;  /* DWARF's register number, for SG_CFA_OF_REGISTER */
    uint8_t frame_pointer; /* enum sg_unwind_saved */
    int32_t cfa_offset, cfa_addend, frame_pointer_offset;
};

#endif
