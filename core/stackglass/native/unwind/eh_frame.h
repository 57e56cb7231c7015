/* .eh_frame: reads the unwind entries of a library from a copy of its bytes. Any number in the copy
 * may be wrong.
 *
 *     FDE: function [start, end) and its instructions ──▶ CIE: fields that many functions share */
#ifndef STACKGLASS_UNWIND_EH_FRAME_H
#define STACKGLASS_UNWIND_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfa_program.h"

/* The copy, and the last CIE that was read: most functions of a library share one. */
struct sg_eh_frame {
    const uint8_t *bytes;
    uintptr_t address; /* address of bytes[0] in the library */
    uint64_t n_bytes;

    uintptr_t cie_address; /* 0 = no CIE was read yet */
    struct sg_eh_frame_cie {
        uint64_t code_factor;
        int64_t data_factor;
        uint8_t pointer_encoding;
        bool has_augmentation, is_signal_frame;
        struct sg_cfa_row initial;
    } cie;
};

struct sg_eh_frame_function {
    uintptr_t start, end;
    struct sg_unwind_cursor code;
};

/* Read the FDE at `address`, and its CIE. Returns false if it is invalid. */
bool sg_eh_frame_read(struct sg_eh_frame *frame, uintptr_t address,
                      struct sg_eh_frame_function *function);

/* Pass to `emit` the rules of a function just read, in ascending order of `pc`, which lies in the
 * function. From an invalid instruction on, the rule is SG_CFA_UNKNOWN. Ends if `emit` returns
 * false. */
typedef bool sg_eh_frame_rule_fn(void *context, uintptr_t pc, const struct sg_unwind_rule *rule);
void sg_eh_frame_run(struct sg_eh_frame *frame, const struct sg_eh_frame_function *function,
                     sg_eh_frame_rule_fn *emit, void *context);

#endif
