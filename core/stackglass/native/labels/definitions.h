/* Definitions of label sets: which keys and values a number stands for. */
#ifndef STACKGLASS_LABELS_DEFINITIONS_H
#define STACKGLASS_LABELS_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "platform/vector.h"

/* One label of the set with number `set`; the texts are owned. A set without labels has no rows. */
struct sg_label {
    uint32_t set;
    char *key, *value;
};

/* The labels of consecutive sets: one call copies at most 512 sets. */
struct sg_label_rows {
    struct SG_ROWS_OF(struct sg_label);
    uint32_t end; /* number of the first set that was not copied */
};

/* Append the labels of the sets from number `first` on to `rows`, and set `rows->end`. Caller holds
 * the GIL. Runs no code of the program. */
void sg_definitions_copy(uint32_t first, struct sg_label_rows *rows);
void sg_definitions_free(struct sg_label_rows *rows);

#endif
