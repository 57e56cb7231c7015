/* Rows of one loaded object: a sorted table of the addresses from which each unwind rule holds, in
 * mapped pages.
 *
 *     offset from the object's first code address:   0 │ 4 │ 5 │ 120 │ 121 │ …   32 bits each
 *     number of the rule from there on:              7 │ 9 │ 3 │  9  │  7  │ …   16 bits each
 *
 * One thread appends rows. Once finished, rows are constant, and any thread may read them. */
#ifndef STACKGLASS_UNWIND_ROWS_H
#define STACKGLASS_UNWIND_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rules.h"

/* Zeroed = empty. */
struct sg_unwind_rows {
    uint32_t *offsets;        /* (n,), ascending */
    sg_unwind_rule_id *rules; /* (n,), behind the offsets in one mapping */
    uint32_t n, capacity;
};

/* Append a row: from `offset` on `rule` holds. Offsets must not descend. Returns false if memory
 * runs out. */
bool sg_unwind_rows_add(struct sg_unwind_rows *rows, uint32_t offset, sg_unwind_rule_id rule);
/* Release the memory that is not used. */
void sg_unwind_rows_finish(struct sg_unwind_rows *rows);
void sg_unwind_rows_free(struct sg_unwind_rows *rows);
size_t sg_unwind_rows_bytes(const struct sg_unwind_rows *rows);

/* Return the rule at `offset`. Async-signal-safe. */
static inline sg_unwind_rule_id sg_unwind_rows_find(const struct sg_unwind_rows *rows,
                                                    uint32_t offset) {
    const uint32_t *first = rows->offsets;
    uint32_t n = rows->n;
    if (!n || *first > offset)
        return SG_UNWIND_RULE_UNKNOWN;
    while (n > 1) { /* the row is among `n` rows from `first` on */
        uint32_t half = n / 2;
        first = first[half] <= offset ? first + half : first;
        n -= half;
    }
    return rows->rules[first - rows->offsets];
}

#endif
