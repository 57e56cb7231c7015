/* Offsets and rules share one mapping, which doubles when it is full. Adjacent rows with equal
 * rules are joined. */
#include "unwind/rows.h"

#include <string.h>

#include "platform/memory.h"

enum { FIRST_CAPACITY = 1024, ROW_BYTES = sizeof(uint32_t) + sizeof(sg_unwind_rule_id) };

static bool move(struct sg_unwind_rows *rows, uint32_t capacity) {
    uint32_t *offsets = sg_memory_map((size_t)capacity * ROW_BYTES);
    if (!offsets)
        return false;
    sg_unwind_rule_id *rules = (sg_unwind_rule_id *)(offsets + capacity);
    if (rows->n) {
        memcpy(offsets, rows->offsets, rows->n * sizeof *offsets);
        memcpy(rules, rows->rules, rows->n * sizeof *rules);
    }
    sg_memory_unmap(rows->offsets, sg_unwind_rows_bytes(rows));
    rows->offsets = offsets;
    rows->rules = rules;
    rows->capacity = capacity;
    return true;
}

bool sg_unwind_rows_add(struct sg_unwind_rows *rows, uint32_t offset, sg_unwind_rule_id rule) {
    if (rows->n && rows->rules[rows->n - 1] == rule)
        return true;
    if (rows->n && rows->offsets[rows->n - 1] == offset) { /* the row before covers no address */
        rows->rules[rows->n - 1] = rule;
        return true;
    }
    if (rows->n == rows->capacity &&
        (rows->capacity > UINT32_MAX / 2 ||
         !move(rows, rows->capacity ? 2 * rows->capacity : FIRST_CAPACITY)))
        return false;
    rows->offsets[rows->n] = offset;
    rows->rules[rows->n++] = rule;
    return true;
}

void sg_unwind_rows_finish(struct sg_unwind_rows *rows) {
    if (rows->n && rows->n < rows->capacity)
        move(rows, rows->n); /* if memory is short, the rows stay as they are */
}

void sg_unwind_rows_free(struct sg_unwind_rows *rows) {
    sg_memory_unmap(rows->offsets, sg_unwind_rows_bytes(rows));
    memset(rows, 0, sizeof *rows);
}

size_t sg_unwind_rows_bytes(const struct sg_unwind_rows *rows) {
    return (size_t)rows->capacity * ROW_BYTES;
}
