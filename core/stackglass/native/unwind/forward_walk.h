/* Forward walk: how the stack is left from an address without a row, by decoding the machine code
 * from there to its returns.
 *
 *     pc ─▶ … ─▶ jne ─▶ … ─▶ pop %rbp ─▶ ret      every path that is found must leave the stack
 *                 └───▶ … ─▶ pop %rbp ─▶ ret      in the same way; else nothing is known
 *
 * Calls are stepped over; direct jumps are followed, to code with a row as far as its row. A path
 * that ends otherwise (jump by a register, unknown instruction, end of the code) counts for
 * nothing. */
#ifndef STACKGLASS_UNWIND_FORWARD_WALK_H
#define STACKGLASS_UNWIND_FORWARD_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/code_bytes.h"
#include "unwind/machine_state.h"
#include "unwind/rule.h"

/* The rule of a row, or NULL. */
typedef const struct sg_unwind_rule *sg_forward_row_fn(void *context, uintptr_t pc);

enum {
    SG_FORWARD_INSTRUCTIONS = 1 << 13,
    SG_FORWARD_BRANCHES = 256,
    SG_FORWARD_MERGES = 512,
};

/* An instruction, and the state before it. */
struct sg_forward_visit {
    uintptr_t address;
    struct sg_value registers[SG_N_GENERAL_REGISTERS];
    uint8_t saved_base; /* where rbp₀ was stored; SG_NO_REGISTER = nowhere */
    bool is_behind_call;
    int32_t saved_offset;
};

/* Some 1.7 MB, of which a walk uses what it visits. */
struct sg_forward_walk {
    struct sg_code_bytes *code;
    sg_forward_row_fn *find_row;
    void *context;

    struct sg_forward_visit visits[SG_FORWARD_INSTRUCTIONS]; /* (n_visits,) */
    uint32_t n_visits;
    uint16_t index[2 * SG_FORWARD_INSTRUCTIONS]; /* number of a visit + 1, by its address */
    struct sg_forward_branch {
        uintptr_t address;
        struct sg_machine_state state;
    } branches[SG_FORWARD_BRANCHES]; /* (n_branches,): not gone yet */
    uint32_t n_branches;
    /* Where paths meet with different values: registers that are unknown from there on. */
    struct sg_forward_merge {
        uintptr_t address;
        uint16_t registers;
    } merges[SG_FORWARD_MERGES]; /* (n_merges,) */
    uint32_t n_merges;
    bool is_unstable; /* a merge was added: the walk begins anew */
    bool is_refused;

    bool has_exit;
    struct sg_value cfa, frame_pointer; /* of the caller; frame_pointer may be unknown */
};

/* False if it is not known how the stack is left. `code` is begun; the rest is set here. `pc` is
 * the next instruction of a frame; `is_behind_call`: a return address. */
bool sg_forward_walk_run(struct sg_forward_walk *walk, struct sg_code_bytes *code,
                         sg_forward_row_fn *find_row, void *context, uintptr_t pc,
                         bool is_behind_call);

#endif
