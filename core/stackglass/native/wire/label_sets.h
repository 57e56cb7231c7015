/* Label sets: tracks which label sets messages refer to, and which ones have been defined.
 *
 *     a sample, a bucket ─▶ need ─▶ wanted? ── a job copies definitions ─▶ take ─▶ intern
 *
 * The writer owns it. */
#ifndef STACKGLASS_WIRE_LABEL_SETS_H
#define STACKGLASS_WIRE_LABEL_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "labels/definitions.h"
#include "tasks/names.h"
#include "wire/intern.h"

struct sg_label_sets {
    struct sg_intern *intern; /* borrowed: the stream's */
    uint32_t most;            /* highest set that a message refers to */
    uint32_t end;             /* all sets before this one are defined */
    bool has_other;           /* SG_OTHER_LABELS is defined */
    /* a bit for each row of task names that is defined */
    uint64_t tasks[(SG_OTHER_TASKS + 64) / 64];
};

/* Note that a message refers to `labels`, a set of the program and a task. The task is defined at
 * once. */
void sg_label_sets_need(struct sg_label_sets *sets, uint32_t labels);
/* Return whether a message refers to a set that is not defined. */
bool sg_label_sets_are_wanted(const struct sg_label_sets *sets);
/* Define the sets from `end` on that a job has copied. A set that is missing is not requested
 * again: its samples have no labels. */
void sg_label_sets_take(struct sg_label_sets *sets, const struct sg_label_rows *rows);

#endif
