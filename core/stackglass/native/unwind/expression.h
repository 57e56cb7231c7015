/* Expression: the few forms of DWARF expressions that describe frames in practice.
 *
 *     breg n                        register + n
 *     breg n, deref, plus m         the word at register + n, plus m
 *     breg sp 8, breg pc, lit15 …   a stub of the PLT, which pushes a word midway */
#ifndef STACKGLASS_UNWIND_EXPRESSION_H
#define STACKGLASS_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cursor.h"

/* The base that stands for the CFA, with which a saved register's expression begins. */
enum { SG_UNWIND_REGISTER_CFA = 255 };

struct sg_unwind_expression {
    uint8_t base;   /* a register's number in DWARF */
    bool is_stub;   /* `addend` is the byte from which on one more word is pushed */
    bool is_loaded; /* the word at base + offset, plus addend */
    int64_t offset, addend;
};

/* False if the expression has another form. `begins_with_cfa`: it is that of a saved register. */
bool sg_unwind_expression_read(struct sg_unwind_cursor code, bool begins_with_cfa,
                               struct sg_unwind_expression *found);

#endif
