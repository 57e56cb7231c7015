/* CFA program: interpreter of DWARF's call frame instructions (.eh_frame), for the registers that a
 * rule needs.
 *
 *     CIE's instructions ─▶ initial row ─▶ FDE's instructions ─▶ row at pc, row at pc, …
 *
 * These are the CFA, the frame pointer and the return address of x86-64. The CFA is the stack
 * pointer of the caller before its call; a CIE has what several functions (FDEs) begin with. */
#ifndef STACKGLASS_UNWIND_CFA_PROGRAM_H
#define STACKGLASS_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cursor.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

enum { SG_DWARF_FRAME_POINTER = 6, SG_DWARF_STACK_POINTER = 7, SG_DWARF_RETURN_ADDRESS = 16 };

/* Where the caller's value of a register is: still in the register, nowhere, in memory at `place`,
 * or at a place of an unsupported form. */
struct sg_saved_register {
    enum { SG_REGISTER_SAME, SG_REGISTER_UNDEFINED, SG_REGISTER_SAVED, SG_REGISTER_LOST } how;
    struct sg_unwind_expression place; /* of SAVED: its address */
};

/* A row of DWARF's table: valid from one address to the next row's. */
struct sg_cfa_row {
    bool is_unknown; /* the CFA has a form that is not supported */
    struct sg_unwind_expression cfa;
    struct sg_saved_register frame_pointer, return_address;
};

struct sg_cfa_program {
    struct sg_unwind_cursor code;
    uint64_t code_factor; /* the CIE's code and data alignment factors */
    int64_t data_factor;
    uint8_t pointer_encoding;         /* DW_EH_PE_… */
    const struct sg_cfa_row *initial; /* what DW_CFA_restore goes back to; NULL = in the CIE */
};

/* `row` is valid from `pc` on. False ends the program. */
typedef bool sg_cfa_row_fn(void *context, uint64_t pc, const struct sg_cfa_row *row);

/* Run a program that begins with `row` at `pc`; they are the last row and its address afterwards.
 * `emit` gets each row but that last one. False if the program is invalid. */
bool sg_cfa_program_run(struct sg_cfa_program *program, struct sg_cfa_row *row, uint64_t *pc,
                        sg_cfa_row_fn *emit, void *context);

/* The row as a rule; SG_CFA_UNKNOWN if its form is not supported. */
struct sg_unwind_rule sg_cfa_program_rule(const struct sg_cfa_row *row, bool is_signal_frame);

#endif
