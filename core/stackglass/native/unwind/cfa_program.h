/* CFA program: an interpreter of DWARF's call frame instructions (.eh_frame), for the registers
 * that a rule needs.
 *
 *     CIE's instructions ─▶ initial row ─▶ FDE's instructions ─▶ row at pc, row at pc, …
 *
 * These registers are the CFA, the frame pointer and the return address of x86-64. The CFA
 * (canonical frame address) is the caller's stack pointer before its call. A CIE has the
 * instructions with which several functions (FDEs) begin. */
#ifndef STACKGLASS_UNWIND_CFA_PROGRAM_H
#define STACKGLASS_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cursor.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

enum { SG_DWARF_FRAME_POINTER = 6, SG_DWARF_STACK_POINTER = 7, SG_DWARF_RETURN_ADDRESS = 16 };

/* The place of the caller's value of a register: still in the register, nowhere, in memory at
 * `place`, or in a form that is not supported. */
struct sg_saved_register {
    enum { SG_REGISTER_SAME, SG_REGISTER_UNDEFINED, SG_REGISTER_SAVED, SG_REGISTER_LOST } how;
    struct sg_unwind_expression place; /* for SG_REGISTER_SAVED: the address */
};

/* A row of DWARF's table, valid from one address to the address of the next row. */
struct sg_cfa_row {
    bool is_unknown; /* the CFA has an unsupported form */
    struct sg_unwind_expression cfa;
    struct sg_saved_register frame_pointer, return_address;
};

struct sg_cfa_program {
    struct sg_unwind_cursor code;
    uint64_t code_factor; /* the CIE's code and data alignment factors */
    int64_t data_factor;
    uint8_t pointer_encoding; /* DW_EH_PE_… */
    /* the row that DW_CFA_restore restores; NULL while the CIE's program runs */
    const struct sg_cfa_row *initial;
};

/* Called for each row, which is valid from `pc` on. Returns false to end the program. */
typedef bool sg_cfa_row_fn(void *context, uint64_t pc, const struct sg_cfa_row *row);

/* Run a program. `row` and `pc` are the first row and its address, and afterwards the last ones.
 * `emit` gets each row except the last. Returns false if the program is invalid or `emit` did. */
bool sg_cfa_program_run(struct sg_cfa_program *program, struct sg_cfa_row *row, uint64_t *pc,
                        sg_cfa_row_fn *emit, void *context);

/* Return the row as a rule; SG_CFA_UNKNOWN if its form is not supported. */
struct sg_unwind_rule sg_cfa_program_rule(const struct sg_cfa_row *row, bool is_signal_frame);

#endif
