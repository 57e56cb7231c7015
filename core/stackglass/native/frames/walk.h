/* Walk one thread's Python frames, leaf first, trusting no pointer.
 *
 * The interrupted thread may be anywhere, also between two stores that belong together: compiled
 * code publishes a new frame before its `previous` is set. So a frame is read in place only where
 * it lies in memory that the thread itself vouches for (its data stack, its C stack); elsewhere it
 * is copied by a system call that cannot fault. A code pointer counts only if it is numbered
 * already or proves to be a living code object. What fails ends the walk; what was walked stays. */
#ifndef STACKGLASS_FRAMES_WALK_H
#define STACKGLASS_FRAMES_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "frames/code_ids.h"

/* Pages seen to be readable since the epoch last moved; one cache a thread, none shared. */
enum { SG_PAGE_CACHE_BITS = 9, SG_PAGE_CACHE_SIZE = 1 << SG_PAGE_CACHE_BITS };
struct sg_page_cache {
    uint32_t epoch;
    uintptr_t pages[SG_PAGE_CACHE_SIZE];
};

struct sg_walk {
    const void *thread;        /* PyThreadState of the walked thread, live */
    uintptr_t pc;              /* where it was interrupted; 0 = in a call from Python code */
    const ucontext_t *context; /* its registers then; NULL = not interrupted */
    uintptr_t stack_low;       /* its C stack in use, [low, high); equal = not known */
    uintptr_t stack_high;
    struct sg_page_cache *pages;
    bool is_foreign; /* it may run meanwhile: read nothing in place */
    bool is_settled; /* the walking thread itself, in a call that its Python code made: its frames
                      * are whole, and read in place; needs no `pages` */

    struct sg_frame *frames; /* room for `capacity`; the first `depth` are there already */
    uint32_t capacity;       /* ≥ 2 */
    uint32_t depth;
    bool is_bad; /* out: the guard cut the walk short */
};

/* Append the thread's frames. A stack that does not fit keeps its leaf side and ends in
 * SG_TRUNCATED. Async-signal-safe. */
void sg_frames_walk(struct sg_walk *walk);

/* The number of the code object at `code`, or SG_NO_CODE if there is no living one. Any address
 * will do. Async-signal-safe. */
sg_code_id sg_walk_identify(uintptr_t code);

/* Forget which pages were readable. Any thread. */
void sg_walk_new_epoch(void);

#endif
