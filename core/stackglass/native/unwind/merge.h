/* Merge: one stack from C frames and Python frames, leaf first.
 *
 *     C frames:       list_sort │ eval │ PyObject_Call │ partial_call │ eval │ main
 *     Python frames:              key                                   run, <module>
 *     merged:         list_sort │ key  │ PyObject_Call │ partial_call │ run  │ <module> │ main
 *
 * From 3.11 on by address: the evaluation loop keeps a part of its state (a border, walk.h) on the
 * C stack, and the C frame that holds it stands for the Python frames up to that border. A loop
 * without a border is entering a call and has no frame yet. Up to 3.10 a loop runs one frame, and
 * both are counted from the root. */
#ifndef STACKGLASS_UNWIND_MERGE_H
#define STACKGLASS_UNWIND_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/walk.h"
#include "unwind/unwinder.h"

/* Room for the Python half while two are merged. */
enum { SG_MERGE_FRAMES = 512, SG_MERGE_BORDERS = 256 };
struct sg_merge_scratch {
    struct sg_frame frames[SG_MERGE_FRAMES];
    struct sg_border borders[SG_MERGE_BORDERS];
};

struct sg_merge {
    struct sg_unwinder *unwinder; /* at the innermost frame */
    /* The Python half, leaf first; `n_python` 0: a thread that Python does not know. */
    const struct sg_frame *python;
    uint32_t n_python;
    const struct sg_border *borders; /* (n_borders,) */
    uint32_t n_borders;
    bool is_counted;    /* there are no borders: up to 3.10 */
    bool is_collecting; /* <gc> stands between the C frames and the innermost Python frame */

    struct sg_frame *frames; /* out: (capacity,) */
    uint32_t capacity;       /* ≥ 2 */
    uint32_t depth;
    bool is_truncated; /* out: C frames are missing, where SG_TRUNCATED stands */
};

/* Fill `frames`. Async-signal-safe. */
void sg_merge_run(struct sg_merge *merge);

/* Claim scratch; NULL if all is in use. Async-signal-safe. */
struct sg_merge_scratch *sg_merge_scratch_claim(void);
void sg_merge_scratch_release(struct sg_merge_scratch *scratch);

/* Map the scratch. One engine thread, before any claim. 0 or -1. */
int sg_merge_prepare(void);
/* Unmap it. No handler runs. */
void sg_merge_discard(void);

#endif
