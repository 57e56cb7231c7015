/* Definitions of label sets: copies of the keys and values that the number of a set stands for. The
 * number is the set's index in the program's list (labels.h). */
#ifndef STACKGLASS_LABELS_DEFINITIONS_H
#define STACKGLASS_LABELS_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>

#include "platform/vector.h"

/* One label of the set with number `set`; the texts are owned. */
struct sg_label {
    uint32_t set;
    char *key, *value;
};

/* The labels of consecutive sets, a row for each label. A set without labels has no rows. */
struct sg_label_rows {
    struct SG_ROWS_OF(struct sg_label);
    uint32_t end; /* number of the first set that the copy did not reach */
};

/* Append the labels of the sets from number `first` on to `rows`, and set `rows->end`. One call
 * copies at most 512 sets, so that it holds the GIL for less than a millisecond. It copies all
 * labels of a set or none: if memory is short, the set has no rows, and its samples are shown
 * without labels; this loss is not counted. The caller holds the GIL. Runs no code of the program.
 */
void sg_label_definitions_copy(uint32_t first, struct sg_label_rows *rows);
void sg_label_definitions_free(struct sg_label_rows *rows);

#endif
