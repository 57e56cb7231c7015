/* Merge: combines C frames and Python frames into one stack, leaf first.
 *
 *     C frames:       list_sort │ eval │ PyObject_Call │ partial_call │ eval │ main
 *     Python frames:              key                                   run, <module>
 *     merged:         list_sort │ key  │ PyObject_Call │ partial_call │ run  │ <module> │ main
 *
 * From 3.11 on frames are merged by address: the evaluation loop keeps a part of its state (a
 * border, walk.h) on the C stack, and the C frame that contains the border stands for the Python
 * frames up to it. A loop without a border is entering a call and has no Python frame yet. Up to
 * 3.10 each loop runs one frame, so loops and frames are matched by counting from the root. */
#ifndef STACKGLASS_UNWIND_MERGE_H
#define STACKGLASS_UNWIND_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/walk.h"
#include "unwind/unwinder.h"

/* Room for the Python frames while two stacks are merged. */
enum { SG_MERGE_FRAMES = 512, SG_MERGE_BORDERS = 256 };
struct sg_merge_scratch {
    struct sg_frame frames[SG_MERGE_FRAMES];
    struct sg_border borders[SG_MERGE_BORDERS];
};

struct sg_merge {
    struct sg_unwinder *unwinder; /* positioned at the innermost frame */
    /* The Python frames, leaf first; `n_python` 0 = Python does not know the thread. */
    const struct sg_frame *python;
    uint32_t n_python;
    const struct sg_border *borders; /* (n_borders,) */
    uint32_t n_borders;
    bool is_counted;    /* merge by counting: up to 3.10 there are no borders */
    bool is_collecting; /* put <gc> between the C frames and the innermost Python frame */

    struct sg_frame *frames; /* out: (capacity,) */
    uint32_t capacity;       /* ≥ 2 */
    uint32_t depth;
    bool is_truncated; /* out: C frames are missing at the place of SG_TRUNCATED */
};

/* Fill `frames`. Async-signal-safe. */
void sg_merge_run(struct sg_merge *merge);

/* Claim scratch memory. Returns NULL if all of it is in use. Async-signal-safe. */
struct sg_merge_scratch *sg_merge_scratch_claim(void);
void sg_merge_scratch_release(struct sg_merge_scratch *scratch);

/* Map the scratch memory. An engine thread calls it before any claim. Returns 0, or -1 if memory is
 * short. */
int sg_merge_prepare(void);
/* Unmap the scratch memory. No handler may run. */
void sg_merge_discard(void);
/* Forget the scratch memory without unmapping it. */
void sg_merge_forget(void);

#endif
