/* Forward walk: finds the caller's frame from an address without an unwind row, by decoding the
 * machine code from there to its returns.
 *
 *     pc ─▶ … ─▶ jne ─▶ … ─▶ pop %rbp ─▶ ret
 *                 └───▶ … ─▶ pop %rbp ─▶ ret
 *
 * All paths must return with the same stack pointer; else the walk fails.
 *
 * Calls are stepped over. Direct jumps are followed; a jump into code that has a row ends the path,
 * because the row says how to continue. A path that ends otherwise (jump by a register, unknown
 * instruction, end of the code) is ignored. */
#ifndef STACKGLASS_UNWIND_FORWARD_WALK_H
#define STACKGLASS_UNWIND_FORWARD_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/code_bytes.h"
#include "unwind/machine_state.h"
#include "unwind/rule.h"

/* Return the rule of the row at `pc`, or NULL. */
typedef const struct sg_unwind_rule *sg_forward_row_fn(void *context, uintptr_t pc);

enum {
    /* Room of a walk, which limits the size of the code that it can follow. */
    SG_FORWARD_INSTRUCTIONS = 1 << 13,
    SG_FORWARD_BRANCHES = 256,
    SG_FORWARD_MERGES = 512,
};

/* An instruction, and the state before it. */
struct sg_forward_visit {
    uintptr_t address;
    struct sg_value registers[SG_N_GENERAL_REGISTERS];
    /* register that the address of rbp's saved initial value is based on; SG_NO_REGISTER = not
     * saved */
    uint8_t saved_base;
    bool is_behind_call;
    int32_t saved_offset;
};

/* About 1.4 MB, of which a walk touches only what it visits. */
struct sg_forward_walk {
    struct sg_code_bytes *code;
    sg_forward_row_fn *find_row;
    void *context;

    struct sg_forward_visit visits[SG_FORWARD_INSTRUCTIONS]; /* (n_visits,) */
    uint32_t n_visits;
    /* open addressing by address: number of the visit + 1 */
    uint16_t index[2 * SG_FORWARD_INSTRUCTIONS];
    /* (n_branches,): targets of jumps that are still to be followed */
    struct sg_forward_branch {
        uintptr_t address;
        struct sg_machine_state state;
    } branches[SG_FORWARD_BRANCHES];
    uint32_t n_branches;
    /* Addresses where paths meet with different values in registers. `registers` has a bit for each
     * such register, which is unknown from there on. */
    struct sg_forward_merge {
        uintptr_t address;
        uint16_t registers;
    } merges[SG_FORWARD_MERGES]; /* (n_merges,) */
    uint32_t n_merges;
    bool is_unstable; /* a merge was added in this pass, so another pass follows */
    bool is_refused;  /* the walk has failed */

    bool has_exit;
    struct sg_value cfa, frame_pointer; /* the caller's; frame_pointer may be unknown */
};

/* Find `cfa` and `frame_pointer`. Returns false if they cannot be found. `code` must be ready to be
 * read; all other fields are set here. `pc` is the next instruction of a frame; `is_behind_call`:
 * `pc` is a return address. */
bool sg_forward_walk_run(struct sg_forward_walk *walk, struct sg_code_bytes *code,
                         sg_forward_row_fn *find_row, void *context, uintptr_t pc,
                         bool is_behind_call);

#endif
