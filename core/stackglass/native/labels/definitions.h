/* Definitions of label sets: which keys and values a number stands for. */
#ifndef STACKGLASS_LABELS_DEFINITIONS_H
#define STACKGLASS_LABELS_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "platform/vector.h"

/* One label of a set; a set without labels has no rows. Its texts are owned. */
struct sg_label {
    uint32_t set;
    char *key, *value;
};

/* The labels of the sets `first` and up, some hundred sets at most. */
struct sg_label_rows {
    struct SG_ROWS_OF(struct sg_label);
    uint32_t end; /* the set behind the last one that was copied */
};

/* Append the labels to `rows` and set its `end`. Caller holds the GIL; runs no code of the program.
 */
void sg_definitions_copy(uint32_t first, struct sg_label_rows *rows);
void sg_definitions_free(struct sg_label_rows *rows);

#endif
