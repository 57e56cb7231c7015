/* Expression: reads the few forms of DWARF expressions that describe frames in practice.
 *
 *     breg n                        register + n
 *     breg n, deref, plus m         the word at register + n, plus m
 *     breg sp 8, breg pc, lit15 …   a stub of the PLT, which pushes a word midway */
#ifndef STACKGLASS_UNWIND_EXPRESSION_H
#define STACKGLASS_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cursor.h"

/* Base that stands for the CFA: the expression of a saved register begins with it. */
enum { SG_UNWIND_REGISTER_CFA = 255 };

struct sg_unwind_expression {
    uint8_t base;   /* a register's number in DWARF */
    bool is_stub;   /* from byte `addend` of the stub on, one more word is pushed */
    bool is_loaded; /* the value is the word at base + offset, plus addend */
    int64_t offset, addend;
};

/* Read an expression into `found`. `begins_with_cfa`: it is the expression of a saved register.
 * Returns false if it has another form. */
bool sg_unwind_expression_read(struct sg_unwind_cursor code, bool begins_with_cfa,
                               struct sg_unwind_expression *found);

#endif
