/* CFA program: interpreter of DWARF's call frame instructions, for the registers that a rule needs.
 *
 *     CIE's instructions ─▶ initial row ─▶ FDE's instructions ─▶ row at pc, row at pc, …
 *
 * Followed are the CFA, the frame pointer and the return address of x86-64. */
#ifndef STACKGLASS_UNWIND_CFA_PROGRAM_H
#define STACKGLASS_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cursor.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

enum { SG_DWARF_FRAME_POINTER = 6, SG_DWARF_STACK_POINTER = 7, SG_DWARF_RETURN_ADDRESS = 16 };

/* Where a register of the caller is. */
struct sg_saved_register {
    enum { SG_REGISTER_SAME, SG_REGISTER_UNDEFINED, SG_REGISTER_SAVED, SG_REGISTER_LOST } how;
    struct sg_unwind_expression place; /* SAVED: of its address */
};

/* A row as DWARF has it. */
struct sg_cfa_row {
    bool is_unknown; /* the CFA has a form that is not supported */
    struct sg_unwind_expression cfa;
    struct sg_saved_register frame_pointer, return_address;
};

struct sg_cfa_program {
    struct sg_unwind_cursor code;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t pointer_encoding;
    const struct sg_cfa_row *initial; /* what DW_CFA_restore goes back to; NULL = in the CIE */
};

/* The row `row` begins at `pc`. False ends the program. */
typedef bool sg_cfa_row_fn(void *context, uint64_t pc, const struct sg_cfa_row *row);

/* Run a program from `row` at `pc` on; `row` is the last one then. `emit` gets each row but that
 * one, at which the caller knows the end. False if the program is invalid. */
bool sg_cfa_program_run(struct sg_cfa_program *program, struct sg_cfa_row *row, uint64_t *pc,
                        sg_cfa_row_fn *emit, void *context);

struct sg_unwind_rule sg_cfa_program_rule(const struct sg_cfa_row *row, bool is_signal_frame);

#endif
